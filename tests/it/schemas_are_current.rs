//! The committed schemas are those of this program, and its input and output match them.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;

use std::fs;
use std::path::Path;

use serde_json::Value;

const SCHEMAS: [(&str, &str); 5] = [
    ("spec", "evaluation.json"),
    ("findings", "findings.json"),
    ("staircase", "staircase.json"),
    ("plan", "plan.json"),
    ("diagnostics", "diagnostics.json"),
];

fn committed(file: &str) -> Value {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("schemas").join(file);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn fits(schema: &str, value: &Value) {
    let schema = committed(schema);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> =
        validator.iter_errors(value).map(|fault| format!("{fault} at {}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn committed_schemas_are_not_stale() {
    for (of, file) in SCHEMAS {
        let current = program::json(Path::new("."), &["schema", of]);
        assert!(current == committed(file), "schemas/{file} is stale: run `cargo xtask schemas`");
    }
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
