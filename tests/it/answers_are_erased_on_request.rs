//! `hype forget --answers` while a server runs: nothing of the answers is left, and the counts stay honest.

#![cfg(all(unix, feature = "web", feature = "postgres"))]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;

use serde_json::{Value, json};

use crate::program;
use crate::served::{Browser, Served, untimed_study};
use crate::server;

const SPEC: &str = "study/evaluation.yaml";

/// The answers of a participant are erased while a server runs, whose copy of the session is dropped.
fn erases(variables: &[(&str, &str)], more: &str) {
    let folder = tempfile::tempdir().unwrap();
    untimed_study(folder.path(), 1, ", participant: PROLIFIC_PID", more);
    let spec = folder.path().join(SPEC);
    let text = fs::read_to_string(&spec).unwrap();
    let paid = "payment: { currency: USD, base: 1, per_correct: 0.02 }";
    fs::write(&spec, text.replace("payment: null", paid)).unwrap();
    let server = Served::start(folder.path(), &["serve", SPEC], variables);
    let run =
        |arguments: &[&str], succeeds: bool| program::ends(folder.path(), variables, arguments, succeeds);
    let findings = || serde_json::from_str::<Value>(&run(&["score", SPEC, "--json"], true)).unwrap();
    let mut raters: Vec<Browser> = (0..3)
        .map(|number| Browser::new(json!({ "PROLIFIC_PID": format!("participant{number}") })))
        .collect();
    let mut screens = Vec::new();
    for rater in &mut raters {
        assert_eq!(rater.consent(&server.address)["screen"], "instructions");
        screens.push(rater.begin(&server.address));
    }
    for number in 0..2 {
        while screens[number]["screen"] == "trial" {
            screens[number] = raters[number].judge(&server.address, &screens[number], "real");
        }
    }
    screens[2] = raters[2].judge(&server.address, &screens[2], "real");
    let before = findings();
    assert_eq!(before["collected"]["completed"], 2);
    assert!(before["collected"].get("erased").is_none(), "nothing is said of what did not happen");
    // The random names of pages are in the logs only.
    let pages: Vec<String> = run(&["export", SPEC, "--what", "events", "--format", "jsonl"], true)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|line| line["event"]["noted"]["note"]["attached"]["tab"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(pages.len(), 3);

    let message = run(&["forget", SPEC, "--answers", "participant0"], true);
    assert!(message.contains("session p000000-000: 6 answers erased; place 0 stays done"), "{message}");
    assert!(message.contains("1 participant forgotten; their answers are erased"), "{message}");
    // An unfinished session ends; its page is told so.
    let message = run(&["forget", SPEC, "--answers", "participant2"], true);
    assert!(message.contains("session p000002-000: 1 answer erased; it did not fill place 2"), "{message}");
    let mut refused = raters[2].answer(&server.address, &screens[2], "real");
    if refused.0 == 503 {
        refused = raters[2].answer(&server.address, &screens[2], "real");
    }
    assert_eq!((refused.0, &refused.1["error"]["code"]), (401, &json!("no-session")), "a late answer");
    let message = run(&["forget", SPEC, "--answers", "participant0"], false);
    assert!(message.contains("1 participant of those named did not take part"), "{message}");
    if variables.is_empty() {
        for file in fs::read_dir(folder.path().join("study/evaluation.study")).unwrap() {
            let (path, contains) = (file.unwrap().path(), |bytes: &[u8], text: &str| {
                bytes.windows(text.len()).any(|part| part == text.as_bytes())
            });
            let bytes = fs::read(&path).unwrap();
            for gone in [&pages[0], &pages[2]] {
                assert!(!contains(&bytes, gone), "{} contains {gone}", path.display());
            }
        }
    }
    let after = findings();
    let counts =
        ["sessions", "completed", "left", "running", "erased"].map(|what| after["collected"][what].clone());
    assert_eq!(counts, [3, 1, 0, 0, 2].map(Value::from));
    assert_eq!(after["earnings"]["total"], before["earnings"]["total"], "what was earned is still owed");
    assert!(run(&["score", SPEC, "--verify"], true).contains("2 erased"));
    let exported = run(&["export", SPEC, "--what", "events", "--format", "jsonl"], true);
    assert!(exported.contains("p000001-000") && !exported.contains("p000000-000"), "{exported}");
    run(&["export", SPEC, "--package", "package"], true);
    let sessions = fs::read_to_string(folder.path().join("package/sessions.csv")).unwrap();
    assert_eq!(sessions.lines().count(), 2, "{sessions}");
    let protocol = fs::read_to_string(folder.path().join("package/protocol.md")).unwrap();
    assert!(protocol.contains("| erased | 2 |"), "{protocol}");
    server.has_places([2, 0, 0, 1]);

    // The place is opened again on request, even after the answers were erased.
    let message = run(&["forget", SPEC, "--answers", "--reopen", "--session", "p000000-000"], true);
    assert!(message.contains("place 0 can be claimed again"), "{message}");
    server.has_places([1, 0, 0, 2]);
    let mut again = Browser::new(json!({ "PROLIFIC_PID": "participant0" }));
    assert_eq!(
        again.consent(&server.address)["screen"],
        "instructions",
        "a forgotten participant may return"
    );
    let message = run(&["forget", SPEC, "--answers", "--session", "p000009-000"], false);
    assert!(message.contains("there is no session p000009-000 in this study"), "{message}");
}

#[test]
fn answers_are_erased_while_a_server_uses_the_file() {
    erases(&[], "");
}

#[test]
fn answers_are_erased_while_a_server_uses_postgresql() {
    let server = server::Server::start(&["fsync=off"]);
    let [url, _] = server.urls("erased");
    erases(&[("HYPE_TEST_STORE", &*url)], "store: { env: HYPE_TEST_STORE }");
}
