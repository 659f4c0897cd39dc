//! Synthetic raters who visit a page resume their sessions after a kill: no place waits for its lease to expire, and the
//! findings equal those of an uninterrupted run.

#![cfg(all(unix, feature = "web"))]
#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use hype::core::Streams;
use hype::core::plugin::store::all_sessions;
use serde_json::Value;

use crate::{program, proof};

const SPEC: &str = "
stimuli:
  real: { role: real, images: images/real/*.png }
  good: { role: generated, images: images/good/*.png }
  weak: { role: generated, images: images/weak/*.png }
task: { kind: hype_infinity, generated: 12, real: 12 }
raters: { per_model: 20, qualification: null, payment: { currency: EUR, base: 1.00, per_correct: 0.05 } }
backend: { kind: web, listen: \"127.0.0.1:0\" }
";

fn run(folder: &Path, study: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hype"));
    command.current_dir(folder).args(["run", "study.yaml", "--simulate", "--study", study]);
    command.args(["--progress", "json", "--json"]).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Kills a run once `settled` places are settled. Returns whether the run had already ended by itself.
fn run_and_kill(folder: &Path, settled: u32) -> bool {
    let mut child = run(folder, "killed").spawn().unwrap();
    let mut lines = 0;
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let Ok(line) = serde_json::from_str::<Value>(&line.unwrap()) else { continue };
        lines += u32::from(!line["place"].is_null());
        if lines == settled {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap().success()
}

/// A study's findings, with session names in place of the rater keys, which are random in each study.
fn findings(folder: &Path, study: &str) -> String {
    let mut text = fs::read_to_string(folder.join(study).join("findings.json")).unwrap();
    let store = hype::store::SqliteStore::open_existing(folder.join(study).join("study.db")).unwrap();
    for name in hype::block_on(all_sessions(&store)).unwrap() {
        let log = hype::block_on(hype::core::StoreExt::load(&store, &name)).unwrap();
        let Some(hype::core::Event::Opened(header)) = log.first() else { panic!("{name} is not opened") };
        text = text.replace(&*header.rater, &name);
    }
    text
}

#[test]
fn visitors_resume_their_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    program::succeeds(folder, &["new", "drawn", "--images", "14", "--size", "16"]);
    fs::rename(folder.join("drawn/images"), folder.join("images")).unwrap();
    fs::write(folder.join("study.yaml"), SPEC).unwrap();
    let mut moments = Streams::new(2).stream("kills");
    let kills = proof::sized(4, 50);
    let mut kills_left = kills;
    let mut settled = 0;
    while kills_left > 0 {
        settled += 1 + moments.below(4);
        if run_and_kill(folder, settled) {
            fs::remove_dir_all(folder.join("killed")).unwrap();
            settled = 0;
            continue;
        }
        kills_left -= 1;
    }
    for study in ["killed", "whole"] {
        assert!(run(folder, study).stderr(Stdio::null()).status().unwrap().success());
    }
    assert_eq!(findings(folder, "killed"), findings(folder, "whole"));
    let store = hype::store::SqliteStore::open_existing(folder.join("killed/study.db")).unwrap();
    let mut attempts = BTreeMap::new();
    for name in hype::block_on(all_sessions(&store)).unwrap() {
        *attempts.entry(name.split('-').next().unwrap().to_owned()).or_insert(0) += 1;
    }
    assert!(attempts.values().all(|&attempts| attempts == 1), "a session was restarted: {attempts:?}");
    proof::row(&[&kills.to_string()]);
}
