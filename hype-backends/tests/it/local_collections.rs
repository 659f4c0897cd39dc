//! Collections give the same logs on any number of threads and after any interruption.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use hype_backends::{Driven, Local, SimulatedSession, collect_with, drive, play, simulate};
use hype_core::StoreExt as _;
use hype_core::model::record::Shown;
use hype_core::plugin::store::{Append, Entries, Erasure, Holders, Identity, Log, Registered};
#[cfg(feature = "web")]
use hype_core::study::backend::view;
use hype_core::study::backend::{Collected, Unwatched};
use hype_core::study::places::StudyPlaces;
use hype_core::study::session::session_name;
use hype_core::*;
use hype_store::MemoryStore;
use hype_store::block_on;
use serde_json::json;

use crate::learner::Learner;
use crate::logs::logs;
use crate::small_task::{SmallTask, study};

const LEAVES: f64 = 0.004;

fn demanding() -> Study {
    study(SmallTask { trials: 130, qualifying: 30, needed: 17 }, |_| {})
}

fn learners(_: &Wanted<'_>, _: &Streams) -> Result<Box<dyn Rater>, CohortError> {
    Ok(Box::new(Learner { leaves: LEAVES, ..Learner::default() }))
}

fn threads(count: usize) -> Option<NonZeroUsize> {
    NonZeroUsize::new(count)
}

fn uninterrupted(study: &Study) -> (Collected, String) {
    let store = MemoryStore::new();
    let collected = collect_with(study, &store, &Unwatched, threads(1), learners).unwrap();
    (collected, logs(study, &store))
}

#[test]
fn logs_are_the_same_bytes_on_any_number_of_threads() {
    let study = demanding();
    let (collected, expected) = uninterrupted(&study);
    assert_eq!((collected.completed + collected.given_up, collected.open), (8, 0));
    for ending in ["completed", "disqualified", "left"] {
        assert!(expected.contains(ending), "no session ended as {ending}");
    }
    for count in [2, 3, 16] {
        let store = MemoryStore::new();
        assert_eq!(collect_with(&study, &store, &Unwatched, threads(count), learners).unwrap(), collected);
        assert_eq!(logs(&study, &store), expected);
    }
}

/// Asks to stop once a number of batches is in the store.
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
fn a_stopped_collection_resumes_to_the_same_logs() {
    let study = demanding();
    let (collected, expected) = uninterrupted(&study);
    for (count, batches) in [(1, 1), (1, 2), (2, 1), (2, 5), (4, 3)] {
        let store = MemoryStore::new();
        let mut calls = 0;
        let last = loop {
            let watch = StopAfter(AtomicI64::new(batches));
            let result = collect_with(&study, &store, &watch, threads(count), learners).unwrap();
            assert_eq!(result.completed + result.given_up + result.open, 8);
            calls += 1;
            if result.open == 0 {
                break result;
            }
        };
        assert!(calls > 1);
        assert_eq!(last, collected);
        let text = logs(&study, &store);
        let differs = text.lines().zip(expected.lines()).find(|(one, other)| one != other);
        assert_eq!(differs, None, "{count} threads, {batches} batches");
        assert_eq!(text.len(), expected.len(), "{count} threads, {batches} batches");
    }
}

#[test]
fn a_log_cut_at_any_event_resumes_to_the_same_log() {
    let study = study(SmallTask { trials: 60, qualifying: 12, needed: 0 }, |_| {});
    for place in 0..8 {
        let mut rater = Learner { leaves: 0.01, ..Learner::default() };
        let mut log = Vec::new();
        play(&study, &mut rater, place, 0, |event| log.push(event)).unwrap();
        assert!(matches!(log.last(), Some(Event::Finished(_))));
        for cut in 0..=log.len() {
            let store = MemoryStore::new();
            let name = session_name(place, 0);
            block_on(store.append_events(&name, 0, &log[..cut])).unwrap();
            let mut rater = Learner { leaves: 0.01, ..Learner::default() };
            let driven = drive(&study, &store, &Unwatched, &mut rater, place, 0).unwrap();
            let Some(Event::Finished(outcome)) = log.last() else { unreachable!() };
            assert_eq!(driven, Driven::Ended(outcome.ending));
            assert_eq!(block_on(store.load(&name)).unwrap(), log, "place {place}, cut at {cut}");
        }
    }
}

