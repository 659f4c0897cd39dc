//! Results take one screen: at most 30 lines of 100 columns with the answer by the fourth, and the numbers of the page.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{ends, json, succeeds};

fn examples() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples")
}

/// Checks lines and columns, and that the answer stands by the fourth line.
fn fits(shown: &str, columns: usize) {
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines.len() <= 30, "{} lines:\n{shown}", lines.len());
    for line in &lines {
        assert!(line.chars().count() <= columns, "over {columns} columns: {line}\n{shown}");
    }
    let facts = lines.iter().position(|line| line.is_empty()).unwrap();
    assert!(facts < 3, "the answer begins in line {}:\n{shown}", facts + 2);
}

/// The text of a page or of lines, without tags and with single blanks.
fn words(text: &str) -> String {
    let mut inside = false;
    let plain = text.chars().filter(|&sign| {
        inside = (inside || sign == '<') && sign != '>';
        !inside && sign != '>'
    });
    plain.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The notes that are printed have the numbers and the texts of the findings.
fn notes_are_those(shown: &str, found: &Value) {
    for note in found["notes"].as_array().unwrap() {
        let Some(number) = note["number"].as_u64() else { continue };
        let mark = char::from_u32(0x245F + number as u32).unwrap();
        let text: Vec<&str> = note["text"].as_str().unwrap().split_whitespace().take(5).collect();
        for line in shown.lines().filter(|line| line.starts_with(&format!(" {mark} "))) {
            assert!(line.contains(&text.join(" ")), "{line}: {note}");
        }
    }
}

#[test]
fn example_studies_take_one_screen() {
    let mut specs: Vec<String> = fs::read_dir(examples().join("studies"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".yaml"))
        .map(|name| format!("studies/{name}"))
        .collect();
    specs.push("quickstart/evaluation.yaml".to_owned());
    for spec in specs {
        let shown = succeeds(&examples(), &["simulate", &spec, "--seed", "5"]);
        fits(&shown, 100);
        assert!(shown.contains("SIMULATED: no people") && !shown.contains('\u{1b}'), "{shown}");
        let narrow = ends(&examples(), &[("COLUMNS", "60")], &["simulate", &spec, "--seed", "5"], true);
        fits(&narrow, 60);
        assert!(!narrow.contains('├'), "{narrow}");
        notes_are_those(&shown, &json(&examples(), &["simulate", &spec, "--seed", "5", "--json"]));
    }
}

#[test]
fn plans_take_one_screen() {
    for spec in ["quickstart/evaluation.yaml", "studies/hype-infinity.yaml", "studies/contrast-criteria.yaml"]
    {
        let call = ["plan", spec, "--studies", "2", "--cohort", "40"];
        let shown = succeeds(&examples(), &call);
        fits(&shown, 100);
        let full = succeeds(&examples(), &[&call[..], &["--full"]].concat());
        assert!(full.lines().count() >= shown.lines().count() && !shown.contains("(natural"), "{full}");
    }
}

#[test]
fn numbers_match_the_page() {
    let folder = tempfile::tempdir().unwrap();
    for study in ["heim", "hype-infinity", "contrast", "ranking"] {
        let report = folder.path().join(study);
        let spec = format!("studies/{study}.yaml");
        let shown = succeeds(&examples(), &["simulate", &spec, "-o", report.to_str().unwrap()]);
        let page = fs::read_to_string(report.join("index.html")).unwrap();
        let (text, page) = (words(&shown), words(&page));
        let answer = shown.split("\n\n").nth(1).unwrap();
        let first = words(answer).split(". ").next().unwrap().to_owned();
        // On the page a glyph stands before the name of a model.
        let is_sign = |sign: char| !"●■▲◆".contains(sign);
        let page: String = page.chars().filter(|&sign| is_sign(sign)).collect();
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(first.trim_end_matches('.')), "{study}: {first}\n{page}");
        let table = shown.split("\n\n").nth(2).unwrap();
        let ranges: Vec<&str> = table.split('[').skip(1).filter_map(|rest| rest.split(']').next()).collect();
        assert!(!ranges.is_empty(), "{shown}");
        for range in ranges {
            assert!(page.contains(&format!("[{range}]")), "{study}: [{range}] is not on the page\n{text}");
        }
    }
}

/// Ten raters score each of so many models, and some models the same.
fn table(folder: &Path, models: usize, apart: bool) {
    let mut text = String::from("rater,model,item,value\n");
    for (model, rater) in (0..models).flat_map(|model| (0..10).map(move |rater| (model, rater))) {
        let value = if apart { model * 10 } else { 5 } + rater * 7 % 5;
        writeln!(text, "r{rater},a model called {model},i{rater},{value}").unwrap();
    }
    fs::write(folder.join("table.csv"), text).unwrap();
}

#[test]
fn tables_of_any_number_of_models_take_one_screen() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let aggregate = ["aggregate", "table.csv", "--design", "within"];
    for models in [1, 2, 3, 12, 40] {
        for apart in [true, false] {
            table(folder, models, apart);
            let shown = succeeds(folder, &aggregate);
            fits(&shown, 100);
            let narrow = ends(folder, &[("COLUMNS", "60"), ("NO_COLOR", "1")], &aggregate, true);
            fits(&narrow, 60);
            let rows = shown.lines().filter(|line| line.starts_with(" a model called ")).count();
            assert_eq!(rows, if models > 12 { 8 } else { models }, "{shown}");
            assert_eq!(shown.contains("… 32 more"), models == 40, "{shown}");
            notes_are_those(&shown, &json(folder, &[&aggregate[..], &["--json"]].concat()));
        }
    }
}

#[test]
fn other_locales_get_signs_of_ascii() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    table(folder, 3, true);
    let shown = ends(folder, &[("LC_ALL", "C")], &["aggregate", "table.csv"], true);
    assert!(shown.is_ascii() && shown.contains("[") && !shown.contains("|-"), "{shown}");
}

#[test]
fn without_an_estimate_the_reason_is_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("table.csv"), "rater,model,item,value\nr1,a,i,0.3\nr1,b,j,\nr2,a,k,0.5\n").unwrap();
    let shown = succeeds(folder, &["aggregate", "table.csv", "--with", "agreement"]);
    fits(&shown, 100);
    assert!(shown.contains("No estimate of value"), "{shown}");
}

#[test]
fn more_and_less_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    table(folder, 3, true);
    let shown = |asked: &[&str]| succeeds(folder, &[&["aggregate", "table.csv"], asked].concat());
    let (screen, full) = (shown(&[]), shown(&["--full"]));
    assert!(full.starts_with(&screen) && full.lines().count() > 30, "{full}");
    let places = ["①", "pairs: ", "differ by "];
    let rest = &full[screen.len()..];
    let places: Vec<usize> =
        places.iter().map(|text| rest.find(text).unwrap_or_else(|| panic!("{text}: {rest}"))).collect();
    assert!(places.is_sorted(), "{full}");
    let notes = shown(&["--notes"]);
    assert!(
        notes.lines().all(|line| line.starts_with(' ')) && notes.contains("①") && !notes.contains("95% CI"),
        "{notes}"
    );
    assert_eq!(shown(&["--quiet"]), "");
    assert_eq!(shown(&["--quiet", "--figures", "report"]).trim(), "report/index.html");
}
