//! The same seed gives the same logs: with any number of threads, after an interruption, and in later versions.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicI64, Ordering};

use hype_backends::collect_with;
use hype_core::study::backend::{Unwatched, Watch};
use hype_core::study::session::Accepted;
use hype_core::{Digest, Event, Rater, Session, Step, Store, StoreExt as _, Study, TaskSpec, Timing};
use hype_sim::{Population, fixtures};
use hype_store::MemoryStore;
use hype_tasks::tasks::contrast::{Contrast, PairSelection};
use hype_tasks::{BestOf, Fooling, GoldComparisons, Ranking, RepeatedComparisons};

use crate::side_by_side::{by_item, in_turn, items_with_originals, play_all, study, text, with_gold};

/// Long sessions, which are interrupted in the middle.
fn long() -> Study {
    let task = Contrast {
        pairs: PairSelection::Active,
        tie: true,
        practice: 9.into(),
        per_session: 150.into(),
        ..Contrast::default()
    };
    by_item(&task, fixtures::items(20, &["a", "b", "c", "d", "e", "f"], &[]), 2, 3)
}

fn collect(study: &Study, store: &MemoryStore, watch: &dyn Watch, threads: usize) -> u32 {
    let population = Population { dropout: 0.002, ..Population::default() };
    let collected = collect_with(study, store, watch, NonZeroUsize::new(threads), |wanted, chance| {
        let rater = population.rater(wanted.stimuli, chance).unwrap();
        Ok(Box::new(rater) as Box<dyn Rater>)
    });
    collected.unwrap().open
}

fn logs(store: &MemoryStore) -> Vec<(String, Vec<Event>)> {
    hype_store::block_on(async {
        let mut logs = Vec::new();
        for name in store.sessions(None, 1_000).await.unwrap() {
            let log = store.load(&name).await.unwrap();
            logs.push((name, log));
        }
        logs
    })
}

fn bytes(store: &MemoryStore) -> String {
    serde_json::to_string(&logs(store)).unwrap()
}

fn uninterrupted(study: &Study, threads: usize) -> MemoryStore {
    let store = MemoryStore::new();
    assert_eq!(collect(study, &store, &Unwatched, threads), 0);
    store
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let study = long();
    let store = uninterrupted(&study, 1);
    assert_eq!(bytes(&store), bytes(&uninterrupted(&study, 2)));
    let logs = logs(&store);
    assert!(logs.len() > study.places() as usize, "no rater left: no place had a second one");
    for (name, log) in logs {
        let session = Session::replay(&study, log.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let briefing = session.header().briefing.clone().unwrap();
        assert_eq!(briefing.is_null(), session.header().place.number == 0, "{name} got {briefing}");
    }
}

/// Requests a stop once a number of batches is in the store.
struct StopAfter(AtomicI64);

impl Watch for StopAfter {
    fn acknowledged(&self, _: &str, _: u64) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed) <= 0
    }
}

#[test]
fn interrupted_collections_continue_to_the_same_logs() {
    let study = long();
    let expected = bytes(&uninterrupted(&study, 1));
    for batches in [1, 2, 3, 7] {
        let store = MemoryStore::new();
        let mut calls = 1;
        while collect(&study, &store, &StopAfter(AtomicI64::new(batches)), 2) > 0 {
            calls += 1;
        }
        assert!(calls > 1, "nothing was interrupted");
        assert_eq!(bytes(&store), expected, "interrupted after every {batches} batches");
    }
}

/// Answers a session to its end, and appends its events.
fn finish(mut session: Session, mut log: Vec<Event>) -> Vec<Event> {
    while let Step::Show(trial) = session.step().clone() {
        let answer = in_turn(0, &trial, session.truth().unwrap());
        let accepted = session.handle_answer(trial.number, answer, Timing::default()).unwrap();
        let Accepted::Recorded(recorded) = accepted else { panic!("repeated") };
        log.extend(recorded.into_events());
    }
    log
}

#[test]
fn sessions_with_gold_and_repeats_resume_at_every_event() {
    let gold = Some(GoldComparisons::new("original", "blank"));
    let repeats = Some(RepeatedComparisons::default());
    let contrast = Contrast {
        per_session: 30.into(),
        practice: 3.into(),
        gold: gold.clone(),
        repeats: repeats.clone(),
        ..Contrast::default()
    };
    let active = Contrast { pairs: PairSelection::Active, tie: true, ..contrast.clone() };
    let ranking = Ranking { gold: gold.clone(), repeats: repeats.clone(), ..Ranking::default() };
    let best_of = BestOf { gold, repeats, ..BestOf::default() };
    let tasks: [&dyn TaskSpec; 4] = [&contrast, &active, &ranking, &best_of];
    for task in tasks {
        let study = by_item(task, with_gold(&fixtures::items(20, &["a", "b", "c"], &[]), 20, 2), 2, 3);
        let (session, log) = Session::open(&study, "r", 1, 0).unwrap();
        let whole = finish(session, log);
        // The end is stored with the last answer.
        for cut in 1..whole.len() - 1 {
            let resumed = Session::replay(&study, whole[..cut].to_vec()).unwrap();
            assert_eq!(finish(resumed, whole[..cut].to_vec()), whole, "cut at event {cut}");
        }
    }
}

/// A task's logs with computed answers, which only the task's decisions can change.
fn golden(study: &Study) -> String {
    let all = text(&play_all(study, in_turn));
    let digest = Digest::of(all.as_bytes()).to_string();
    digest[..digest.len().min(24)].to_owned()
}

#[test]
fn logs_of_version_1_do_not_change() {
    let stimuli = || items_with_originals(12, &["a", "b", "c", "d"]);
    let contrast = Contrast {
        tie: true,
        both_bad: true,
        real: true,
        practice: 2.into(),
        per_session: 10.into(),
        ..Contrast::default()
    };
    let active = Contrast { pairs: PairSelection::Active, ..contrast.clone() };
    let ranking = Ranking {
        models_per_trial: Some(3.into()),
        practice: 1.into(),
        per_session: 7.into(),
        ..Ranking::default()
    };
    let best_of = BestOf { per_session: 7.into(), real: true, ..BestOf::default() };
    let fooling = Fooling { trials: 6.into(), practice: 3.into(), ..Fooling::default() };
    let by_items: [&dyn TaskSpec; 4] = [&contrast, &active, &ranking, &best_of];
    let mut found: Vec<String> =
        by_items.iter().map(|task| golden(&by_item(*task, stimuli(), 2, 11))).collect();
    found.push(golden(&by_item(&contrast, fixtures::stimuli(9, &[("a", 8), ("b", 11)]), 3, 12)));
    let raters = hype_core::Raters { per_model: 3, ..hype_core::Task::defaults(&fooling).raters };
    found.push(golden(&study(&fooling, stimuli(), raters, 13)));
    assert_eq!(found, GOLDEN);
}

const GOLDEN: [&str; 6] = [
    "d2eef60247b1f5b57244774d",
    "55d9ef9c3f535c047eab5b5a",
    "fb4b512e286596b90fa2c1b2",
    "886b559c90adf9ca5e83bb79",
    "b028deb9155b52ba2a54e207",
    "a325830ca01f7c28ea11c781",
];