#[test]
fn session_time_follows_from_the_trials() {
    struct Prompt;
    impl Rater for Prompt {
        fn respond(&mut self, _: &Trial, _: Option<&Truth>, _: &mut Stream) -> Response {
            Response::Answer { answer: hype_core::Answer::one("judgment", "real"), rt: Micros(400_000) }
        }
    }
    let study = study(SmallTask { trials: 11, qualifying: 0, needed: 0 }, |_| {});
    let mut log = Vec::new();
    play(&study, &mut Prompt, 0, 0, |event| log.push(event)).unwrap();
    let mut clock = 0;
    let mut answered = 0;
    for event in &log {
        let Event::Answered(Answered { trial, shown: Shown { exposure_ms, .. }, timing, .. }) = event else {
            continue;
        };
        let rest = if *trial == 9 { 60_000 } else { 0 };
        clock += 1_000 * (rest + 3 * 500 + u64::from(exposure_ms.unwrap().0) + 5 * 30) + 400_000;
        assert_eq!((timing.at, timing.rt, timing.exposure), (Micros(clock), Micros(400_000), None));
        clock += if trial % 2 == 0 { 700_000 } else { 0 };
        answered += 1;
    }
    assert_eq!(answered, 11);
}

#[test]
fn a_simulation_passes_on_what_a_collection_stores() {
    let study = demanding();
    let (collected, expected) = uninterrupted(&study);
    for count in [1, 2, 16] {
        let store = MemoryStore::new();
        collect_with(&study, &store, &Unwatched, threads(1), learners).unwrap();
        let mut records = Vec::new();
        let notices = Notices::default();
        let simulated = simulate(&study, &notices, threads(count), learners, |session| {
            records.push(session);
            true
        });
        assert_eq!(simulated.unwrap(), collected);
        assert_eq!(notices.settled.into_inner().unwrap().len(), 8);
        let names: Vec<_> = records.iter().map(|one| one.session.to_string()).collect();
        assert_eq!(names, block_on(store.sessions(None, 99)).unwrap(), "{count} threads: the order of names");
        for SimulatedSession { session, record } in &records {
            let stored = SessionRecord::from_events(block_on(store.load(session)).unwrap()).unwrap();
            assert_eq!(*record, stored);
        }
    }
    assert!(expected.contains("left"));
    for count in [1, 2] {
        let mut taken = 0;
        let stopped = simulate(&study, &Unwatched, threads(count), learners, |_| {
            taken += 1;
            taken < 3
        });
        let open = stopped.unwrap().open;
        assert_eq!(taken, 3, "no session follows after the caller asks for no more");
        // A second worker may have settled every place while the first one was at an early place.
        assert!(count > 1 || open > 0);
    }
}

/// A store whose log of places lacks what was collected.
#[test]
fn sessions_without_places_are_accounted_for() {
    let study = demanding();
    let (collected, expected) = uninterrupted(&study);
    let whole = MemoryStore::new();
    collect_with(&study, &whole, &Unwatched, threads(1), learners).unwrap();
    for cut in [0, 1, 40, 90] {
        let old = MemoryStore::new();
        block_on(old.bind(study.digest())).unwrap();
        for name in block_on(whole.sessions(None, 99)).unwrap() {
            let mut log = block_on(whole.load(&name)).unwrap();
            if name == "p000005-000" {
                log.truncate(cut);
            }
            if !name.starts_with("p000006") && (name.as_str() <= "p000005-000" || name.starts_with("p000007"))
            {
                block_on(old.append_events(&name, 0, &log)).unwrap();
            }
        }
        let found = block_on(StudyPlaces::open(&study, &old)).unwrap();
        let counts = block_on(found.counts(&old, Micros(0))).unwrap();
        assert!(counts.settled() >= 6, "{counts:?}");
        assert_eq!(collect_with(&study, &old, &Unwatched, threads(2), learners).unwrap(), collected);
        assert_eq!(logs(&study, &old), expected, "cut at {cut}");
    }
}

/// Records all notifications.
#[derive(Default)]
struct Notices {
    acknowledged: Mutex<Vec<(String, u64)>>,
    settled: Mutex<Vec<(u32, bool)>>,
}

impl Watch for Notices {
    fn acknowledged(&self, session: &str, events: u64) {
        self.acknowledged.lock().unwrap().push((session.to_owned(), events));
    }

