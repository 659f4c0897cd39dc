//! LaTeX itself, where it is installed.

use std::fmt::Write as _;
use std::process::Command;

/// The first line of tables that pdfLaTeX cannot set.
pub(crate) const OTHER_LETTERS: &str = "% Some letters need lualatex or xelatex, with a font that has them.";

/// As [`compile_always`], in proofs: LaTeX takes seconds, and a strict reader of its own reads all tables in `./test`.
pub(crate) fn compile(tables: &[String]) {
    if crate::proof::is_proof() {
        compile_always(tables);
    }
}

/// Compiles tables in one document, each by the program that it asks for. Does nothing where LaTeX is not installed
/// (`scripts/install-test-tools` installs it).
pub(crate) fn compile_always(tables: &[String]) {
    let (lualatex, pdflatex): (Vec<&String>, Vec<&String>) =
        tables.iter().partition(|table| table.starts_with(OTHER_LETTERS));
    for (program, tables) in [("pdflatex", pdflatex), ("lualatex", lualatex)] {
        if tables.is_empty() || Command::new(program).arg("--version").output().is_err() {
            continue;
        }
        let mut document =
            "\\documentclass{article}\n\\usepackage{booktabs, longtable}\n\\begin{document}\n".to_owned();
        tables.iter().for_each(|table| writeln!(document, "{table}\\clearpage").unwrap());
        document += "\\end{document}\n";
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tables.tex"), document).unwrap();
        let run = Command::new(program)
            .args(["-interaction=nonstopmode", "-halt-on-error", "tables.tex"])
            .current_dir(folder.path())
            .env("TEXMFVAR", folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && folder.path().join("tables.pdf").is_file(), "{program}: {said}");
    }
}

/// Sets a bibliography of all its entries by BibTeX and, in proofs, by biber, without a warning. Does nothing where they are not
/// installed.
pub(crate) fn bibliography(entries: &str, keys: &[&str]) {
    let classic = "\\documentclass{article}\n\\begin{document}\n\\nocite{*}\n\\bibliographystyle{plain}\n\\bibliography{references}\n\\end{document}\n";
    let modern = "\\documentclass{article}\n\\usepackage[backend=biber]{biblatex}\n\\addbibresource{references.bib}\n\
                  \\begin{document}\n\\nocite{*}\n\\printbibliography\n\\end{document}\n";
    for (program, document) in
        [("bibtex", classic), ("biber", modern)].into_iter().take(crate::proof::sized(1, 2))
    {
        if ["pdflatex", program].iter().any(|one| Command::new(one).arg("--version").output().is_err()) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("paper.tex"), document).unwrap();
        std::fs::write(folder.path().join("references.bib"), entries).unwrap();
        let run = |program: &str, arguments: &[&str]| {
            let run = Command::new(program)
                .args(arguments)
                .current_dir(folder.path())
                .env("TEXMFVAR", folder.path())
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&run.stdout).into_owned();
            assert!(run.status.success(), "{program}: {said}\n{entries}");
            said
        };
        let latex = ["-interaction=nonstopmode", "-halt-on-error", "paper.tex"];
        run("pdflatex", &latex);
        let said = run(program, &["paper"]);
        assert!(!said.contains("Warning") && !said.contains("WARN"), "{program}: {said}\n{entries}");
        run("pdflatex", &latex);
        let said = run("pdflatex", &latex);
        assert!(!said.contains("undefined"), "{program}: {said}\n{entries}");
        let set = std::fs::read_to_string(folder.path().join("paper.bbl")).unwrap();
        keys.iter()
            .for_each(|key| assert!(set.contains(&format!("{{{key}}}")), "{program}: no {key} in {set}"));
    }
}
