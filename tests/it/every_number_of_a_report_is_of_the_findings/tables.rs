//! Tables for papers: the CSV is of the findings, and LaTeX and Markdown are the CSV, rounded.

use std::fs;

use super::numbers::numbers;
use super::report::Report;
use crate::typeset;

/// The cells of a row of LaTeX.
fn cells_of(line: &str) -> Option<Vec<&str>> {
    Some(line.strip_suffix(" \\\\")?.split(" & ").collect())
}

pub fn tables_are_typeset(report: &Report) {
    let files = fs::read_dir(report.folder.join("tables")).unwrap().map(|file| file.unwrap().path());
    let latex = files.filter(|path| path.extension().is_some_and(|end| end == "tex"));
    typeset::compile(&latex.map(|path| fs::read_to_string(path).unwrap()).collect::<Vec<_>>());
}

pub fn tables_are_rounded_alike(report: &Report) {
    for table in ["t1", "s1-all-measures"] {
        let exact = report.rows(&format!("tables/{table}.csv")).unwrap();
        let mut reader = csv::Reader::from_path(report.folder.join(format!("tables/{table}.csv"))).unwrap();
        let columns: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert!(
            columns.iter().all(|one| columns.iter().filter(|other| *other == one).count() == 1),
            "{columns:?}"
        );
        let is_hidden = |column: &&String| {
            ["low", "high", "p", "bootstrap_sd"].contains(&column.as_str())
                || column.ends_with("_low")
                || column.ends_with("_high")
        };
        let printed: Vec<&String> = columns.iter().filter(|column| !is_hidden(column)).collect();
        let (latex, markdown) =
            (report.text(&format!("tables/{table}.tex")), report.text(&format!("tables/{table}.md")));
        let latex: Vec<Vec<&str>> = latex.lines().filter_map(cells_of).skip(1).collect();
        let markdown: Vec<Vec<&str>> = markdown
            .lines()
            .filter_map(|line| Some(line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect()))
            .skip(2)
            .collect();
        assert_eq!(markdown.len(), exact.len(), "{}: {table}", report.study);
        for (place, row) in exact.iter().enumerate() {
            for (at, column) in printed.iter().enumerate() {
                let what = format!("{}: {table}, {column}: {row:?}", report.study);
                // Long tables have their head twice in LaTeX.
                let of_latex =
                    latex.get(place + latex.len() - exact.len()).map(|cells| without_marks(cells[at]));
                for cell in of_latex.iter().map(String::as_str).chain([markdown[place][at]]) {
                    let Ok(number) = row[*column].parse::<f64>() else { continue };
                    let printed = numbers(&cell.replace("$-$", "-").replace(',', ""));
                    let (shown, half) = printed[0];
                    let is_rounded = |factor: f64| (shown - factor * number).abs() <= half * (1.0 + 1e-9);
                    assert!(is_rounded(1.0) || is_rounded(100.0), "{what}: {cell}");
                }
            }
        }
    }
}

/// A cell of LaTeX without the marks of notes.
fn without_marks(cell: &str) -> String {
    let mut text = cell.to_owned();
    while let Some(start) = text.find("$^{") {
        let end = start + text[start..].find("}$").unwrap() + 2;
        text.replace_range(start..end, "");
    }
    text
}
