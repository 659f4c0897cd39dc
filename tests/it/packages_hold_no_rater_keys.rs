//! A package of a study describes it completely and contains nothing that identifies a rater.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    unreachable_pub,
    missing_docs,
    reason = "a test"
)]

use crate::program;
use crate::studies;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hype::core::model::findings::{Column, Note, Table};
use hype::core::plugin::store::all_sessions;
use hype::core::{Event, Findings, Store as _, StoreExt as _, Study, analyse};
use hype::exchange::package::package;
use hype::sim::Population;
use hype::store::MemoryStore;
use hype::tasks::HypeTime;
use serde_json::{Value, json};

const FILES: [&str; 17] = [
    "README.md",
    "scores.csv",
    "trials.csv",
    "answers.csv",
    "sessions.csv",
    "stimuli.csv",
    "findings.csv",
    "codebook.json",
    "codebook.md",
    "protocol.json",
    "protocol.md",
    "findings.json",
    "datapackage.json",
    "CITATION.cff",
    "croissant.json",
    "every-eval-ever/",
    ".eval_results/",
];

/// A study whose raters have worker ids: most in a platform's format, one a number, one a short word.
fn collected(models: &[&str]) -> (Study, MemoryStore, Vec<String>) {
    let mut task = HypeTime::default();
    (task.blocks, task.trials_per_block) = (1.into(), 12.into());
    let population = Population { dropout: 0.01, ..Population::default() };
    let study = studies::study(Box::new(task), 12, 5, models, population);
    let first = studies::collect(&study, 1);
    let store = MemoryStore::new();
    hype::block_on(store.bind(study.digest())).unwrap();
    let mut keys = Vec::new();
    for (number, session) in hype::block_on(all_sessions(&first)).unwrap().iter().enumerate() {
        let key = match number {
            0 => "4711".to_owned(),
            1 => "a".to_owned(),
            _ => format!("A{:X}WORKER", 0xbeef + 7919 * number),
        };
        let mut events = hype::block_on(first.load(session)).unwrap();
        if let Event::Opened(header) = &mut events[0] {
            header.rater = key.as_str().into();
        }
        hype::block_on(store.append_events(&format!("session of {key}"), 0, &events)).unwrap();
        keys.push(key);
    }
    (study, store, keys)
}

fn findings(study: &Study, store: &MemoryStore) -> Findings {
    hype::block_on(analyse(study, store)).unwrap()
}

fn contains(bytes: &[u8], key: &str) -> bool {
    bytes.windows(key.len()).any(|window| window == key.as_bytes())
}

/// A file, or the files of a folder of a package.
fn texts_of(package: &Path, name: &str) -> Vec<String> {
    match name.strip_suffix('/') {
        None => vec![name.to_owned()],
        Some(folder) => fs::read_dir(package.join(folder))
            .unwrap()
            .map(|entry| format!("{folder}/{}", entry.unwrap().file_name().into_string().unwrap()))
            .collect(),
    }
}

fn column(table: &Path, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(table).unwrap();
    let place = reader.headers().unwrap().iter().position(|header| header == name).unwrap();
    reader.records().map(|record| record.unwrap()[place].to_owned()).collect()
}

#[test]
fn every_byte_is_free_of_keys() {
    let (study, store, keys) = collected(&["gan", "vae"]);
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("package");
    let mut found = findings(&study, &store);
    assert!(!found.exclusions.is_empty(), "at least one rater left");
    // Aggregators may name raters in notes and tables.
    found.notes.push(Note::setting(
        "odd",
        format!("rater {} and rater {} are odd, as is {}", keys[0], keys[1], keys[5]),
    ));
    let rows = keys.iter().map(|key| vec![json!(key), json!(0.5)]).collect();
    let columns = vec![Column::new("rater", "rater", ""), Column::new("bias", "bias", "")];
    found.measures[0].tables.push(Table { name: "bias".into(), label: "bias".into(), columns, rows });
    let packaged = package(&study, &store, found, false, &target).unwrap();
    assert_eq!(packaged.files, FILES);
    assert_eq!((packaged.raters, packaged.sessions), (keys.len(), keys.len()));
    let inside: BTreeSet<String> = fs::read_dir(&target)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(inside, FILES.iter().map(|&file| file.trim_end_matches('/').to_owned()).collect());
    for file in FILES.iter().flat_map(|file| texts_of(&target, file)) {
        let bytes = fs::read(target.join(&file)).unwrap();
        for key in &keys[2..] {
            assert!(!contains(&bytes, key), "{file} holds {key}");
        }
        assert!(!contains(&bytes, "session of"), "{file} contains the name of a session");
        assert!(!contains(&bytes, env!("CARGO_MANIFEST_DIR")), "{file} contains a path of this machine");
    }
    for file in ["scores.csv", "trials.csv", "answers.csv", "sessions.csv"] {
        let raters = column(&target.join(file), "rater");
        assert!(raters.iter().all(|rater| rater.starts_with("rater-0")), "{file}");
        assert!(raters.is_sorted(), "{file} is in the order of the new names");
    }
    let named: BTreeSet<String> = column(&target.join("sessions.csv"), "rater").into_iter().collect();
    assert_eq!(named, (1..=keys.len()).map(|number| format!("rater-{number:03}")).collect());
    let findings: Value = serde_json::from_slice(&fs::read(target.join("findings.json")).unwrap()).unwrap();
    let note = findings["notes"].as_array().unwrap().last().unwrap()["text"].as_str().unwrap();
    assert_eq!(note.matches("rater-0").count(), 3, "{note}");
    let biased =
        findings["measures"][0]["tables"].as_array().unwrap().last().unwrap()["rows"].as_array().unwrap();
    assert!(biased.iter().all(|row| row[0].as_str().unwrap().starts_with("rater-0")));
    assert!(
        findings["exclusions"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| { one["rater"].as_str().unwrap().starts_with("rater-0") })
    );
}

