//! LaTeX itself, where it is installed.

use std::fmt::Write as _;
use std::process::Command;

/// The first line of tables that pdfLaTeX cannot set.
pub(crate) const OTHER_LETTERS: &str = "% Some letters need lualatex or xelatex, with a font that has them.";

/// Compiles tables in one document, each by the program that it asks for. Does nothing where LaTeX is not installed
/// (`scripts/install-test-tools` installs it).
pub(crate) fn compile(tables: &[String]) {
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
