//! `hype serve` and `hype reopen` against strangers who enter an open study, and leave or answer nothing.

#![cfg(all(unix, feature = "web", feature = "postgres"))]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::program;
use crate::proof::sized;
use crate::served::{Browser, Served, request, untimed_study};
use crate::server;

const SPEC: &str = "study/evaluation.yaml";

/// A study of three places without replacements.
fn study(folder: &Path, backend: &str, more: &str) {
    untimed_study(folder, 1, backend, more);
    let spec = folder.join(SPEC);
    let text = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, text.replace("qualification: null", "qualification: null, replacements: 0")).unwrap();
}

fn take_part(server: &Served) {
    let mut rater = Browser::new(json!({}));
    assert_eq!(rater.consent(&server.address)["screen"], "instructions");
    let mut screen = rater.begin(&server.address);
    while screen["screen"] == "trial" {
        screen = rater.judge(&server.address, &screen, "real");
    }
    assert_eq!(screen["ending"], "completed");
}

fn leave(rater: &mut Browser, server: &Served) {
    let (status, screen) = rater.post(&server.address, "/api/leave", json!({}));
    assert_eq!((status, &screen["ending"]), (200, &json!("left")), "{screen}");
}

#[test]
fn consents_followed_by_leaving_close_nothing() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), ", entries: { source_burst: 2000 }", "");
    let server = Served::start(folder.path(), &["serve", SPEC], &[]);
    for _ in 0..sized(200, 1_000) {
        let mut stranger = Browser::new(json!({}));
        assert_eq!(stranger.consent(&server.address)["screen"], "instructions");
        leave(&mut stranger, &server);
    }
    server.has_places([0, 0, 0, 3]);
    take_part(&server);
    server.has_places([1, 0, 0, 2]);
}

#[test]
fn answers_followed_by_leaving_close_nothing() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), ", entries: { source_burst: 2000 }", "");
    let server = Served::start(folder.path(), &["serve", SPEC], &[]);
    for _ in 0..sized(50, 200) {
        let mut stranger = Browser::new(json!({}));
        assert_eq!(stranger.consent(&server.address)["screen"], "instructions");
        let screen = stranger.begin(&server.address);
        stranger.judge(&server.address, &screen, "real");
        leave(&mut stranger, &server);
    }
    server.has_places([0, 0, 0, 3]);
    take_part(&server);
    server.has_places([1, 0, 0, 2]);
}

#[test]
fn the_operator_is_told_when_places_go_faster_than_people_can_answer() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), "", "");
    let server = Served::start(folder.path(), &["serve", SPEC, "--log-format", "json"], &[]);
    for number in 0..3 {
        let status = server.operator("/operator/status").json();
        assert_eq!(status["alerts"], json!([]), "after {number}");
        let mut stranger = Browser::new(json!({}));
        stranger.consent(&server.address);
        let screen = stranger.begin(&server.address);
        let screen = stranger.judge(&server.address, &screen, "real");
        stranger.judge(&server.address, &screen, "real");
    }
    let line = server.logged("ERROR", "places-go-fast");
    assert!(line["reason"].as_str().unwrap().starts_with("3 places in the last 10 minutes"), "{line}");
    // All who look within a second see the same state.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let status = server.operator("/operator/status").json();
    assert_eq!(status["alerts"][0]["problem"], "places-go-fast", "{status}");
    // The server works all the same.
    assert_eq!(server.health(200), json!({ "status": "ok" }));
}

