//! `hype new` writes specs that are checked and simulated at once, for every task and for images that are there.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{fails, json, succeeds};

fn task_of(folder: &Path, spec: &str) -> String {
    let findings: Value = json(folder, &["simulate", spec, "--json"]);
    findings["study"]["task"].as_str().unwrap().to_owned()
}

#[test]
fn every_task_begins_with_a_study_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    for (task, kind) in [
        ("hype-infinity", "hype_infinity"),
        ("contrast", "contrast"),
        ("rating", "rating"),
        ("ranking", "ranking"),
        ("best_of", "best_of"),
    ] {
        succeeds(folder.path(), &["new", task, "--task", task, "--images", "36", "--size", "16"]);
        let spec = format!("{task}/evaluation.yaml");
        // A qualification of few images is easy to pass by guessing, which is a warning.
        let check =
            if kind == "hype_infinity" { vec!["check", &spec] } else { vec!["check", &spec, "--strict"] };
        let checked = succeeds(folder.path(), &check);
        assert!(checked.contains("sessions"), "{task}: {checked}");
        let findings: Value = json(folder.path(), &["simulate", &spec, "--json"]);
        assert_eq!(findings["study"]["task"], kind);
        let best = findings["measures"][0]["estimates"][0]["model"].as_str().unwrap();
        assert_eq!(best, "good", "{task}");
    }
}

/// Draws images and puts some of their folders, under other names, into one of their own.
fn images(folder: &Path, name: &str, sets: &[(&str, &str)]) {
    if !folder.join("drawn").exists() {
        succeeds(folder, &["new", "drawn", "--task", "rating", "--images", "14", "--size", "16"]);
    }
    for (from, to) in sets {
        let to = folder.join(name).join(to);
        fs::create_dir_all(&to).unwrap();
        for file in fs::read_dir(folder.join("drawn/images").join(from)).unwrap() {
            let file = file.unwrap().path();
            fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
        }
    }
}

#[test]
fn a_folder_of_images_gets_the_spec_that_fits() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    images(folder, "models", &[("good", "gan 2"), ("weak", "base")]);
    succeeds(folder, &["new", "--from", "models"]);
    let text = fs::read_to_string(folder.join("models/evaluation.yaml")).unwrap();
    assert!(text.contains("\"gan 2\": { role: generated, images: \"gan 2/*.png\" }"), "{text}");
    assert!(text.contains("items: { match: name }"), "{text}");
    assert_eq!(task_of(folder, "models/evaluation.yaml"), "contrast");
    succeeds(folder, &["check", "models/evaluation.yaml", "--strict"]);

    images(folder, "one", &[("good", "gan"), ("real", "Photos")]);
    succeeds(folder, &["new", "--from", "one"]);
    let text = fs::read_to_string(folder.join("one/evaluation.yaml")).unwrap();
    assert!(text.contains("\"Photos\": { role: real,"), "{text}");
    assert_eq!(task_of(folder, "one/evaluation.yaml"), "hype_infinity");

    images(folder, "table", &[("good", "gan"), ("weak", "base"), ("real", "source")]);
    let rows: String = (1..=14).map(|at| format!("{at:04},a prompt,source/{at:04}.png\n")).collect();
    fs::write(folder.join("table/items.csv"), format!("item,prompt,source\n{rows}")).unwrap();
    succeeds(folder, &["new", "--from", "table", "--task", "ranking"]);
    let text = fs::read_to_string(folder.join("table/evaluation.yaml")).unwrap();
    assert!(text.contains("items: { table: items.csv }") && !text.contains("\"source\": {"), "{text}");
    assert_eq!(task_of(folder, "table/evaluation.yaml"), "ranking");
}

#[test]
fn folders_without_a_fitting_spec_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    images(folder, "real only", &[("real", "real")]);
    let told = fails(folder, &["new", "--from", "real only"]);
    assert!(told.contains("no folder of generated images"), "{told}");
    images(folder, "models", &[("good", "gan")]);
    let told = fails(folder, &["new", "--from", "models", "--task", "hype-time"]);
    assert!(told.contains("needs a folder `real`"), "{told}");
    succeeds(folder, &["new", "--from", "models"]);
    assert_eq!(task_of(folder, "models/evaluation.yaml"), "rating");
    let told = fails(folder, &["new", "--from", "models"]);
    assert!(told.contains("exists"), "{told}");
    images(folder, "odd", &[("good", "a*b")]);
    let told = fails(folder, &["new", "--from", "odd"]);
    assert!(told.contains("rename the folder"), "{told}");
}
