//! Tables for papers: the CSV is of the findings, and LaTeX and Markdown are the CSV, rounded.

use std::fs;

use serde_json::Value;

use super::numbers::numbers;
use super::report::{Report, assert_near, assert_same, list};
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
    for table in ["t1", "t2"] {
        let Some(exact) = report.rows(&format!("tables/{table}.csv")) else { continue };
        let mut reader = csv::Reader::from_path(report.folder.join(format!("tables/{table}.csv"))).unwrap();
        let columns: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert!(
            columns.iter().all(|one| columns.iter().filter(|other| *other == one).count() == 1),
            "{columns:?}"
        );
        let printed: Vec<&String> =
            columns.iter().filter(|column| !column.ends_with("_half_width")).collect();
        let (latex, markdown) =
            (report.text(&format!("tables/{table}.tex")), report.text(&format!("tables/{table}.md")));
        let latex: Vec<Vec<&str>> = latex.lines().filter_map(cells_of).skip(1).collect();
        let markdown: Vec<Vec<&str>> = markdown
            .lines()
            .filter_map(|line| Some(line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect()))
            .skip(2)
            .collect();
        assert_eq!([latex.len(), markdown.len()], [exact.len(); 2], "{}: {table}", report.study);
        for ((row, latex), markdown) in exact.iter().zip(&latex).zip(&markdown) {
            for (place, column) in printed.iter().enumerate() {
                let what = format!("{}: {table}, {column}: {row:?}", report.study);
                let halves = row.get(&format!("{column}_half_width"));
                for cell in [latex[place], markdown[place]] {
                    let Ok(number) = row[*column].parse::<f64>() else {
                        assert!(!row[*column].is_empty() || cell == "–", "{what}");
                        continue;
                    };
                    let printed = numbers(&cell.replace("$-$", "-"));
                    let mut exact = vec![number];
                    exact.extend(halves.and_then(|half| half.parse::<f64>().ok()));
                    assert_eq!(printed.len(), exact.len(), "{what}: {cell}");
                    for ((shown, half), exact) in printed.into_iter().zip(exact) {
                        let is_rounded = |factor: f64| (shown - factor * exact).abs() <= half * (1.0 + 1e-9);
                        assert!(is_rounded(1.0) || is_rounded(100.0), "{what}: {cell}");
                    }
                }
            }
            for column in printed.iter().filter(|column| !["rank", "model"].contains(&column.as_str())) {
                let Some(half) = row.get(&format!("{column}_half_width")) else { continue };
                let found = report.measure(column);
                let is_model = |one: &&Value| one["model"] == row["model"].as_str();
                let one = list(&found["estimates"]).iter().find(is_model).unwrap();
                assert_same(&row[*column], &one["value"], column);
                let interval = &one["interval"];
                if let (Some(low), Some(high)) = (interval["low"].as_f64(), interval["high"].as_f64()) {
                    assert_near(half, (high - low) / 2.0, column);
                }
            }
        }
    }
}
