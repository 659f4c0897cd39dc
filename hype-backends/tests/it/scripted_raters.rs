//! Scripted raters give the answers of their table and leave at its end. Faults of the table are reported.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

use hype_backends::{Local, Scripted};
use hype_core::StoreExt as _;
use hype_core::study::backend::{Collected, Unwatched};
use hype_core::*;
use hype_store::MemoryStore;
use hype_store::block_on;
use tempfile::TempDir;

use crate::small_task::{SmallTask, study};

fn small(folder: &TempDir) -> Study {
    study(SmallTask { trials: 3, qualifying: 0, needed: 0 }, |spec| {
        spec.collection.raters.per_model = 2;
        spec.collection.raters.replacements = 1;
    })
    .in_folder(folder.path())
}

fn collect(table: &str) -> (Result<Collected, BackendError>, MemoryStore) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("answers.csv"), table).unwrap();
    let study = small(&folder);
    let local = Local::default().with_cohort(Box::new(Scripted::new("answers.csv"))).unwrap();
    let store = MemoryStore::new();
    (block_on(local.collect(&study, Arc::new(store.clone()), &Unwatched)), store)
}

/// The answers of the sessions: `name: judgment/rt … ending`.
fn told(store: &MemoryStore) -> String {
    let mut text = String::new();
    for name in block_on(store.sessions(None, 99)).unwrap() {
        write!(text, "{name}:").unwrap();
        for event in block_on(store.load(&name)).unwrap() {
            match event {
                Event::Answered(Answered { answer, timing, .. }) => {
                    write!(text, " {}/{}", answer.text("judgment").unwrap(), timing.rt.0).unwrap();
                }
                Event::Finished(outcome) => writeln!(text, " {:?}", outcome.ending).unwrap(),
                _ => {}
            }
        }
    }
    text
}

#[test]
fn answers_are_taken_by_place_attempt_and_trial() {
    let (result, store) = collect(
        "place,attempt,trial,rt_ms,judgment,remark\n1,0,0,100.25,real,x\n1,0,1,1,fake,\n0,0,2,3,real,\n\
         0,0,0,1,real,\n0,0,1,2,fake,\n1,1,0,7,fake,\n1,1,1,8,fake,\n1,1,2,9,fake,\n",
    );
    assert_eq!(result.unwrap(), Collected::new(2, 0, 0));
    assert_eq!(
        told(&store),
        "p000000-000: real/1000 fake/2000 real/3000 Completed\np000001-000: real/100250 fake/1000 Left\n\
         p000001-001: fake/7000 fake/8000 fake/9000 Completed\n"
    );
}

#[test]
fn answers_are_taken_by_rater() {
    let (result, store) = collect(
        "rater,trial,judgment\nr000000-000,0,real\nr000000-000,1,real\nr000000-000,2,real\nr000001-000,0,fake\n",
    );
    assert_eq!(result.unwrap(), Collected::new(1, 1, 0));
    assert_eq!(
        told(&store),
        "p000000-000: real/1000000 real/1000000 real/1000000 Completed\np000001-000: fake/1000000 Left\n\
         p000001-001: Left\n"
    );
}

#[test]
fn faults_of_the_table_are_reported() {
    let refusal = |table| collect(table).0.unwrap_err().to_string();
    let missing = refusal("place,trial,judgment\n1,0,real\n");
    assert_eq!(missing, "no rater for place 0: answers.csv has no answers of rater r000000-000");
    let cell = refusal("place,trial,judgment\n0,0,real\n0,first,real\n");
    assert!(cell.contains("answers.csv: row 3: `trial` must be a whole number"), "{cell}");
    let answer = refusal("place,trial,judgment\n0,0,real\n0,1,realistic\n");
    assert!(answer.contains("session p000000-000, trial 1") && answer.contains("realistic"), "{answer}");
    let absent = refusal("place,trial,judgment\n0,0,\n");
    assert!(absent.contains("missing field `judgment`"), "{absent}");

    let folder = tempfile::tempdir().unwrap();
    let local = Local::default().with_cohort(Box::new(Scripted::new("nowhere.csv"))).unwrap();
    let nowhere = block_on(local.collect(&small(&folder), Arc::new(MemoryStore::new()), &Unwatched))
        .unwrap_err()
        .to_string();
    assert!(nowhere.starts_with("no rater for place 0: ") && nowhere.contains("nowhere.csv"), "{nowhere}");
}

#[test]
fn a_table_without_a_name_is_a_fault_of_the_spec() {
    let spec = |answers: &str| {
        let mut at = Diagnostics::new();
        let folder = tempfile::tempdir().unwrap();
        let study = small(&folder);
        let surroundings = plugin::surroundings::Surroundings { stimuli: study.stimuli(), outside: None };
        Local::with_raters(Box::new(Scripted::new(answers)), None).check(&surroundings, &mut at);
        at
    };
    assert!(spec("answers.csv").is_empty());
    assert_eq!(spec(" ").iter().next().unwrap().path, "cohort.answers");
}
