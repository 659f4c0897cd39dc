//! `hype serve` as an operator uses it: several servers with one database, links, participants, an orderly shutdown.

#![cfg(all(unix, feature = "web", feature = "postgres"))]
#![allow(clippy::unwrap_used, dead_code, unreachable_pub, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::{fails, succeeds};
use crate::served::{Browser, Served, request};

use crate::server;

/// A study of untimed judgments with a number of raters for each of three models, and additional sections.
fn study(folder: &Path, raters: u32, backend: &str, more: &str) {
    succeeds(folder, &["new", "study", "--task", "hype-infinity", "--images", "24", "--size", "32"]);
    let spec = folder.join("study/evaluation.yaml");
    let text = fs::read_to_string(&spec).unwrap();
    let stimuli = text.split("\ntask:").next().unwrap();
    let text = format!(
        "{stimuli}\ntask: {{ kind: hype_infinity, generated: 3, real: 3 }}\nraters: {{ per_model: {raters}, qualification: \
         null, payment: null }}\nbackend: {{ kind: web, listen: \"127.0.0.1:0\"{backend} }}\n{more}\n"
    );
    fs::write(&spec, text).unwrap();
}

const SPEC: &str = "study/evaluation.yaml";

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn any_server_continues_any_session_and_one_may_be_killed() {
    let server = server::Server::start(&["fsync=off"]);
    let [url, _] = server.urls("served");
    let variables = [("HYPE_TEST_STORE", &*url)];
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), 1, ", contact: lab@example.org", "store: { env: HYPE_TEST_STORE }");
    let first = Served::start(folder.path(), &["serve", SPEC], &variables);
    let second = Served::start(folder.path(), &["serve", SPEC], &variables);
    assert_ne!(first.address, second.address);
    assert_eq!(first.token, second.token, "all servers share one secret");

    let mut raters: Vec<Browser> = (0..3).map(|_| Browser::new(json!({}))).collect();
    let mut screens: Vec<Value> = Vec::new();
    for rater in &mut raters {
        assert_eq!(rater.consent(&first.address)["screen"], "instructions");
        screens.push(rater.begin(&second.address));
    }
    let mut late = Browser::new(json!({}));
    assert_eq!(late.consent(&second.address)["screen"], "closed", "three places, and no more");
    let others = [first.address.clone(), second.address.clone()];
    for trial in 0..3 {
        for (number, rater) in raters.iter_mut().enumerate() {
            let next = rater.judge(&others[(trial + number) % 2], &screens[number], "real");
            screens[number] = next;
        }
    }
    first.kill();
    for (number, rater) in raters.iter_mut().enumerate() {
        while screens[number]["screen"] == "trial" {
            screens[number] = rater.judge(&second.address, &screens[number], "generated");
        }
        assert_eq!(screens[number]["screen"], "end");
    }
    let token = format!("Bearer {}", second.token);
    // The operator sees the places as they were a moment ago.
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let headers = [("Authorization", &*token)];
        let status = request(&second.address, "GET", "/operator/status", &headers, "").json();
        if (&status["done"], &status["held"]) == (&json!(3), &json!(0)) {
            break;
        }
        assert!(Instant::now() < until, "{status}");
        thread::sleep(Duration::from_millis(100));
    }
    assert!(second.terminate().success(), "an orderly shutdown");

    // Scores are read from the database, which requires its address.
    let score = |variable: &str| {
        std::process::Command::new(env!("CARGO_BIN_EXE_hype"))
            .current_dir(folder.path())
            .args(["score", SPEC, "--verify", "--json"])
            .env("HYPE_TEST_STORE", variable)
            .output()
            .unwrap()
    };
    let found: Value = serde_json::from_slice(&score(&url).stdout).unwrap();
    assert_eq!((&found["collected"]["completed"], &found["collected"]["responses"]), (&json!(3), &json!(18)));
    let refused = score("");
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && message.contains("HYPE_TEST_STORE, which the spec names"),
        "{message}"
    );

    // The folder belongs to that database.
    let spec = folder.path().join(SPEC);
    let text = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, text.replace("store: { env: HYPE_TEST_STORE }", "")).unwrap();
    let message = fails(folder.path(), &["serve", SPEC]);
    assert!(
        message.contains("are stored in a database, but the spec's `store` now says in the folder"),
        "{message}"
    );
    // Synthetic raters never use it.
    fs::write(&spec, text).unwrap();
    succeeds(folder.path(), &["run", SPEC, "--simulate", "1", "--progress", "none"]);
    assert!(folder.path().join("study/evaluation.simulated/study.db").exists());
}

