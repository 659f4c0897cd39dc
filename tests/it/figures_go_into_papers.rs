//! Exported figures in a paper of two columns, with its table and its references: set by LaTeX without a box that is too wide.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program;
use crate::proof::{is_proof, row};

/// A paper as conferences on vision set it: columns of 3.25 in.
const HEAD: &str = "\\documentclass[10pt,twocolumn]{article}\n\\usepackage{graphicx,booktabs,longtable}\n\
    \\setlength{\\textwidth}{6.875in}\\setlength{\\columnsep}{0.375in}\\setlength{\\oddsidemargin}{-0.1875in}\n\
    \\setlength{\\textheight}{8.875in}\\setlength{\\topmargin}{-0.5in}\n\\begin{document}\n\\input{captions}\n";
const TAIL: &str = "\\nocite{*}\n\\bibliographystyle{plain}\n\\bibliography{references}\n\\end{document}\n";

/// A study of the examples, simulated: the folder of what is exported of it.
fn exported(folder: &Path, study: &str, options: &[&str]) -> std::path::PathBuf {
    let studies = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/studies");
    let kept = folder.join(study);
    let spec = match study {
        "quickstart" => "../quickstart/evaluation.yaml".to_owned(),
        study => format!("{study}.yaml"),
    };
    if !kept.exists() {
        let kept = kept.to_str().unwrap();
        program::succeeds(&studies, &["run", &spec, "--simulate", "--study", kept, "--progress", "none"]);
    }
    let to = folder.join(format!("{study}-{}", options.join("").replace(['/', '.'], "")));
    let (kept, into) = (kept.to_str().unwrap(), to.to_str().unwrap());
    program::succeeds(folder, &[&["report", kept, "--export", into], options].concat());
    to
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).env("TEXMFVAR", folder).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    said
}

/// The rows of a CSV file by its header.
fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(|row| row.unwrap()).collect()
}

/// Sets a paper with the first three figures of a study, its table and its references.
fn set_paper(folder: &Path, study: &str, figures: &[BTreeMap<String, String>]) {
    let mut paper = HEAD.to_owned();
    let captions = fs::read_to_string(folder.join("captions.tex")).unwrap();
    let commands: Vec<&str> = captions
        .lines()
        .map(|line| line.strip_prefix("\\newcommand{").unwrap().split_once('}').unwrap().0)
        .collect();
    for (figure, caption) in figures.iter().zip(&commands).take(3) {
        let file = &figure["file"];
        writeln!(
            paper,
            "\\begin{{figure}}\\centering\\includegraphics{{{file}}}\\caption{{{caption}}}\\end{{figure}}"
        )
        .unwrap();
    }
    paper += "\\input{t1}\n";
    paper += TAIL;
    fs::write(folder.join("paper.tex"), paper).unwrap();
    let latex = ["-interaction=nonstopmode", "-halt-on-error", "paper.tex"];
    run(folder, "pdflatex", &latex);
    run(folder, "bibtex", &["paper"]);
    run(folder, "pdflatex", &latex);
    let said = run(folder, "pdflatex", &latex);
    for fault in ["Overfull", "undefined", "LaTeX Warning: Reference", "PDF inclusion"] {
        assert!(!said.contains(fault), "{study}: {fault}: {said}");
    }
}

/// Checks a printed figure: the width of a column, letters that can be read and found, fonts in the file.
fn check_figure(folder: &Path, study: &str, figure: &BTreeMap<String, String>) {
    let (file, what) = (&figure["file"], format!("{study}: {}", figure["file"]));
    let info = run(folder, "pdfinfo", &[file]);
    let size = info.lines().find_map(|line| line.strip_prefix("Page size:")).unwrap();
    let width: f64 = size.split_whitespace().next().unwrap().parse().unwrap();
    assert!((width - 234.0).abs() <= 1.0, "{what}: {size}");
    let least: f64 = figure["least_pt"].parse().unwrap();
    assert!((7.0..=9.0).contains(&least), "{what}: {least}");
    for font in run(folder, "pdffonts", &[file]).lines().skip(2) {
        assert!(!font.contains("Type 3"), "{what}: {font}");
        let embedded = font.split_whitespace().rev().nth(4).unwrap();
        assert_eq!(embedded, "yes", "{what}: {font}");
    }
    let found = run(folder, "pdftotext", &[file, "-"]).replace(char::is_whitespace, "");
    let svg = fs::read_to_string(folder.join(format!("{}.svg", figure["id"]))).unwrap();
    for text in svg.split("<text").skip(1) {
        // Of cut names, the whole is a title that only screens show.
        let text = text.split_once('>').unwrap().1.split_once('<').unwrap().0;
        let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
        let text =
            entities.into_iter().fold(text.to_owned(), |text, (entity, letter)| text.replace(entity, letter));
        // Texts on their sides come letter by letter.
        let text = text.replace(char::is_whitespace, "");
        let is_there = found.contains(&text) || text.chars().all(|letter| found.contains(letter));
        assert!(is_there, "{what}: no {text} in {found}");
    }
}

#[test]
fn figures_tables_and_references_fit_two_columns() {
    let all: &[&str] = if is_proof() {
        &["quickstart", "heim", "contrast-criteria", "hype-infinity", "imagenhub-generation", "ranking"]
    } else {
        &["contrast-criteria"]
    };
    let folder = tempfile::tempdir().unwrap();
    for study in all {
        let options = ["--width", "cvpr", "--format", "pdf,svg"];
        let to = exported(folder.path(), study, &options);
        let figures: Vec<_> =
            rows(&to.join("figures.csv")).into_iter().filter(|row| row["file"].ends_with(".pdf")).collect();
        figures.iter().for_each(|figure| check_figure(&to, study, figure));
        fs::copy(folder.path().join(study).join("report/references.bib"), to.join("references.bib")).unwrap();
        set_paper(&to, study, &figures);
        row(&[study, &figures.len().to_string(), "0"]);
    }
}
