//! Raters' texts are stored and exported as they wrote them, and a package contains no ids from them.

#![cfg(feature = "web")]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;
use std::fs;

use hype::StudyFolder;
use hype::core::analyse;
use hype::exchange::package;
use serde_json::{Value, json};

use crate::program::succeeds;
use crate::served::{Browser, Served, untimed_study};

const SPEC: &str = "study/evaluation.yaml";

/// Ids as a panel gives them.
const IDS: [&str; 3] = ["5f1a2b3c4d5e6f7a8b9c0d1e", "60aa11bb22cc33dd44ee55ff", "61ffeeddccbbaa9988776655"];

#[test]
fn ids_of_the_panel_are_taken_out_of_packages_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    untimed_study(folder.path(), 1, ", participant: PROLIFIC_PID", "after: [comments]\ncorrections: true");
    let server = Served::start(folder.path(), &["serve", SPEC], &[]);
    let said = [
        format!("My id is {}, <b>thanks</b>", IDS[0]),
        format!("\"{}\" was here before me, 好", IDS[0]),
        "nothing, really".to_owned(),
    ];
    for (id, words) in IDS.iter().zip(&said) {
        let mut rater = Browser::new(json!({ "PROLIFIC_PID": id }));
        rater.consent(&server.address);
        let mut screen = rater.begin(&server.address);
        while screen["trial"]["phase"] == "main" {
            screen = rater.judge(&server.address, &screen, "real");
        }
        assert_eq!(screen["trial"]["phase"], "after", "{screen}");
        let report = json!({
            "trial": screen["trial"]["number"], "showing": 0, "answer": { "comments": words }, "rt_us": 90_000,
        });
        let (status, receipt) = rater.post(&server.address, "/api/answer", report);
        assert_eq!((status, &receipt["next"]["ending"]), (200, &json!("completed")), "{receipt}");
    }
    let answers = succeeds(folder.path(), &["export", SPEC, "--what", "answers", "--format", "jsonl"]);
    let written: Vec<Value> = answers
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|row| row["question"] == "comments")
        .map(|row| row["answer"].clone())
        .collect();
    assert_eq!(written, said.each_ref().map(|words| json!(words)));

    succeeds(folder.path(), &["export", SPEC, "--package", "package"]);
    let package = folder.path().join("package");
    let mut open = vec![package.clone()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for id in IDS {
            assert!(!text.contains(id), "{} has {id}", path.display());
        }
    }
    let released = fs::read_to_string(package.join("answers.csv")).unwrap();
    for words in ["My id is [id taken out], <b>thanks</b>", "was here before me, 好", "nothing, really"] {
        assert!(released.contains(words), "no {words:?} in\n{released}");
    }
    let codebook = fs::read_to_string(package.join("codebook.json")).unwrap();
    assert!(codebook.contains("comments") && !codebook.contains("nothing, really"), "words are not counted");
    assert!(package.join("corrections.csv").exists());
    drop(server);
    // Who calls it learns who is who: boards connect the raters of several waves by it.
    let opened = StudyFolder::read(&folder.path().join("study/evaluation.study")).unwrap();
    let found = hype::block_on(analyse(opened.study(), opened.store())).unwrap();
    let again = folder.path().join("again");
    let packaged = package::package(opened.study(), opened.store(), found, false, &again).unwrap();
    assert_eq!(packaged.people.values().collect::<BTreeSet<_>>(), IDS.map(str::to_owned).iter().collect());
    assert_eq!(packaged.people.keys().collect::<Vec<_>>(), ["rater-001", "rater-002", "rater-003"]);
}