#[test]
fn a_link_is_for_one_rater() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), 2, ", access: links, public_url: \"https://rate.example.org/faces/\"", "");
    let printed = succeeds(folder.path(), &["links", SPEC, "--count", "3"]);
    let links = lines(&printed);
    assert_eq!(links.len(), 3);
    let again = succeeds(folder.path(), &["links", SPEC, "--count", "2", "--from", "2"]);
    assert_eq!(lines(&again), &links[1..], "a number is always the same link");
    let token = |link: &str| {
        let token = link.strip_prefix("https://rate.example.org/faces/?link=").unwrap();
        json!({ "link": token })
    };
    // Links name the public address of the page; this test asks the server itself.
    let spec = folder.path().join(SPEC);
    let text = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, text.replace(", public_url: \"https://rate.example.org/faces/\"", "")).unwrap();
    let message = fails(folder.path(), &["links", SPEC, "--count", "1"]);
    assert!(message.contains("set a port in `listen`, or a `public_url`"), "{message}");
    let server = Served::start(folder.path(), &["serve", SPEC], &[]);
    let mut rater = Browser::new(token(links[0]));
    assert_eq!(rater.consent(&server.address)["screen"], "instructions");
    let reason = |screen: Value| screen["reason"].as_str().unwrap().to_owned();
    assert_eq!(reason(Browser::new(token(links[0])).consent(&server.address)), "link-used");
    assert_eq!(reason(Browser::new(json!({})).consent(&server.address)), "link-invalid");
    assert_eq!(reason(Browser::new(json!({ "link": "1.00" })).consent(&server.address)), "link-invalid");
    assert_eq!(
        rater.open(&server.address)["screen"],
        "instructions",
        "the rater's own page can be loaded again"
    );
}

#[test]
fn participants_are_recognized_exported_on_request_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), 1, ", participant: PROLIFIC_PID", "");
    let server = Served::start(folder.path(), &["serve", SPEC], &[]);
    let participant = json!({ "PROLIFIC_PID": "5f3c0ffee" });
    let mut rater = Browser::new(participant.clone());
    assert_eq!(rater.consent(&server.address)["screen"], "instructions");
    assert_eq!(Browser::new(json!({})).consent(&server.address)["screen"], "closed");
    // In another browser the same person resumes the session.
    let mut elsewhere = Browser::new(participant.clone());
    assert_eq!(elsewhere.open(&server.address)["screen"], "instructions");
    assert!(server.terminate().success());

    let exported = |what: &str| succeeds(folder.path(), &["export", SPEC, "--what", what]);
    let participants = exported("participants");
    let rows = lines(&participants);
    assert_eq!((rows[0], rows.len()), ("rater,session,participant", 2));
    assert!(rows[1].ends_with(",p000000-000,5f3c0ffee"), "{participants}");
    for what in ["scores", "trials", "answers", "earnings"] {
        assert!(!exported(what).contains("5f3c0ffee"), "{what}");
    }
    for file in fs::read_dir(folder.path().join("study/evaluation.study")).unwrap() {
        let path = file.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        assert!(!bytes.windows(9).any(|part| part == b"5f3c0ffee"), "{} contains the id", path.display());
    }
    let message = succeeds(folder.path(), &["forget", SPEC, "5f3c0ffee"]);
    assert!(message.contains("1 participant forgotten"), "{message}");
    assert_eq!(lines(&exported("participants")).len(), 1);
    let message = fails(folder.path(), &["forget", SPEC, "5f3c0ffee"]);
    assert!(message.contains("1 participant of those named did not take part"), "{message}");
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), 1, ", tls: { certificate: none.pem, key: none.pem }", "");
    let message = fails(folder.path(), &["serve", SPEC]);
    assert!(message.contains("none.pem"), "{message}");
    let spec = folder.path().join(SPEC);
    let text = fs::read_to_string(&spec).unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fs::write(&spec, text.replace(", tls: { certificate: none.pem, key: none.pem }", "")).unwrap();
    let message = fails(folder.path(), &["serve", SPEC, "--listen", &address]);
    assert!(message.contains("cannot listen on") && message.contains(&address), "{message}");
    fs::write(&spec, format!("{text}\nstore: \"postgres://hype:geheim@localhost/db\"\n")).unwrap();
    let message = fails(folder.path(), &["check", SPEC]);
    assert!(
        message.contains("secret-in-spec") && message.contains("store: { env: HYPE_STORE }"),
        "{message}"
    );
}
