//! The program's output fits the terminal and contains no escape sequence from a file or a spec.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::program::{fails, hype, succeeds};

fn wide(folder: &Path, columns: u32, arguments: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_hype"));
    let output =
        program.current_dir(folder).args(arguments).env("COLUMNS", columns.to_string()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Ten models with long names and three measures. The later in the alphabet, the better the model.
fn table(folder: &Path) {
    let mut text = String::from("rater,model,score,quality,a measure with a long name\n");
    for model in 0..10 {
        for rater in 0..8 {
            let value = f64::from(model) + f64::from(rater * 7 % 5) / 10.0;
            let name = format!("a-diffusion-model-with-a-long-name-{model}");
            writeln!(text, "r{model}-{rater},{name},{value},{},{}", value * 2.0, value + 100.0).unwrap();
        }
    }
    fs::write(folder.join("wide.csv"), text).unwrap();
}

#[test]
fn ten_models_with_long_names_fit_80_columns() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    table(folder);
    let values = ["--value", "score", "--value", "quality", "--value", "a measure with a long name"];
    let arguments = [&["aggregate", "wide.csv", "--resamples", "200", "--full"][..], &values].concat();
    for columns in [80, 110, 200] {
        let shown = wide(folder, columns, &arguments);
        let rows = shown.lines().filter(|line| line.starts_with(' ') || line.starts_with('─'));
        for line in rows {
            assert!(line.chars().count() <= columns as usize, "over {columns} columns: {line}");
            assert_eq!(line.matches('[').count(), line.matches(']').count(), "a broken interval: {line}");
        }
        assert!(shown.contains("quality"), "{shown}");
    }
}

#[test]
fn models_are_in_the_order_of_the_estimates() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut text = String::from("rater,model,score,other\n");
    for (model, value) in [("apple", 1), ("pear", 3), ("cherry", 2)] {
        for rater in 0..4 {
            writeln!(text, "{model}{rater},{model},{},{}", value * 10 + rater, rater).unwrap();
        }
    }
    fs::write(folder.join("t.csv"), text).unwrap();
    let shown = succeeds(folder, &["aggregate", "t.csv", "--value", "score", "--value", "other"]);
    let header = shown.lines().find(|line| line.starts_with(" also")).unwrap();
    let models: Vec<&str> = header.split_whitespace().skip(1).collect();
    assert_eq!(models, ["pear", "cherry", "apple"]);
}

#[test]
fn escape_sequences_in_names_are_not_printed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let quiet = |output: &Output| {
        for bytes in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(bytes);
            let commands =
                text.chars().filter(|mark| mark.is_control() && !matches!(mark, '\n' | '\t')).count();
            assert_eq!(commands, 0, "{text:?}");
        }
    };
    fs::write(folder.join("t.csv"), "rater,model,value\na,x\u{1b}[2J,1\nb,x\u{1b}[2J,2\nc,y,3\nd,y,5\n")
        .unwrap();
    let output = hype(folder, &["aggregate", "t.csv"]);
    quiet(&output);
    assert!(String::from_utf8_lossy(&output.stdout).contains("x␛[2J"));
    fs::write(folder.join("bad\u{1b}[31m.csv"), "rater,model,value\na,x,no\u{7}number\n").unwrap();
    quiet(&hype(folder, &["aggregate", "bad\u{1b}[31m.csv"]));
    quiet(&hype(folder, &["aggregate", "absent\u{1b}]0;title\u{7}.csv"]));

    succeeds(folder, &["new", "study", "--images", "24", "--size", "16"]);
    let spec = folder.join("study/evaluation.yaml");
    let text = fs::read_to_string(&spec).unwrap().replace("  weak: ", "  \"we\\e[31mak\": ");
    fs::write(
        &spec,
        text.replace("  weak:  ", "  \"we\\e[31mak\":  ").replace("name: ", "name: \"\\e[5m\" #"),
    )
    .unwrap();
    for arguments in
        [&["check", "study/evaluation.yaml"][..], &["simulate", "study/evaluation.yaml", "--raters", "2"]]
    {
        quiet(&hype(folder, arguments));
    }
    fs::rename(folder.join("study/images/good/0001.png"), folder.join("study/images/good/\u{1b}[7m.png"))
        .unwrap();
    fs::write(folder.join("study/images/good/\u{1b}[7m.png"), "no image").unwrap();
    quiet(&hype(folder, &["check", "study/evaluation.yaml"]));
}