#[test]
fn a_package_describes_the_study_completely() {
    let (study, store, keys) = collected(&["gan", "vae"]);
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("package");
    let found = findings(&study, &store);
    package(&study, &store, found.clone(), false, &target).unwrap();
    let read =
        |file: &str| -> Value { serde_json::from_slice(&fs::read(target.join(file)).unwrap()).unwrap() };
    let codebook = read("codebook.json");
    for file in codebook["files"].as_array().unwrap() {
        let mut table = csv::Reader::from_path(target.join(file["name"].as_str().unwrap())).unwrap();
        let header: Vec<String> = table.headers().unwrap().iter().map(str::to_owned).collect();
        let described: Vec<&str> = file["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|column| column["name"].as_str().unwrap())
            .collect();
        assert_eq!(header, described);
        assert!(!described.contains(&"session_place"));
        assert_eq!(table.records().count() as u64, file["rows"].as_u64().unwrap());
    }
    let question = &codebook["questions"][0];
    let given: u64 =
        question["given"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(given, codebook["files"][2]["rows"].as_u64().unwrap());
    let protocol = read("protocol.json");
    assert_eq!(protocol["study"]["seed"], 5);
    assert_eq!(protocol["study"]["study"], study.digest().to_string());
    assert_eq!(protocol["task"]["trials_per_block"], 12);
    assert_eq!(protocol["sets"][1]["images"], 240);
    let excluded: u64 =
        protocol["exclusions"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    let left_out =
        column(&target.join("sessions.csv"), "counts").iter().filter(|counts| *counts == "false").count();
    assert_eq!((excluded, left_out), (found.exclusions.len() as u64, found.exclusions.len()));
    // The scores reproduce the findings' estimates.
    let again = program::json(&target, &["aggregate", "scores.csv", "--measure", "measure", "--json"]);
    for measure in &found.measures {
        let same = |one: &&Value| one["measure"]["name"] == *measure.measure.name;
        let again = again["measures"].as_array().unwrap().iter().find(same).unwrap();
        for estimate in &measure.estimates {
            let same =
                again["estimates"].as_array().unwrap().iter().find(|one| one["model"] == *estimate.model);
            let value = same.unwrap()["value"].as_f64().unwrap();
            assert!((value - estimate.value).abs() <= 1e-9 * estimate.value.abs(), "{estimate:?}");
        }
    }
    let readme = fs::read_to_string(target.join("README.md")).unwrap();
    assert!(FILES[1..].iter().all(|file| readme.contains(file)) && !readme.contains("synthetic"), "{readme}");
    assert!(readme.contains(&format!("{} raters", keys.len())), "{readme}");
}

#[test]
fn every_package_draws_a_new_order() {
    let (study, store, _) = collected(&["gan", "vae"]);
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["one", "two"].map(|name| {
        let target = folder.path().join(name);
        package(&study, &store, findings(&study, &store), false, &target).unwrap();
        fs::read_to_string(target.join("trials.csv")).unwrap()
    });
    // Two orders of 24 raters coincide once in 6·10²³.
    assert_ne!(first, second);
    assert_eq!(first.len(), second.len());
}

#[test]
fn nothing_is_overwritten_or_partly_written() {
    let (study, store, keys) = collected(&["gan", "vae"]);
    let folder = tempfile::tempdir().unwrap();
    let taken = folder.path().join("taken");
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("mine"), "").unwrap();
    let error = package(&study, &store, findings(&study, &store), false, &taken).unwrap_err();
    assert!(error.to_string().contains("exists and is not empty"), "{error}");
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    package(&study, &store, findings(&study, &store), false, &empty).unwrap();
    // A model with the name of a rater cannot be distinguished from that rater.
    let (study, store, _) = collected(&["gan", &keys[3]]);
    let target = folder.path().join("leak");
    let error = package(&study, &store, findings(&study, &store), false, &target).unwrap_err();
    assert!(error.to_string().contains("would contain the key of a rater"), "{error}");
    let left: BTreeSet<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["empty", "taken"].map(Into::into).into());
}

#[test]
fn the_program_packages_a_simulated_study_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    program::succeeds(folder, &["new", "study", "--images", "24", "--size", "16"]);
    program::succeeds(folder, &["run", "study/evaluation.yaml", "--simulate", "3", "--progress", "none"]);
    let message = program::says(folder, &["export", "study/evaluation.yaml", "--package", "out"]);
    assert!(message.contains("without their keys"), "{message}");
    assert!(fs::read_to_string(folder.join("out/README.md")).unwrap().contains("The raters are synthetic"));
    for file in FILES.iter().flat_map(|file| texts_of(&folder.join("out"), file)) {
        let text = fs::read_to_string(folder.join("out").join(&file)).unwrap();
        assert!(!text.contains("r00000") && !text.contains(folder.to_str().unwrap()), "{file}");
    }
    let again = program::fails(folder, &["export", "study/evaluation.yaml", "--package", "out"]);
    assert!(again.contains("out exists and is not empty"), "{again}");
}
