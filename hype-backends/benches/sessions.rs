//! Measures how fast sessions run through the state machine that every backend drives.

#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use std::hint::black_box;
use std::num::NonZeroUsize;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hype_backends::{collect_with, play};
use hype_core::StoreExt as _;
use hype_core::study::backend::Unwatched;
use hype_core::*;
use hype_store::{MemoryStore, SqliteStore};

use self::small_task::{SmallTask, study};

#[path = "../tests/it/support/small_task.rs"]
mod small_task;

const TRIALS: u32 = 400;
const PLACES: u32 = 50;

/// Answers randomly.
struct Guesser;

impl Rater for Guesser {
    fn respond(&mut self, _: &Trial, _: Option<&Truth>, chance: &mut Stream) -> Response {
        let judgment = if chance.happens(0.5) { "real" } else { "fake" };
        Response::Answer { answer: Answer::one("judgment", judgment), rt: Micros(400_000) }
    }
}

fn guessers(_: &Wanted<'_>, _: &Streams) -> Result<Box<dyn Rater>, CohortError> {
    Ok(Box::new(Guesser))
}

fn sessions(criterion: &mut Criterion) {
    let study = study(SmallTask { trials: TRIALS, qualifying: 0, needed: 0 }, |spec| {
        spec.collection.raters.per_model = PLACES
    });
    let mut group = criterion.benchmark_group("sessions");
    group.throughput(Throughput::Elements(u64::from(TRIALS)));
    group.bench_function("play", |bench| {
        bench.iter(|| play(&study, &mut Guesser, black_box(3), 0, |event| drop(black_box(event))).unwrap());
    });
    let mut log = Vec::new();
    play(&study, &mut Guesser, 3, 0, |event| log.push(event)).unwrap();
    group.bench_function("replay", |bench| {
        bench.iter(|| Session::replay(&study, log.iter().cloned()).unwrap());
    });
    group.throughput(Throughput::Elements(u64::from(TRIALS * PLACES)));
    group.sample_size(10);
    group.bench_function("collect into memory", |bench| {
        bench.iter(|| {
            collect_with(&study, &MemoryStore::new(), &Unwatched, NonZeroUsize::new(1), guessers).unwrap()
        });
    });
    let folder = tempfile::tempdir().unwrap();
    let mut files = 0;
    group.bench_function("collect into SQLite", |bench| {
        bench.iter(|| {
            files += 1;
            let store = SqliteStore::open(folder.path().join(format!("{files}.db"))).unwrap();
            collect_with(&study, &store, &Unwatched, NonZeroUsize::new(1), guessers).unwrap()
        });
    });
    let store = SqliteStore::open(folder.path().join("1.db")).unwrap();
    group.bench_function("visit SQLite", |bench| {
        bench.iter(|| {
            let mut events = 0;
            hype_store::block_on(store.visit(|_, log| {
                events += log.len();
                std::ops::ControlFlow::Continue(())
            }))
            .unwrap();
            events
        });
    });
    group.finish();
}

criterion_group!(benches, sessions);
criterion_main!(benches);
