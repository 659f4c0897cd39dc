//! Studies that earlier versions stored are scored to the same findings, and can be resumed.
//!
//! `tests/stored/README.md` describes the samples and how to add those of a version.

#![cfg(all(unix, feature = "web", feature = "postgres"))]
#![allow(clippy::unwrap_used, dead_code, unreachable_pub, missing_docs, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};

use hype::core::Digest;
use serde_json::{Map, Value, json};

use crate::served::{Browser, Served};
use crate::stored::{Copied, Returning, Sample};

#[test]
fn every_version_has_samples_of_every_kind() {
    let samples = Sample::all();
    let some = |what: &str, is: fn(&Sample) -> bool| {
        assert!(samples.iter().any(is), "no sample is {what}");
    };
    some("simulated and complete", |sample| {
        sample.about.study.ends_with(".simulated") && !is_interrupted(sample)
    });
    some("simulated and interrupted", |sample| {
        sample.about.study.ends_with(".simulated") && is_interrupted(sample)
    });
    some("scripted and interrupted", |sample| {
        sample.about.study.ends_with(".study") && is_interrupted(sample)
    });
    some("of people, in SQLite", |sample| has_people(sample) && sample.about.database.is_none());
    some("of people, in PostgreSQL", |sample| has_people(sample) && sample.about.database.is_some());
}

#[test]
fn they_score_to_the_findings_of_their_time() {
    for sample in Sample::all() {
        let copied = sample.copy();
        let expected = sample.findings("expected-findings.json").unwrap();
        let found = copied.findings(&["score", &copied.study]);
        assert_eq!(found, expected);
        assert_eq!(copied.findings(&["score", &copied.study, "--verify"]), found, "replayed");
    }
}

#[test]
fn they_are_exported_as_the_tables_of_their_time() {
    for sample in Sample::all() {
        let copied = sample.copy();
        for (what, digest) in &sample.about.exports {
            let exported = copied.export(what);
            assert_eq!(Digest::of(exported.as_bytes()).to_string(), *digest, "{what}:\n{exported}");
        }
    }
}

#[test]
fn complete_collections_do_not_change() {
    for sample in Sample::all().iter().filter(|sample| !has_people(sample) && !is_interrupted(sample)) {
        let copied = sample.copy();
        let before = Content::of(&copied);
        let expected = sample.findings("expected-findings.json").unwrap();
        assert_eq!(resumed(sample, &copied), expected);
        assert_eq!(copied.logs(), before.logs);
    }
}

#[test]
fn interrupted_collections_end_with_the_findings_of_whole_ones() {
    for sample in Sample::all().iter().filter(|sample| is_interrupted(sample)) {
        let copied = sample.copy();
        let before = Content::of(&copied);
        let expected = sample.findings(RESUMED).unwrap();
        assert_eq!(resumed(sample, &copied), expected);
        before.is_still_in(&copied);
        assert!(copied.logs().len() > before.logs.len(), "nothing was collected");
    }
}

#[test]
fn people_resume_in_a_file() {
    for sample in Sample::all().iter().filter(|sample| has_people(sample) && sample.about.database.is_none())
    {
        people_resume(sample);
    }
}

#[test]
fn people_resume_in_a_database() {
    for sample in Sample::all().iter().filter(|sample| has_people(sample) && sample.about.database.is_some())
    {
        people_resume(sample);
    }
}

/// The findings of an interrupted collection after it was resumed.
const RESUMED: &str = "expected-findings-resumed.json";

fn is_interrupted(sample: &Sample) -> bool {
    sample.findings(RESUMED).is_some()
}

fn has_people(sample: &Sample) -> bool {
    !sample.about.waiting.is_empty()
}

/// The findings of a collection without people after it was resumed to its end.
fn resumed(sample: &Sample, copied: &Copied) -> Value {
    let command: Vec<&str> = sample.about.resume.iter().map(String::as_str).collect();
    copied.findings(&[&command[..], &["--progress", "none"]].concat())
}

/// Raters resume their sessions, others take the open places, and the study ends with every place completed.
fn people_resume(sample: &Sample) {
    let copied = sample.copy();
    let before = Content::of(&copied);
    let stood = copied.findings(&["score", &copied.study])["collected"].take();
    let count = |of: &Value, what: &str| of[what].as_u64().unwrap();
    let command: Vec<&str> = sample.about.resume.iter().map(String::as_str).collect();
    let variables: Vec<(&str, &str)> =
        copied.variables.iter().map(|(name, value)| (&**name, &**value)).collect();
    let server = Served::start(copied.folder.path(), &command, &variables);

    for rater in &sample.about.lapsed {
        come_back(rater, &server);
    }
    let (last, others) = sample.about.waiting.split_last().unwrap();
    for rater in others {
        let (mut browser, screen) = come_back(rater, &server);
        take_part(&mut browser, &server, screen);
    }
    // A completed session whose rater is excluded leaves its place open.
    let done = |of: &Value| count(of, "completed") - count(of, "excluded");
    let mut places = count(&stood, "places") - done(&stood) - sample.about.waiting.len() as u64;
    assert!(places > 0 && (places as usize) < sample.about.newcomers.len(), "{places} places are left");
    for arrival in &sample.about.newcomers {
        let mut browser = Browser::new(arrival.clone());
        let screen = browser.consent(&server.address);
        if places == 0 {
            assert_eq!((&screen["screen"], &screen["reason"]), (&json!("closed"), &json!("full")));
        } else {
            assert_eq!(screen["screen"], "instructions");
            take_part(&mut browser, &server, screen);
            places -= 1;
        }
    }
    // The last place has always belonged to this rater.
    let (mut browser, screen) = come_back(last, &server);
    take_part(&mut browser, &server, screen);
    // `run` ends once every place is completed, `serve` when asked to stop.
    let ended = if command[0] == "serve" { server.terminate() } else { server.wait() };
    assert!(ended.success(), "an orderly end");

    before.is_still_in(&copied);
    let stands = copied.findings(&["score", &copied.study, "--verify"])["collected"].take();
    assert_eq!((done(&stands), count(&stands, "running")), (count(&stood, "places"), 0), "{stands}");
    for what in ["places", "excluded", "disqualified"] {
        assert_eq!(stands[what], stood[what], "{what}");
    }
    // The sessions that have expired have ended by now, since other raters took their places.
    assert_eq!(count(&stands, "left"), count(&stood, "left") + sample.about.lapsed.len() as u64);
}