#[test]
fn entries_are_limited_by_address_and_an_address_is_believed_from_a_trusted_proxy_only() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), "", "");
    let server = Served::start(folder.path(), &["serve", SPEC], &[]);
    let enter = |address: &str| {
        let from = [("Content-Type", "application/json"), ("X-Forwarded-For", address)];
        let page = format!("{:032x}", 7);
        let opened = json!({ "tab": page, "arrival": {}, "language": "en" }).to_string();
        let text = request(&server.address, "POST", "/api/open", &from, &opened).json()["text"].clone();
        let agree =
            json!({ "tab": page, "arrival": {}, "language": "en", "text": text, "adult": true }).to_string();
        request(&server.address, "POST", "/api/consent", &from, &agree)
    };
    let mut entered = Vec::new();
    let refused = loop {
        let reply = enter("198.51.100.7");
        if reply.status != 200 {
            break reply;
        }
        entered.push(reply.json());
        let left = json!({ "tab": format!("{:032x}", 7) }).to_string();
        let (kind, cookie) = (("Content-Type", "application/json"), reply.cookie().unwrap());
        let left = request(&server.address, "POST", "/api/leave", &[kind, ("Cookie", &cookie)], &left);
        assert_eq!(left.status, 200);
    };
    // Some tokens come back while the requests are sent.
    assert!((60..90).contains(&entered.len()), "{}", entered.len());
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (429, &json!("crowded")));
    assert!(refused.head.to_ascii_lowercase().contains("retry-after:"), "{}", refused.head);
    assert_eq!(enter("203.0.113.9").json()["screen"], "instructions", "another address gets in");
    let metrics = server.operator("/metrics");
    let metrics = String::from_utf8(metrics.body).unwrap();
    assert!(metrics.contains("hype_refused_total{status=\"429\",code=\"crowded\"} "), "{metrics}");
    assert!(!metrics.contains("198.51.100.7"));
    let stored = fs::read_dir(folder.path().join("study/evaluation.study")).unwrap();
    for file in stored {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(12).any(|part| part == b"198.51.100.7"), "an address is stored");
    }
}

/// Places are given up by raters who answer and leave, and reopened while the server runs.
fn reopens(variables: &[(&str, &str)], more: &str) {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), "", more);
    let server = Served::start(folder.path(), &["serve", SPEC], variables);
    let run =
        |arguments: &[&str], succeeds: bool| program::ends(folder.path(), variables, arguments, succeeds);
    assert!(run(&["reopen", SPEC], true).contains("no place was given up; nothing was reopened"));
    for _ in 0..3 {
        let mut rater = Browser::new(json!({}));
        rater.consent(&server.address);
        let screen = rater.begin(&server.address);
        // Two of six trials.
        let screen = rater.judge(&server.address, &screen, "real");
        rater.judge(&server.address, &screen, "real");
        leave(&mut rater, &server);
    }
    server.has_places([0, 0, 3, 0]);
    assert_eq!(Browser::new(json!({})).consent(&server.address)["reason"], "full");
    let message = run(&["reopen", SPEC, "--place", "1"], true);
    assert_eq!(message, "1 place can be claimed again: 1\n");
    let message = run(&["reopen", SPEC, "--place", "1", "--place", "3"], false);
    assert!(message.contains("there is no place 3: the study has the places 0 to 2"), "{message}");
    server.has_places([0, 0, 2, 1]);
    take_part(&server);
    let message = run(&["reopen", SPEC, "--place", "1"], true);
    assert_eq!(message, "place 1 is done; it stays done\n");
    assert_eq!(run(&["reopen", SPEC], true), "2 places can be claimed again: 0, 2\n");
    assert_eq!(run(&["reopen", SPEC], true), "no place was given up; nothing was reopened\n");
    server.has_places([1, 0, 0, 2]);
    take_part(&server);
    take_part(&server);
    server.has_places([3, 0, 0, 0]);
}

#[test]
fn places_are_reopened_while_a_server_uses_the_file() {
    reopens(&[], "");
}

#[test]
fn places_are_reopened_while_a_server_uses_postgresql() {
    let server = server::Server::start(&["fsync=off"]);
    let [url, _] = server.urls("reopened");
    reopens(&[("HYPE_TEST_STORE", &*url)], "store: { env: HYPE_TEST_STORE }");
}
