//! A study is backed up while raters answer, and restored: nothing that was acknowledged before is missing, and the copy is a study.

#![cfg(unix)]
#![allow(clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::{program, proof};

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// The rounds of backup and restore in `./test` and in a proof.
const ROUNDS: [usize; 2] = [3, 50];

type Acknowledged = Arc<Mutex<BTreeMap<String, u64>>>;

/// Starts a study of many raters, and follows what it acknowledges.
fn running(folder: &Path, study: &str) -> (Child, Acknowledged) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hype"))
        .current_dir(folder)
        .args(["run", "drawn/evaluation.yaml", "--simulate", "400", "--study", study])
        .args(["--progress", "json", "--json", "--threads", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let known = Acknowledged::default();
    let (lines, into) = (BufReader::new(child.stderr.take().unwrap()).lines(), Arc::clone(&known));
    thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let Ok(entry) = serde_json::from_str::<Value>(&line) else { continue };
            if let (Some(session), Some(events)) = (entry["session"].as_str(), entry["events"].as_u64()) {
                into.lock().unwrap().insert(session.to_owned(), events);
            }
        }
    });
    (child, known)
}

/// Draws a study whose synthetic raters answer inside the program.
fn drawn(folder: &Path) {
    program::succeeds(folder, &["new", "drawn", "--task", "contrast", "--images", "12", "--size", "16"]);
    let spec = folder.join("drawn/evaluation.yaml");
    let text = fs::read_to_string(&spec).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("backend:"));
    fs::write(&spec, lines.collect::<Vec<_>>().join("\n")).unwrap();
}

/// The events of each session of a study.
fn events(folder: &Path, study: &str) -> BTreeMap<String, u64> {
    let text = program::succeeds(folder, &["export", study, "--what", "events", "--format", "jsonl"]);
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        *found.entry(entry["session"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    found
}

#[test]
fn backups_under_load_lose_nothing() {
    let [small, long] = ROUNDS;
    let rounds = proof::sized(small, long);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    drawn(folder);
    let (mut done, mut studies) = (0, 0);
    while done < rounds {
        studies += 1;
        assert!(studies <= rounds, "studies end before they can be backed up");
        let study = format!("study-{studies}");
        let (mut child, known) = running(folder, &study);
        while done < rounds && child.try_wait().unwrap().is_none() {
            let before = known.lock().unwrap().clone();
            if before.is_empty() {
                thread::sleep(Duration::from_millis(5));
                continue;
            }
            program::succeeds(folder, &["backup", &study, "backup"]);
            program::succeeds(folder, &["restore", "backup", "restored"]);
            let kept = events(folder, "restored");
            for (session, count) in &before {
                assert!(
                    kept.get(session).is_some_and(|kept| kept >= count),
                    "{session}: {count} in {kept:?}"
                );
            }
            program::succeeds(folder, &["score", "restored", "--verify", "--json"]);
            fs::remove_dir_all(folder.join("backup")).unwrap();
            fs::remove_dir_all(folder.join("restored")).unwrap();
            done += 1;
        }
        let _ = child.kill();
        child.wait().unwrap();
    }
    proof::row(&["rounds of backup and restore under load", &format!("{rounds}, nothing lost")]);
}

#[test]
fn restored_studies_continue_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    drawn(folder);
    let run = ["run", "drawn/evaluation.yaml", "--simulate", "2", "--json", "--progress", "none"];
    let found = program::json(folder, &run);
    let said = program::succeeds(folder, &["backup", "drawn/evaluation.yaml", "copy"]);
    assert!(said.contains("backed up") && said.contains("hype restore copy"), "{said}");
    assert!(program::fails(folder, &["backup", "drawn/evaluation.yaml", "copy"]).contains("copy exists"));
    fs::remove_dir_all(folder.join("drawn/evaluation.simulated")).unwrap();
    program::succeeds(folder, &["restore", "copy", "drawn/evaluation.simulated"]);
    assert_eq!(program::json(folder, &run)["measures"], found["measures"]);
    fs::write(folder.join("copy/study.db"), "damaged").unwrap();
    program::fails(folder, &["restore", "copy", "again"]);
    assert!(!folder.join("again").exists());
}

/// A study in a database is backed up while its page serves raters, and restored into another database, where they go on.
#[cfg(all(feature = "web", feature = "postgres"))]
#[test]
fn studies_in_databases_are_backed_up() {
    use crate::served::{Browser, Served, untimed_study};
    use crate::server::Server;

    const SPEC: &str = "study/evaluation.yaml";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    untimed_study(folder, 1, "", "store: { env: HYPE_TEST_STORE }");
    let [first, second] = [(); 2].map(|()| Server::start(&["fsync=off"]));
    let path = format!("{}:{}", first.programs().display(), std::env::var("PATH").unwrap());
    let [here, there] = [&first, &second].map(|server| {
        let [url, _] = server.urls("kept");
        [("HYPE_TEST_STORE", url), ("PATH", path.clone())]
    });
    let run = |at: &[(&str, String); 2], arguments: &[&str], succeeds: bool| {
        let at: Vec<(&str, &str)> = at.iter().map(|(name, value)| (*name, &**value)).collect();
        program::ends(folder, &at, arguments, succeeds)
    };
    let serve = |at: &[(&str, String); 2], arguments: &[&str]| {
        let at: Vec<(&str, &str)> = at.iter().map(|(name, value)| (*name, &**value)).collect();
        Served::start(folder, arguments, &at)
    };
    let server = serve(&here, &["serve", SPEC]);
    let mut rater = Browser::new(serde_json::json!({}));
    rater.consent(&server.address);
    let screen = rater.begin(&server.address);
    let mut screen = rater.judge(&server.address, &screen, "real");
    let said = run(&here, &["backup", SPEC, "copy"], true);
    assert!(said.contains("backed up 1 session in copy"), "{said}");
    rater.judge(&server.address, &screen, "real");
    assert!(server.terminate().success());

    let said = run(&here, &["score", "copy"], false);
    assert!(said.contains("is a backup: `hype restore copy FOLDER`"), "{said}");
    let said = run(&here, &["restore", "copy", "again"], false);
    assert!(said.contains("has a schema kept already") && !folder.join("again").exists(), "{said}");
    let bare = [there[0].clone(), ("PATH", "/nowhere".to_owned())];
    let said = run(&bare, &["restore", "copy", "again"], false);
    assert!(
        said.contains("`pg_restore` copies the answers") && said.contains("not installed here"),
        "{said}"
    );
    let other = [("HYPE_TEST_STORE", there[0].1.replace("kept", "other")), there[1].clone()];
    let said = run(&other, &["restore", "copy", "again"], false);
    assert!(said.contains("not a copy of the schema other"), "{said}");

    fs::remove_dir_all(folder.join("study/evaluation.study")).unwrap();
    let said = run(&there, &["restore", "copy", "study/evaluation.study"], true);
    assert!(said.contains("restored 1 session"), "{said}");
    let server = serve(&there, &["serve", SPEC]);
    // What was answered after the backup is asked again.
    screen = rater.open(&server.address);
    while screen["screen"] == "trial" {
        screen = rater.judge(&server.address, &screen, "real");
    }
    server.has_places([1, 0, 0, 2]);
    assert!(server.terminate().success());
    run(&there, &["score", SPEC, "--verify", "--json"], true);
}