/// A rater returns with the cookie, and finds the screen that the sample states. A panel's participant finds the same
/// without the cookie.
fn come_back(rater: &Returning, server: &Served) -> (Browser, Value) {
    let found = |cookie: Option<String>| {
        let mut browser = Browser::new(rater.arrival.clone());
        browser.cookie = cookie;
        let screen = browser.open(&server.address);
        assert_eq!(screen["screen"], *rater.screen, "{screen}");
        for (field, expected) in [("number", rater.number), ("showing", rater.showing)] {
            assert_eq!(screen["trial"][field], json!(expected), "{field}");
        }
        (browser, screen)
    };
    if rater.arrival != json!({}) {
        found(None);
    }
    found(Some(rater.cookie.clone()))
}

/// Answers every trial, beginning with a screen.
fn take_part(browser: &mut Browser, server: &Served, mut screen: Value) {
    if screen["screen"] == "instructions" {
        screen = browser.begin(&server.address);
    }
    while screen["screen"] == "trial" {
        let trial = &screen["trial"];
        let body = json!({
            "trial": trial["number"], "showing": trial["showing"], "answer": answer(trial), "rt_us": 650_000,
            "display": display(trial),
        });
        let (status, mut receipt) = browser.post(&server.address, "/api/answer", body);
        assert_eq!((status, &receipt["saved"]), (200, &json!(true)), "{receipt}");
        screen = receipt["next"].take();
    }
    assert_eq!((&screen["screen"], &screen["ending"]), (&json!("end"), &json!("completed")));
}

/// The first option of every question. It is right for half of the real and generated images: no rater is
/// excluded.
fn answer(trial: &Value) -> Value {
    let questions = trial["questions"].as_array().unwrap().iter();
    let answers: Map<String, Value> = questions
        .map(|question| {
            let first = &question["form"]["choice"]["options"][0]["value"];
            assert!(first.is_string(), "this test answers choices only: {question}");
            (question["id"].as_str().unwrap().to_owned(), first.clone())
        })
        .collect();
    answers.into()
}

/// A display report for a trial's limited parts at 60 Hz.
fn display(trial: &Value) -> Option<Value> {
    const FRAME_US: u64 = 16_667;
    let mut shown = Vec::new();
    let mut onset = 0;
    for (number, part) in trial["parts"].as_array().unwrap().iter().enumerate() {
        let images = part["images"].as_array().map_or(1, Vec::len);
        let duration = if part["part"] == "masks" { &part["each_ms"] } else { &part["exposure_ms"] };
        let Some(requested) = duration.as_u64() else { continue };
        let frames = ((requested * 1_000 + FRAME_US / 2) / FRAME_US).max(1);
        for image in 0..images {
            shown.push(json!({
                "part": number, "image": image, "requested_ms": requested, "planned_frames": frames,
                "frames": frames, "onset_us": onset, "shown_us": frames * FRAME_US,
            }));
            // The images of a gallery are shown together.
            onset += if part["part"] == "gallery" { 0 } else { frames * FRAME_US };
        }
    }
    let display = json!({
        "frame_us": FRAME_US, "grain_us": 5, "skipped": 0, "worst_late_us": 200, "suspect": false, "parts": shown,
    });
    (!shown.is_empty()).then_some(display)
}

/// The content of a study at some moment.
struct Content {
    logs: BTreeMap<String, Vec<Value>>,
    tables: Vec<(&'static str, BTreeSet<String>)>,
}

impl Content {
    fn of(copied: &Copied) -> Self {
        let rows = |what| {
            let exported = copied.export(what);
            // The last column of trials, the ending of the session, is empty until the session ends.
            let compared = |row: &str| match what {
                "trials" => row.rsplit_once(',').unwrap().0.to_owned(),
                _ => row.to_owned(),
            };
            exported.lines().map(compared).collect()
        };
        let tables = ["scores", "trials", "answers", "participants"];
        Self { logs: copied.logs(), tables: tables.map(|what| (what, rows(what))).into() }
    }

    /// Asserts that a study still has this content: logs have only grown at their ends, and no row has changed.
    fn is_still_in(&self, copied: &Copied) {
        let after = Self::of(copied);
        for (session, log) in &self.logs {
            assert!(after.logs[session].starts_with(log), "the log of {session} has changed");
        }
        for ((what, rows), (_, now)) in self.tables.iter().zip(&after.tables) {
            assert_eq!(rows.difference(now).collect::<Vec<_>>(), Vec::<&String>::new(), "{what}");
        }
    }
}
