//! A server whose disk is full or whose database is gone acknowledges nothing, and says why: in its log, in `/health`, in
//! `/metrics` and to the operator.

#![cfg(all(unix, feature = "web"))]
#![allow(clippy::unwrap_used, dead_code, unreachable_pub, missing_docs, reason = "a test")]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::served::{Browser, Served, request, untimed_study};

const SPEC: &str = "study/evaluation.yaml";

/// Asserts that a problem is reported everywhere, and that the operator learns the reason.
fn assert_reported(server: &Served, problem: &str, reason: &str) {
    let health = server.health(503);
    assert_eq!((&health["status"], &health["problems"][0]["problem"]), (&json!("failing"), &json!(problem)));
    let metrics = String::from_utf8(server.operator("/metrics").body).unwrap();
    assert!(metrics.contains(&format!("hype_problem{{problem=\"{problem}\"}} 1\n")), "{metrics}");
    assert!(metrics.contains("hype_refused_total{status=\"503\",code=\"failed\"}"), "{metrics}");
    let status = server.operator("/operator/status").json();
    assert_eq!(status["alerts"][0]["problem"], problem, "{status}");
    assert!(status["alerts"][0]["reason"].as_str().unwrap().contains(reason), "{status}");
    assert!(status["refused"]["failed"].as_u64().unwrap() > 0, "{status}");
    let line = server.logged("ERROR", problem);
    assert!(line["reason"].as_str().unwrap().contains(reason), "{line}");
}

/// Asserts that neither a new answer nor a repeated one is acknowledged.
fn assert_refused(server: &Served, rater: &mut Browser, answered: &Value, shown: &Value) {
    for screen in [shown, answered] {
        let (status, refused) = rater.answer(&server.address, screen, "real");
        assert_eq!((status, &refused["error"]["code"]), (503, &json!("failed")), "{refused}");
    }
}

/// Begins a session and answers its first trial. Returns the first trial and the second.
fn begin(server: &Served, rater: &mut Browser) -> (Value, Value) {
    assert_eq!(rater.consent(&server.address)["screen"], "instructions");
    let first = rater.begin(&server.address);
    let second = rater.judge(&server.address, &first, "real");
    (first, second)
}

fn finish(server: &Served, rater: &mut Browser, mut screen: Value) {
    while screen["screen"] == "trial" {
        screen = rater.judge(&server.address, &screen, "generated");
    }
    assert_eq!(screen["screen"], "end");
}

#[test]
fn nothing_is_acknowledged_after_the_database_is_gone() {
    for file in ["study.db", "study.db-wal"] {
        let folder = tempfile::tempdir().unwrap();
        untimed_study(folder.path(), 1, "", "");
        let server = Served::start(folder.path(), &["serve", SPEC, "--log-format", "json"], &[]);
        let mut rater = Browser::new(json!({}));
        let (first, second) = begin(&server, &mut rater);
        let path = folder.path().join("study/evaluation.study").join(file);
        let aside = path.with_extension("aside");
        fs::rename(&path, &aside).unwrap();
        assert_refused(&server, &mut rater, &first, &second);
        assert_eq!(Browser::new(json!({})).consent(&server.address)["error"]["code"], "failed");
        assert_reported(&server, "database-gone", file);
        // The operator puts the file back.
        fs::rename(&aside, &path).unwrap();
        finish(&server, &mut rater, second);
        assert_eq!(server.health(200), json!({ "status": "ok" }));
        assert!(server.terminate().success());
    }
}

#[cfg(feature = "postgres")]
#[test]
fn health_is_told_within_two_seconds_while_the_database_hangs() {
    let database = crate::server::Server::start(&["fsync=off"]);
    let [url, _] = database.urls("hanging");
    let folder = tempfile::tempdir().unwrap();
    untimed_study(folder.path(), 1, "", "store: { env: HYPE_TEST_STORE }");
    let server = Served::start(folder.path(), &["serve", SPEC], &[("HYPE_TEST_STORE", &*url)]);
    assert_eq!(server.health(200), json!({ "status": "ok" }));
    database.hang(true);
    // The counts of places are two seconds old at most.
    let asked: Vec<_> = (0..4)
        .map(|_| {
            let begun = Instant::now();
            let found = request(&server.address, "GET", "/health", &[], "");
            std::thread::sleep(Duration::from_secs(1));
            (begun.elapsed(), found)
        })
        .collect();
    // A server that hangs cannot be stopped.
    database.hang(false);
    for (took, found) in &asked {
        assert!(*took < Duration::from_secs(3), "{took:?}: {found:?}");
    }
    let (_, found) = asked.last().unwrap();
    assert_eq!((found.status, &found.json()["problems"][0]["problem"]), (503, &json!("store-unavailable")));
    assert_eq!(server.health(200), json!({ "status": "ok" }));
}

/// The command by which a process gets mounts of its own; `None` where that is not allowed.
fn unshare() -> Option<Vec<&'static str>> {
    let ways = [vec!["unshare", "--mount"], vec!["unshare", "--user", "--map-root-user", "--mount"]];
    let works = |way: &Vec<&str>| {
        let tried =
            Command::new(way[0]).args(&way[1..]).args(["mount", "-t", "tmpfs", "none", "/mnt"]).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    let found = ways.into_iter().find(works);
    let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(found.is_some() || !is_ci, "mounting is not allowed");
    found
}

#[test]
fn answers_wait_while_the_disk_is_full() {
    let Some(unshare) = unshare() else {
        eprintln!("skipped: mounting a small disk is not allowed");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    untimed_study(folder.path(), 1, "", "");
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    // The server alone sees the disk, which is gone when it ends.
    let mut command = Command::new(unshare[0]);
    command.args(&unshare[1..]).args([
        "sh",
        "-c",
        "mount -t tmpfs -o size=2m none disk && exec \"$0\" \"$@\"",
    ]);
    command.arg(env!("CARGO_BIN_EXE_hype")).current_dir(folder.path());
    command.args(["serve", SPEC, "--study", "disk/study", "--log-format", "json"]);
    let server = Served::spawn(command);
    let seen = format!("/proc/{}/root{}", server.id(), disk.canonicalize().unwrap().display());
    let mut rater = Browser::new(json!({}));
    let (first, second) = begin(&server, &mut rater);
    let filler = Path::new(&seen).join("filler");
    let mut file = File::create(&filler).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
    drop(file);
    let (status, refused) = rater.answer(&server.address, &second, "real");
    assert_eq!((status, &refused["error"]["code"]), (503, &json!("failed")), "{refused}");
    assert_reported(&server, "disk-full", "no space left");
    // What was stored before can be confirmed.
    assert_eq!(rater.answer(&server.address, &first, "real").0, 200);
    fs::remove_file(&filler).unwrap();
    finish(&server, &mut rater, second);
    assert_eq!(server.health(200), json!({ "status": "ok" }));
    assert!(server.terminate().success());
}
