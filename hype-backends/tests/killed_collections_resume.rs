//! A collection killed at any moment loses nothing that it acknowledged, and resumes to the same logs.
//!
//! This program starts itself as the collection to kill, which prints a line for each acknowledgement.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hype_backends::collect_with;
use hype_core::StoreExt as _;
use hype_core::study::backend::Unwatched;
use hype_core::*;
use hype_store::block_on;
use hype_store::{MemoryStore, SqliteStore};
use tempfile::TempDir;

use self::learner::Learner;
use self::logs::logs;
use self::small_task::{SmallTask, study};

#[path = "it/support/learner.rs"]
mod learner;
#[path = "it/support/logs.rs"]
mod logs;
#[path = "../../tests/it/support/proof.rs"]
mod proof;
#[path = "it/support/small_task.rs"]
mod small_task;

const NAME: &str = "killed_collections_resume";

/// The number of kills in `./test` and in a proof.
const KILLS: [u32; 2] = [25, 100];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    match arguments.as_slice() {
        [first, path] if first == "collect" => collect(path.as_ref()),
        // Test runners list a program's tests this way.
        _ if has("--list") => {
            if !has("--ignored") {
                println!("{NAME}: test");
            }
        }
        _ => killed_collections_resume(),
    }
}

fn subject() -> Study {
    study(SmallTask { trials: 230, qualifying: 20, needed: 11 }, |_| {})
}

fn learners(_: &Wanted<'_>, _: &Streams) -> Result<Box<dyn Rater>, CohortError> {
    Ok(Box::new(Learner { leaves: 0.002, ..Learner::default() }))
}

/// Prints acknowledgements.
struct Printer;

impl Watch for Printer {
    fn acknowledged(&self, session: &str, events: u64) {
        let mut line = std::io::stdout().lock();
        writeln!(line, "{session} {events}").unwrap();
        line.flush().unwrap();
    }
}

fn collect(path: &Path) {
    let store = SqliteStore::open(path).unwrap();
    collect_with(&subject(), &store, &Printer, NonZeroUsize::new(2), learners).unwrap();
}

/// A study's file, and the number of acknowledged events of each session in it.
struct Collection {
    folder: TempDir,
    acknowledged: BTreeMap<String, u64>,
}

impl Collection {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), acknowledged: BTreeMap::new() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("study.db")
    }

    /// Runs a collection until a number of acknowledgements, and kills it. Returns whether it was still running.
    fn run(&mut self, patience: u32) -> bool {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg("collect")
            .arg(self.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut read: Vec<String> = lines.by_ref().take(patience as usize).collect();
        child.kill().unwrap();
        let status = child.wait().unwrap();
        read.extend(lines);
        for line in read {
            // A line cut in half by the kill acknowledges less, which is harmless.
            if let Some((session, Ok(events))) =
                line.split_once(' ').map(|(session, events)| (session, events.parse::<u64>()))
            {
                self.acknowledged.insert(session.to_owned(), events);
            }
        }
        assert!(status.success() || status.code().is_none(), "the collection failed: {status}");
        !status.success()
    }

    /// Asserts that every acknowledged event is stored, and that every log matches the study.
    fn check(&self, study: &Study) -> String {
        let store = SqliteStore::open(self.path()).unwrap();
        for (session, events) in &self.acknowledged {
            let stored = block_on(store.load(session)).unwrap().len() as u64;
            assert!(stored >= *events, "{session} has {stored} of {events} acknowledged events");
        }
        logs(study, &store)
    }
}

fn killed_collections_resume() {
    let study = subject();
    let expected = {
        let store = MemoryStore::new();
        collect_with(&study, &store, &Unwatched, NonZeroUsize::new(1), learners).unwrap();
        logs(&study, &store)
    };
    let [small, proof] = KILLS;
    let wanted = proof::sized(small, proof);
    let mut chance = Streams::new(100).stream("kills");
    let mut collection = Collection::new();
    let (mut kills, mut starts, mut finished, mut cuts) = (0, 0, 0, 0);
    while kills < wanted {
        starts += 1;
        assert!(starts < 50 * wanted, "the collection ends before it can be killed");
        if collection.run(chance.below(12)) {
            kills += 1;
            let text = collection.check(&study);
            cuts += u32::from(!text.is_empty() && text != expected);
        } else {
            assert_eq!(collection.check(&study), expected);
            finished += 1;
            collection = Collection::new();
        }
    }
    while collection.run(u32::MAX) {}
    assert_eq!(collection.check(&study), expected);
    assert!(cuts > wanted / 4, "only {cuts} of {kills} kills interrupted a collection");
    proof::row(&[&kills.to_string()]);
    println!(
        "test {NAME} ... ok ({kills} kills, {cuts} with a part collected, {} collections)",
        finished + 1
    );
}
