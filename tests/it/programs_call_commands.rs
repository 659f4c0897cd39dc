//! Programs get from `hype_cli::embed` what the commands print, for tables in files and in memory, and for example studies.

#![allow(clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;

use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use hype::core::study::backend::Unwatched;
use hype::exchange::{TableRows, TableSource, Winner};
use hype_cli::embed::{self, OpenedFolder, TableToAggregate};

/// A table in memory.
struct Rows(String);

impl TableRows for Rows {
    fn name(&self) -> &str {
        "the frame"
    }

    fn text(&self) -> Box<dyn Read> {
        Box::new(Cursor::new(self.0.clone().into_bytes()))
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn studies() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/studies"))
}

fn ratings() -> String {
    let mut text = String::from("rater,item,model,value\n");
    for rater in 0..8 {
        for item in 0..5 {
            for (place, model) in ["a", "b"].iter().enumerate() {
                text += &format!("r{rater},i{item},{model},{}\n", 1 + (rater * 7 + item * 3 + place * 2) % 5);
            }
        }
    }
    text
}

#[test]
fn a_table_in_memory_is_the_same_as_a_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), ratings()).unwrap();
    for options in [&["--level=0.9"][..], &["--with=agreement"], &["--generalize-to=raters-and-items"]] {
        let wanted = program::json(folder.path(), &[&["aggregate", "t.csv", "--json"], options].concat());
        let rows = TableToAggregate::new(TableSource::Rows(Arc::new(Rows(ratings()))));
        let file = TableToAggregate::new(TableSource::File(folder.path().join("t.csv")));
        for table in [rows, file] {
            let found = embed::aggregate(table, &words(options), &|| false).unwrap();
            assert_eq!(found.json().unwrap(), wanted);
            assert!(found.text(false).contains('a') && !found.rows().unwrap().rows.is_empty());
            let html = found.html().unwrap();
            assert!(!html.contains("<script") && html.starts_with("<div"), "{html}");
        }
    }
}

#[test]
fn faults_in_memory_name_their_rows() {
    let table = |text: &str| TableToAggregate::new(TableSource::Rows(Arc::new(Rows(text.to_owned()))));
    let says = |text: &str, options: &[&str]| {
        embed::aggregate(table(text), &words(options), &|| false).unwrap_err().text
    };
    let said = says("rater,model,value\nr1,a,1\nr1,b,x\n", &[]);
    assert!(said.starts_with("the frame, row 2, column `value`"), "{said}");
    let said = says("rater,modle,value\nr1,a,1\n", &[]);
    assert!(said.contains("did you mean `modle`"), "{said}");
    let said = says(&ratings(), &["--level=2"]);
    assert!(said.contains("--level") && !said.contains("Usage"), "{said}");
    let stopped = embed::aggregate(table(&ratings()), &[], &|| true);
    assert!(stopped.is_err());
}

#[test]
fn votes_have_a_column_of_winners() {
    let text = "rater,left,right,winner\nr1,x,y,a\nr2,x,y,a\nr3,y,x,b\nr4,y,x,tie\n";
    let rows = TableToAggregate::new(TableSource::Rows(Arc::new(Rows(text.to_owned()))));
    let options = words(&["--with=contrast", "--model=left", "--against=right"]);
    let found = embed::aggregate(rows.with_winner(Winner::new("winner")), &options, &|| false).unwrap();
    assert_eq!(found.findings().measures[0].estimates.len(), 2);
}

#[test]
fn studies_give_what_the_commands_print() {
    for name in ["contrast", "likert"] {
        let spec = studies().join(format!("{name}.yaml"));
        let shown = spec.to_str().unwrap();
        let simulated = embed::simulate_spec(&spec, &words(&["--seed=3"]), &Unwatched).unwrap();
        let wanted = program::json(studies(), &["simulate", shown, "--seed", "3", "--json"]);
        assert_eq!(simulated.json().unwrap(), wanted);
        let checked = embed::check_spec(&spec).unwrap();
        let wanted = program::json(studies(), &["check", shown, "--json"]);
        assert_eq!(serde_json::to_value(&checked.diagnostics).unwrap(), wanted["diagnostics"]);
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept");
        let run =
            ["run", shown, "--simulate", "--study", kept.to_str().unwrap(), "--json", "--progress", "none"];
        program::succeeds(studies(), &run);
        let opened = OpenedFolder::open(&kept).unwrap();
        let wanted = program::json(studies(), &["score", kept.to_str().unwrap(), "--json"]);
        assert_eq!(opened.findings().unwrap().json().unwrap(), wanted);
        let page = opened.findings().unwrap().report(&folder.path().join("page.html")).unwrap();
        assert!(std::fs::read_to_string(page).unwrap().starts_with("<!DOCTYPE html>"));
        assert!(opened.table("scores").unwrap().rows.len() > 10);
        assert!(opened.table("scroes").unwrap_err().text.contains("scores, trials"));
    }
}

/// The Python package is compiled only by `cargo xtask prove reach`: what it calls is looked for here.
#[test]
fn the_python_package_calls_what_exists() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let texts = |folder: &str| -> String {
        let files = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let texts = files.filter(|path| path.is_file()).map(|path| std::fs::read_to_string(path).unwrap());
        texts.collect()
    };
    let embed =
        texts("hype-cli/src/embed") + &std::fs::read_to_string(root.join("hype-cli/src/embed.rs")).unwrap();
    let package = texts("hype-python/src");
    let mut names: Vec<&str> = Vec::new();
    for after in package.split("embed::").skip(1) {
        let (list, _) = match after.strip_prefix('{') {
            Some(several) => several.split_once('}').unwrap(),
            None => after.split_at(after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap()),
        };
        names.extend(list.split(',').map(str::trim));
    }
    assert!(names.len() > 8, "{names:?}");
    for name in names {
        let is_there = ["pub fn ", "pub struct "].iter().any(|kind| {
            embed.match_indices(&format!("{kind}{name}")).any(|(at, found)| {
                embed[at + found.len()..].starts_with(|c: char| !c.is_alphanumeric() && c != '_')
            })
        });
        assert!(is_there, "hype-python calls embed::{name}, which hype-cli does not have");
    }
}
