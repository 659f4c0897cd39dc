//! The same spec and seed give the same logs and findings, byte for byte: on one thread and on two, in debug and in
//! release, and after an interruption at any event.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    unreachable_pub,
    missing_docs,
    reason = "a test"
)]

use crate::{proof, studies};

use hype::backends::Local;
use hype::core::plugin::store::all_sessions;
use hype::core::study::backend::Unwatched;
use hype::core::{Backend as _, Digest, Event, Store, StoreExt as _, Study, analyse};
use hype::sim::fixtures;
use hype::store::MemoryStore;
use std::cmp::Ordering;
use std::sync::Arc;

const SPEC: &str = "
name: determinism
seed: 42
stimuli:
  real: { role: real, images: unused }
  a: { role: generated, images: unused }
  b: { role: generated, images: unused }
task: { kind: hype_time, blocks: 2, trials_per_block: 30 }
raters:
  per_model: 4
  qualification: { trials: 12, pass: { rule: overall, at_least: 0.6 } }
  payment: { base: 1.00, per_correct: 0.02 }
simulate:
  kind: synthetic
  dropout: 0.002
  fatigue: 0.1
  behaviours: { spammers: { alternating: 0.2, random: 0.1 }, bots: 0.1 }
";

/// The digests of all logs and of the findings, equal in debug and release and in every later version of the task. A
/// change of the digests changes the meaning of old logs and requires a new version of the task. Synthetic raters and
/// p values use the platform's exponentials, so the digests are specific to the platform.
const LOGS: &str = "a9b1442b0aba";
const FINDINGS: &str = "7058f1682f3e";

fn study() -> Study {
    let source = hype::core::Spec::read(SPEC.as_bytes()).unwrap();
    Study::new(source.spec, fixtures::stimuli(80, &[("a", 80), ("b", 80)])).unwrap()
}

fn logs(store: &dyn Store) -> String {
    let mut text = String::new();
    for session in hype::block_on(all_sessions(store)).unwrap() {
        for event in hype::block_on(store.load(&session)).unwrap() {
            text.push_str(&format!("{session} {}\n", serde_json::to_string(&event).unwrap()));
        }
    }
    text
}

fn findings(study: &Study, store: &dyn Store) -> String {
    serde_json::to_string(&hype::block_on(analyse(study, store)).unwrap()).unwrap()
}

#[test]
fn one_thread_or_two_debug_or_release() {
    let study = study();
    let one = studies::collect(&study, 1);
    let two = studies::collect(&study, 2);
    assert_eq!(logs(&one), logs(&two));
    assert_eq!(findings(&study, &one), findings(&study, &two));
    if cfg!(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))) {
        println!("skipped: the digests are those of x86-64 Linux");
        return;
    }
    assert_eq!(Digest::of(logs(&one).as_bytes()).short(), LOGS);
    assert_eq!(Digest::of(findings(&study, &one).as_bytes()).short(), FINDINGS);
}

#[test]
fn an_interruption_at_any_event_changes_nothing() {
    let study = study();
    let whole = studies::collect(&study, 1);
    let (all_logs, all_findings) = (logs(&whole), findings(&study, &whole));
    let cohort = study.spec().collection.simulate.clone().unwrap();
    let local = Local::with_raters(cohort, std::num::NonZeroUsize::new(1));
    let sessions: Vec<(String, Vec<Event>)> = hype::block_on(all_sessions(&whole))
        .unwrap()
        .into_iter()
        .map(|name| {
            let events = hype::block_on(whole.load(&name)).unwrap();
            (name, events)
        })
        .collect();
    let resumed = |kept: &dyn Fn(usize) -> usize| {
        let store = MemoryStore::new();
        hype::block_on(store.bind(study.digest())).unwrap();
        for (number, (name, events)) in sessions.iter().enumerate() {
            if kept(number) > 0 {
                hype::block_on(store.append_events(name, 0, &events[..kept(number)])).unwrap();
            }
        }
        hype::block_on(local.collect(&study, Arc::new(store.clone()), &Unwatched)).unwrap();
        logs(&store)
    };
    let lengths: Vec<usize> = sessions.iter().map(|(_, events)| events.len()).collect();
    // One session is cut at each of its events, and only its place is collected again: sessions that replaced it had
    // not begun by that time.
    let place_of = |number: usize| sessions[number].0.split('-').next();
    for (number, length) in lengths.iter().enumerate() {
        for cut in (0..*length).step_by(proof::sized(7, 1)) {
            let text = resumed(&|other| match other.cmp(&number) {
                Ordering::Equal => cut,
                Ordering::Greater if place_of(other) == place_of(number) => 0,
                _ => lengths[other],
            });
            assert!(text == all_logs, "the logs differ after session {number} was cut at event {cut}");
        }
    }
    // The whole collection is cut, as if later sessions had not begun.
    let total: usize = lengths.iter().sum();
    for cut in (0..total).step_by(proof::sized(97, 1)) {
        let text = resumed(&|other| {
            let before: usize = lengths[..other].iter().sum();
            cut.saturating_sub(before).min(lengths[other])
        });
        assert!(text == all_logs, "the logs differ after an interruption at event {cut}");
    }
    let store = MemoryStore::new();
    hype::block_on(local.collect(&study, Arc::new(store.clone()), &Unwatched)).unwrap();
    assert_eq!(findings(&study, &store), all_findings);
    proof::row(&[&(total + total.div_ceil(proof::sized(97, 1))).to_string()]);
}
