//! Measures costs against their limits: run with `cargo bench --bench budget`.
//!
//! The names state the limits. The statistics, staircases and stores have separate benches in
//! their crates.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;
use std::process::Command;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use hype::analyses::aggregators::ByModel;
use hype::analyses::aggregators::contrast::PairedPreferences;
use hype::backends::play;
use hype::core::model::score::{Direction, Measure};
use hype::core::plugin::aggregator::Aggregation;
use hype::core::plugin::aggregator::DynAggregator;
use hype::core::{Facet, RaterDesign, Raters, Row, ScoreTable, Spec, Streams, Study};
use hype::sim::{Population, fixtures};
use hype::tasks::HypeTime;

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

/// Votes by 1,000 raters on four models and 5,000 items of 50 categories, in chunks; the number of votes at all categories.
fn votes_of_fifty_categories(votes: u64) -> u64 {
    const CATEGORIES: usize = 50;
    let aggregator = PairedPreferences { within: Some("category".into()), ..PairedPreferences::default() };
    let names = |letter: char, count: usize| -> Vec<String> {
        (0..count).map(|number| format!("{letter}{number}")).collect()
    };
    let (raters, models, items) = (names('r', 1_000), names('m', 4), names('i', 5_000));
    let levels: Vec<Arc<str>> = names('c', CATEGORIES).iter().map(|name| name.as_str().into()).collect();
    let level_of = |(place, item): (usize, &String)| {
        (item.as_str().into(), [("category".into(), Arc::clone(&levels[place % CATEGORIES]))].into())
    };
    let facet = Facet { name: "category".into(), levels: levels.clone(), scale: None };
    let context = Aggregation::new(
        vec![Measure::new("preference", "preferred", "", Direction::Higher)],
        RaterDesign::Within,
    )
    .with_facets(vec![facet], Vec::new())
    .with_item_levels(items.iter().enumerate().map(level_of).collect());
    let mut sums = DynAggregator::begin(&aggregator, &context);
    let mut scores = ScoreTable::default();
    let mut state = 7_u64;
    let mut below = |bound: usize| {
        // Knuth's linear congruential generator with 64 bits; the upper half is used.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 32) as usize * bound) >> 32
    };
    for vote in 0..votes {
        let first = below(models.len());
        let second = (first + 1 + below(models.len() - 1)) % models.len();
        scores.push(&Row {
            rater: &raters[vote as usize % raters.len()],
            model: &models[first],
            against: &models[second],
            item: &items[below(items.len())],
            block: 0,
            measure: "preference",
            value: if below(100) < 50 + 5 * second - 5 * first { 1.0 } else { 0.0 },
        });
        if scores.len() == CHUNK {
            sums.add(&scores).unwrap();
            scores.clear_rows();
        }
    }
    sums.add(&scores).unwrap();
    let found = sums.findings(&[], &Streams::new(1)).unwrap();
    let rates = found.measures.iter().find(|found| &*found.measure.name == "win_rate").unwrap();
    let responses = rates.facets.iter().flat_map(|level| &level.estimates).map(|one| one.responses);
    responses.sum::<u64>() / 2
}

/// Set to a number of votes, it makes this program count so many and print its peak memory.
const VOTES: &str = "HYPE_BENCH_VOTES";

/// The peak memory of a process that counts so many votes, as another run leaves memory behind.
fn peak_memory_of_votes(votes: u64) -> Option<String> {
    let this = std::env::current_exe().ok()?;
    let done = Command::new(this).env(VOTES, votes.to_string()).output().ok()?;
    String::from_utf8(done.stdout).ok().filter(|_| done.status.success())
}

/// Four times as many votes have to fit into the same memory.
fn votes(criterion: &mut Criterion) {
    if let Some(votes) = std::env::var(VOTES).ok().and_then(|votes| votes.parse().ok()) {
        votes_of_fifty_categories(votes);
        println!("{} MiB", peak_memory_mib().unwrap_or_default());
        std::process::exit(0);
    }
    for votes in [ROWS, 4 * ROWS] {
        if let Some(peak) = peak_memory_of_votes(votes) {
            println!("peak memory with {votes} votes: {}", peak.trim());
        }
    }
    let mut group = criterion.benchmark_group("ten million votes of 50 categories with flat memory");
    group.throughput(Throughput::Elements(ROWS)).sample_size(10);
    group.bench_function("contrast by category, findings included", |bencher| {
        bencher.iter(|| assert_eq!(votes_of_fifty_categories(ROWS), ROWS));
    });
    group.finish();
}

/// The peak memory of this process, if the system reports it.
fn peak_memory_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024)
}

criterion_group!(benches, votes, sessions, rows);
criterion_main!(benches);