#[test]
fn the_list_is_a_summary_and_a_kind_is_listed_in_full() {
    let here = Path::new(".");
    let all = succeeds(here, &["list"]);
    assert!(all.lines().count() < 150, "{} lines", all.lines().count());
    for kind in ["hype_time", "by_model", "web", "synthetic"] {
        assert_eq!(
            all.lines().filter(|line| line.split_whitespace().next() == Some(kind)).count().min(1),
            1,
            "{all}"
        );
    }
    let whole = succeeds(here, &["list", "hype_time"]);
    for part in [
        "task hype_time, of hype-tasks",
        "rubric hype_time, of hype-tasks",
        "source: Zhou et al. 2019",
        "example\n  { kind: hype_time,",
        "exposure.floor_ms: integer from 1 to 60000, default 100",
        "staircase.preset: ",
        "answers\n  judgment: real or generated, required",
    ] {
        assert!(whole.contains(part), "no {part:?} in\n{whole}");
    }
    assert!(fails(here, &["list", "hype_tiem"]).contains("did you mean `hype_time`?"));
}

#[test]
fn values_are_printed_without_json_syntax() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["new", "study", "--images", "24", "--size", "16"]);
    let shown = succeeds(folder, &["check", "study/evaluation.yaml"]);
    assert!(!shown.contains(['{', '"']), "{shown}");
    assert!(shown.contains("ceiling_ms 1000, floor_ms 100, start_ms 500"), "{shown}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("t.csv"), "rater,model,value\na,x,1\nb,x,2\nc,y,3\nd,y,5\n").unwrap();
    let full = |arguments: &[&str]| {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_hype"));
        let output = program.current_dir(folder).args(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let columns = ["--rater", "rater", "--model", "model", "--value", "value"];
    for arguments in [&["list"][..], &["aggregate", "t.csv"], &["aggregate", "t.csv", "--json"], &["schema"]]
    {
        assert!(full(arguments).contains("standard output: No space left"), "{arguments:?}");
    }
    let imported = full(&[&["import", "csv", "t.csv"][..], &columns].concat());
    assert!(imported.contains("standard output: No space left"), "{imported}");
    let imported = fails(folder, &[&["import", "csv", "t.csv", "-o", "/dev/full"][..], &columns].concat());
    assert!(imported.contains("/dev/full: No space left"), "{imported}");
}

#[test]
fn tables_with_semicolons_are_recognized() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("t.csv"), "rater;model;value\na;x;1\nb;x;2\nc;y;3\nd;y;5\n").unwrap();
    for call in [&["aggregate", "t.csv", "--full"][..], &["aggregate", "t.csv", "--delimiter", ";", "--full"]]
    {
        let found = succeeds(folder, call);
        assert!(found.contains("y - x") || found.contains("x - y"), "{found}");
    }
}

#[cfg(feature = "manual")]
#[test]
fn completions_and_manual_pages_cover_every_command() {
    let here = Path::new(".");
    let help = succeeds(here, &["--help"]);
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() >= 15, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = succeeds(here, &["completions", shell]);
        for command in &commands {
            assert!(script.contains(command), "the completion of {shell} lacks {command}");
        }
    }
    let page = succeeds(here, &["man"]);
    assert!(page.contains(".TH hype 1"), "{page}");
    assert!(succeeds(here, &["man", "run"]).contains("\\-\\-simulate"));
    assert!(fails(here, &["man", "rn"]).contains("there is no command `rn`"));
}
