//! A run that is repeatedly killed with SIGKILL, at random moments, loses nothing that it acknowledged and ends with
//! the findings of an uninterrupted run.

#![cfg(unix)]
#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::{program, proof};

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use hype::core::{StoreExt as _, Streams};
use serde_json::Value;

/// The number of kills in `./test` and in a proof.
const KILLS: [u32; 2] = [15, 100];

const SPEC: &str = "
stimuli:
  real: { role: real, images: images/real/*.png }
  good: { role: generated, images: images/good/*.png }
  weak: { role: generated, images: images/weak/*.png }
task: { kind: hype_time, blocks: 2, trials_per_block: 12 }
raters:
  per_model: 200
  qualification: { trials: 4, pass: { rule: overall, at_least: 0.5 } }
";

fn run(folder: &Path, study: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hype"));
    command.current_dir(folder).args(["run", "study.yaml", "--simulate", "--study", study]);
    command.args(["--progress", "json", "--json", "--threads", "2"]).stdout(Stdio::null());
    command
}

/// Reads `moment` acknowledgements, kills the run, and reads the rest of the pipe. Returns the acknowledgements, and
/// whether the run had ended by itself.
fn run_and_kill(folder: &Path, moment: u32) -> (BTreeMap<String, u64>, bool) {
    let mut child = run(folder, "killed").stderr(Stdio::piped()).spawn().unwrap();
    let mut acknowledged = BTreeMap::new();
    let mut lines = 0;
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let Ok(entry) = serde_json::from_str::<Value>(&line.unwrap()) else { continue };
        if let (Some(session), Some(events)) = (entry["session"].as_str(), entry["events"].as_u64()) {
            acknowledged.insert(session.to_owned(), events);
            lines += 1;
            if lines == moment {
                child.kill().unwrap();
            }
        }
    }
    (acknowledged, child.wait().unwrap().success())
}

#[test]
fn no_kill_loses_acknowledged_events() {
    let [small, proof] = KILLS;
    let wanted = proof::sized(small, proof);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    program::succeeds(folder, &["new", "drawn", "--images", "14", "--size", "16"]);
    fs::rename(folder.join("drawn/images"), folder.join("images")).unwrap();
    fs::write(folder.join("study.yaml"), SPEC).unwrap();
    let mut moments = Streams::new(1).stream("kills");
    let (mut kills, mut all) = (0, BTreeMap::<String, u64>::new());
    while kills < wanted {
        let (acknowledged, ended) = run_and_kill(folder, 1 + moments.below(12));
        if ended {
            // All places are completed, so there is nothing left to interrupt: start a new study.
            fs::remove_dir_all(folder.join("killed")).unwrap();
            all.clear();
            continue;
        }
        kills += 1;
        for (session, events) in acknowledged {
            let before = all.insert(session, events);
            assert!(before.is_none_or(|before| before <= events));
        }
        let store = hype::store::SqliteStore::open_existing(folder.join("killed/study.db")).unwrap();
        for (session, events) in &all {
            let stored = hype::block_on(store.load(session)).unwrap().len() as u64;
            assert!(stored >= *events, "{session}: {events} events were acknowledged, {stored} are there");
        }
    }
    assert!(run(folder, "killed").stderr(Stdio::null()).status().unwrap().success());
    assert!(run(folder, "whole").stderr(Stdio::null()).status().unwrap().success());
    let export =
        |study: &str| program::succeeds(folder, &["export", study, "--what", "events", "--format", "jsonl"]);
    assert!(export("killed") == export("whole"), "the logs differ");
    let findings = |study: &str| fs::read_to_string(folder.join(study).join("findings.json")).unwrap();
    assert_eq!(findings("killed"), findings("whole"));
    proof::row(&[&kills.to_string()]);
}
