//! Measures costs against their limits: run with `cargo bench --bench budget`.
//!
//! The names state the limits. The statistics, staircases and stores have separate benches in
//! their crates.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use hype::backends::play;
use hype::core::model::score::{Direction, Measure};
use hype::core::plugin::aggregator::Aggregation;
use hype::core::plugin::aggregator::DynAggregator;
use hype::core::{RaterDesign, Raters};
use hype::core::{ScoreTable, Spec, Streams, Study};
use hype::sim::{Population, fixtures};
use hype::tasks::{ByModel, HypeTime};

/// The published protocol of HYPE-time without its qualification: 450 trials a session.
fn study() -> Study {
    let mut spec = Spec::new("bench", 1, Box::new(HypeTime::default()));
    spec = spec.with_raters(Raters { qualification: None, ..Raters::default() });
    Study::new(spec, fixtures::stimuli(300, &[("model", 300)])).unwrap()
}

fn sessions(criterion: &mut Criterion) {
    let study = study();
    let population = Population::default();
    let mut group = criterion.benchmark_group("HYPE-time through the session machine, at least 2 M trials/s");
    group.throughput(Throughput::Elements(450));
    let mut place = 0;
    group.bench_function("simulated trials, one core", |bencher| {
        bencher.iter_batched(
            || {
                place = (place + 1) % study.places();
                (place, population.rater(study.stimuli(), &study.session_chance(place, 0)).unwrap())
            },
            |(place, mut rater)| {
                let mut events = 0_u32;
                play(&study, &mut rater, place, 0, |event| {
                    black_box(event);
                    events += 1;
                })
                .unwrap();
                events
            },
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

const ROWS: u64 = 10_000_000;
const CHUNK: usize = 1 << 16;

/// Ten million rows in chunks: 1,000 raters of 10 models, 1,000 items each.
fn ten_million_rows() -> u64 {
    let aggregator = ByModel::default();
    let measures = vec![Measure::new("error", "judged wrong", "proportion", Direction::Higher)];
    let mut sums = DynAggregator::begin(&aggregator, &Aggregation::new(measures, RaterDesign::Between));
    let mut scores = ScoreTable::default();
    let measure = scores.measures.intern("error");
    let raters: Vec<u32> = (0..10_000).map(|rater| scores.raters.intern(&format!("r{rater}"))).collect();
    let models: Vec<u32> = (0..10).map(|model| scores.models.intern(&format!("m{model}"))).collect();
    let items: Vec<u32> = (0..1_000).map(|item| scores.items.intern(&format!("i{item}"))).collect();
    for (index, &rater) in raters.iter().enumerate() {
        for (place, &item) in items.iter().enumerate() {
            let value = f64::from(u8::from((index * 7 + place * 13) % 5 == 0));
            scores.push_interned([rater, models[index % 10], item, measure], 0, value);
            if scores.len() == CHUNK {
                sums.add(&scores).unwrap();
                scores.clear_rows();
            }
        }
    }
    sums.add(&scores).unwrap();
    let found = sums.findings(&[], &Streams::new(1)).unwrap();
    found.measures[0].responses
}

fn rows(criterion: &mut Criterion) {
    let before = peak_memory_mib();
    let mut group = criterion.benchmark_group("ten million rows with flat memory");
    group.throughput(Throughput::Elements(ROWS)).sample_size(10);
    group.bench_function("by_model, findings included", |bencher| {
        bencher.iter(|| assert_eq!(ten_million_rows(), ROWS));
    });
    group.finish();
    if let (Some(before), Some(after)) = (before, peak_memory_mib()) {
        println!("peak memory: {before} MiB before, {after} MiB after");
    }
}

/// The peak memory of this process, if the system reports it.
fn peak_memory_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024)
}

criterion_group!(benches, sessions, rows);
criterion_main!(benches);
