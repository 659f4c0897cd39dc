//! The committed schemas are those of this program, and its input and output match them.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

const SCHEMAS: [(&str, &str); 10] = [
    ("spec", "evaluation.json"),
    ("findings", "findings.json"),
    ("staircase", "staircase.json"),
    ("plan", "plan.json"),
    ("diagnostics", "diagnostics.json"),
    ("crowd-plan", "crowd-plan.json"),
    ("crowd-status", "crowd-status.json"),
    ("crowd-ledger", "crowd-ledger.json"),
    ("crowd-audit", "crowd-audit.json"),
    ("board", "board.json"),
];

fn folder() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("schemas")
}

fn committed(file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(folder().join(file)).unwrap()).unwrap()
}

fn fits(schema: &str, value: &Value) {
    let schema = committed(schema);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> =
        validator.iter_errors(value).map(|fault| format!("{fault} at {}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Every file of the folder, byte for byte, and every schema that a program with all features can print.
#[cfg(all(feature = "board", feature = "mturk"))]
#[test]
fn committed_schemas_are_not_stale() {
    let stale: Vec<&str> = SCHEMAS
        .iter()
        .filter(|(of, file)| {
            let current = program::succeeds(Path::new("."), &["schema", of]);
            fs::read_to_string(folder().join(file)).unwrap_or_default() != current
        })
        .map(|&(_, file)| file)
        .collect();
    assert!(stale.is_empty(), "{stale:?} in schemas/ are stale: run `cargo xtask schemas`");
    let mut files: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort_unstable();
    let mut listed = SCHEMAS.map(|(_, file)| file);
    listed.sort_unstable();
    assert_eq!(files, listed, "schemas/ has other files than the program has schemas");
    let help = program::succeeds(Path::new("."), &["schema", "-h"]);
    let known = help.split("[possible values: ").nth(1).unwrap().split(']').next().unwrap();
    let mut known: Vec<&str> = known.split(',').map(str::trim).collect();
    known.sort_unstable();
    let mut subjects = SCHEMAS.map(|(of, _)| of);
    subjects.sort_unstable();
    assert_eq!(known, subjects, "a schema of the program is not committed");
}

#[test]
fn output_matches_the_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    program::succeeds(folder, &["new", "study", "--images", "20", "--size", "16"]);
    let spec = folder.join("study/evaluation.yaml");
    let document = hype::core::yaml::Document::parse(&fs::read_to_string(&spec).unwrap()).unwrap();
    fits("evaluation.json", &hype::core::yaml::to_json(document.root()));
    fits("diagnostics.json", &program::json(folder, &["check", "study/evaluation.yaml", "--json"]));
    let simulated = program::json(folder, &["simulate", "study/evaluation.yaml", "--raters", "3", "--json"]);
    fits("findings.json", &simulated);
    let plan = ["plan", "study/evaluation.yaml", "--cohort", "8", "--target", "width=200", "--json"];
    fits("plan.json", &program::json(folder, &plan));
    fits("staircase.json", &program::json(folder, &["staircase", "--blocks", "100", "--json"]));
}

#[cfg(feature = "crowd")]
#[test]
fn output_of_recruiting_matches_the_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    program::succeeds(folder, &["new", "study", "--images", "20", "--size", "16"]);
    let spec = folder.join("study/evaluation.yaml");
    let text = fs::read_to_string(&spec).unwrap();
    let web = text.lines().find(|line| line.starts_with("backend:")).unwrap();
    let panel = "backend: { kind: panel, platform: { preset: sona }, page: { public_url: \"https://rate.example.org/\" } }";
    fs::write(&spec, text.replace(web, panel)).unwrap();
    let crowd = |command: &str| program::json(folder, &["crowd", command, "study/evaluation.yaml", "--json"]);
    let document = hype::core::yaml::Document::parse(&fs::read_to_string(&spec).unwrap()).unwrap();
    fits("evaluation.json", &hype::core::yaml::to_json(document.root()));
    fits("crowd-plan.json", &crowd("plan"));
    for command in ["publish", "status", "pay", "top-up", "review", "close"] {
        fits("crowd-status.json", &crowd(command));
    }
    fits("crowd-ledger.json", &crowd("ledger"));
    fits("crowd-audit.json", &crowd("audit"));
}

#[test]
fn a_misspelt_field_does_not_match() {
    let schema = committed("evaluation.json");
    let validator = jsonschema::validator_for(&schema).unwrap();
    let spec = serde_json::json!({
        "stimuli": { "real": { "role": "real", "images": "r/*" } },
        "task": { "kind": "hype_time", "trials_per_blok": 150 }
    });
    let message: Vec<String> = validator.iter_errors(&spec).map(|fault| fault.to_string()).collect();
    assert!(message.iter().any(|fault| fault.contains("trials_per_blok")), "{message:?}");
}