    fn settled(&self, place: u32, completed: bool) {
        self.settled.lock().unwrap().push((place, completed));
    }
}

#[test]
fn the_watch_is_notified_of_every_event_and_place() {
    let study = demanding();
    let (store, notices) = (MemoryStore::new(), Notices::default());
    let collected = collect_with(&study, &store, &notices, threads(2), learners).unwrap();
    let mut settled = notices.settled.into_inner().unwrap();
    settled.sort_unstable();
    assert_eq!(settled.iter().map(|(place, _)| *place).collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
    assert_eq!(settled.iter().filter(|(_, completed)| *completed).count() as u32, collected.completed);
    for name in block_on(store.sessions(None, 99)).unwrap() {
        let notices = notices.acknowledged.lock().unwrap();
        let counts: Vec<u64> =
            notices.iter().filter(|(session, _)| *session == name).map(|(_, n)| *n).collect();
        assert!(counts.is_sorted());
        assert_eq!(*counts.last().unwrap(), block_on(store.load(&name)).unwrap().len() as u64);
    }
    let again = Notices::default();
    assert_eq!(collect_with(&study, &store, &again, threads(2), learners).unwrap(), collected);
    assert!(again.acknowledged.into_inner().unwrap().is_empty());
    assert_eq!(again.settled.into_inner().unwrap().len(), 8);
}

#[test]
fn the_first_failing_place_is_named_and_the_rest_is_stored() {
    struct Mumbler {
        left: u32,
    }
    impl Rater for Mumbler {
        fn respond(&mut self, _: &Trial, _: Option<&Truth>, _: &mut Stream) -> Response {
            let said = if self.left == 0 { "hm" } else { "real" };
            self.left = self.left.saturating_sub(1);
            Response::Answer { answer: hype_core::Answer::one("judgment", said), rt: Micros(1) }
        }
    }
    let study = study(SmallTask { trials: 200, qualifying: 0, needed: 0 }, |_| {});
    for count in [1, 2, 8] {
        let store = MemoryStore::new();
        let raters = |wanted: &Wanted<'_>, _: &Streams| -> Result<Box<dyn Rater>, CohortError> {
            // The later place fails sooner.
            let left = [999, 999, 150, 999, 999, 3, 999, 999][wanted.place.number as usize];
            Ok(Box::new(Mumbler { left }))
        };
        match collect_with(&study, &store, &Unwatched, threads(count), raters) {
            Err(BackendError::Refused { session, trial, reason }) => {
                assert_eq!((session.as_str(), trial), ("p000002-000", 150));
                assert!(reason.contains("hm"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(block_on(store.load("p000002-000")).unwrap().len(), 151);
        for place in 0..2 {
            assert_eq!(block_on(store.load(&session_name(place, 0))).unwrap().len(), 202);
        }
    }
}

/// A store that is full after a number of appends.
struct Full(MemoryStore, AtomicU32);

#[async_trait::async_trait]
impl Store for Full {
    async fn bind(&self, study: Digest) -> Result<(), StoreError> {
        self.0.bind(study).await
    }

    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        self.0.secret(fresh).await
    }

    async fn append(&self, entries: Append<'_>, expected: u64) -> Result<u64, StoreError> {
        if matches!(entries, Append::Events(..)) && self.1.fetch_add(1, Ordering::Relaxed) >= 5 {
            return Err(StoreError::failed("the disk is full".into()));
        }
        self.0.append(entries, expected).await
    }

    async fn read(&self, log: Log<'_>, from: u64) -> Result<(Entries, u64), StoreError> {
        self.0.read(log, from).await
    }

    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.0.sessions(after, limit).await
    }

    async fn erase(&self, erasures: &[Erasure]) -> Result<(), StoreError> {
        self.0.erase(erasures).await
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        self.0.scrub().await
    }

    async fn register(
        &self,
        identity: Identity<'_>,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError> {
        self.0.register(identity, holder, sealed).await
    }

    async fn holder(&self, identity: Identity<'_>) -> Result<Option<String>, StoreError> {
        self.0.holder(identity).await
    }

    async fn sealed(&self, holders: Holders<'_>) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.0.sealed(holders).await
    }

    async fn reseal(&self, holder: &str, sealed: &[u8]) -> Result<(), StoreError> {
        self.0.reseal(holder, sealed).await
    }

    async fn forget(&self, holder: &str) -> Result<(), StoreError> {
        self.0.forget(holder).await
    }
}

#[test]
fn only_stored_events_are_acknowledged() {
    let study = demanding();
    let (store, notices) = (Full(MemoryStore::new(), AtomicU32::new(0)), Notices::default());
    let result = collect_with(&study, &store, &notices, threads(2), learners);
    assert!(matches!(result, Err(BackendError::Store(StoreError::Failed { .. }))), "{result:?}");
    let notices = notices.acknowledged.into_inner().unwrap();
    assert_eq!(notices.len(), 5);
    for (session, events) in notices {
        assert!(block_on(store.0.load(&session)).unwrap().len() as u64 >= events);
    }
}

/// Raters inside the program who all leave before their first answer are not asked forever.
#[test]
fn raters_who_all_leave_at_once_use_up_their_replacements() {
    struct Bored;
    impl Rater for Bored {
        fn respond(&mut self, _: &Trial, _: Option<&Truth>, _: &mut Stream) -> Response {
            Response::Leave
        }
    }
    let (study, store) = (demanding(), MemoryStore::new());
    let bored = |_: &Wanted<'_>, _: &Streams| -> Result<Box<dyn Rater>, CohortError> { Ok(Box::new(Bored)) };
    let collected = collect_with(&study, &store, &Unwatched, threads(2), bored).unwrap();
    assert_eq!((collected.completed, collected.given_up, collected.open), (0, 8, 0));
}

#[test]
fn another_study_and_altered_logs_are_refused() {
    let (store, one) =
        (MemoryStore::new(), study(SmallTask { trials: 130, qualifying: 0, needed: 0 }, |_| {}));
    let stayers = |_: &Wanted<'_>, _: &Streams| -> Result<Box<dyn Rater>, CohortError> {
        Ok(Box::new(Learner::default()))
    };
    collect_with(&one, &store, &StopAfter(AtomicI64::new(1)), threads(1), stayers).unwrap();
    let other = study(SmallTask { trials: 131, qualifying: 0, needed: 0 }, |_| {});
    let result = collect_with(&other, &store, &Unwatched, None, learners);
    assert!(matches!(result, Err(BackendError::Store(StoreError::AnotherStudy { .. }))), "{result:?}");

    let mut log = block_on(store.load("p000000-000")).unwrap();
    assert!(!matches!(log.last(), Some(Event::Finished(_))));
    let misplaced = MemoryStore::new();
    block_on(misplaced.append_events("p000001-000", 0, &log)).unwrap();
    let result = drive(&one, &misplaced, &Unwatched, &mut Learner::default(), 1, 0);
    assert!(matches!(result, Err(BackendError::Replay { .. })), "{result:?}");

    let Some(Event::Answered(answered)) = log.get_mut(5) else { panic!("no answer") };
    answered.correct = answered.correct.map(|correct| !correct);
    let altered = MemoryStore::new();
    block_on(altered.append_events("p000000-000", 0, &log)).unwrap();
    let result = drive(&one, &altered, &Unwatched, &mut Learner::default(), 0, 0);
    assert!(matches!(result, Err(BackendError::Replay { .. })), "{result:?}");
}

#[test]
fn yaml_names_the_backend_and_its_cohort() {
    let read = |json: serde_json::Value| serde_json::from_value::<Box<dyn BackendSpec>>(json);
    let bare = read(json!({ "kind": "local" })).unwrap();
    assert_eq!(serde_json::to_value(&bare).unwrap(), json!({ "kind": "local" }));
    let full = json!({ "kind": "local", "cohort": { "kind": "scripted", "answers": "a.csv" } });
    assert_eq!(serde_json::to_value(read(full.clone()).unwrap()).unwrap(), full);
    for wrong in [json!({ "thread": 1 }), json!({ "cohort": { "kind": "crowd" } })] {
        let mut spec = json!({ "kind": "local" });
        spec.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        assert!(read(spec.clone()).is_err(), "{spec}");
    }
    let registry = Registry::linked().unwrap();
    assert_eq!(registry.find(SpecPart::Backend, "local").unwrap().crate_name, "hype-backends");
    assert!(registry.find(SpecPart::Cohort, "scripted").is_some());
    #[cfg(feature = "web")]
    assert!(view::<hype_backends::web::Page>(&Local::default()).is_some(), "without raters, people answer");
}
