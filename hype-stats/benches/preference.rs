//! Times of strengths from paired comparisons: 10 million votes on 100 models, and the bootstrap over
//! raters.
//!
//! For comparison, evalica takes 2.3 s for the votes, choix 0.43 s and scikit-learn 0.31 s once they
//! are counted, and numpy 20 ms for a resample.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hype_stats::bootstrap::Resamples;
use hype_stats::clustered::{Contributions, Target};
use hype_stats::preference::{
    BradleyTerry, CellVotes, ClusteredComparisons, ComparisonOutcome, Comparisons, PlackettLuce, Rankings,
    Ties, pair_gains,
};
use rayon::prelude::*;

const MODELS: usize = 100;
const VOTES: usize = 10_000_000;
const CLUSTERED: usize = 1_000_000;
const RATERS: u32 = 1_000;
const RESAMPLES: usize = 512;
/// The number of rows that are read before they are counted.
const CHUNK: usize = 1 << 16;

/// Columns of votes.
#[derive(Default)]
struct Votes {
    first: Vec<u32>,
    second: Vec<u32>,
    outcomes: Vec<ComparisonOutcome>,
}

impl Votes {
    /// Votes whose outcomes follow strengths that fall with the number of the model.
    fn new(count: usize) -> Self {
        let mut votes = Self::default();
        let mut state = 7_u64;
        let mut below = |bound: u64| {
            // Knuth's linear congruential generator with 64 bits; the upper half is used.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 32) * bound) >> 32
        };
        for _ in 0..count {
            let first = below(MODELS as u64);
            let second = (first + 1 + below(MODELS as u64 - 1)) % MODELS as u64;
            let end = below(400);
            let lead = 150 + second - first.min(second) / 2 - first / 2;
            votes.first.push(first as u32);
            votes.second.push(second as u32);
            votes.outcomes.push(match end {
                0..40 => ComparisonOutcome::Tie,
                end if end < lead => ComparisonOutcome::First,
                _ => ComparisonOutcome::Second,
            });
        }
        votes
    }

    fn len(&self) -> usize {
        self.first.len()
    }

    fn text(&self) -> String {
        let mut text = String::from("model_a,model_b,winner\n");
        for row in 0..self.len() {
            let winner = match self.outcomes[row] {
                ComparisonOutcome::First => "a",
                ComparisonOutcome::Second => "b",
                ComparisonOutcome::Tie => "tie",
            };
            text.push_str(&format!("{},{},{winner}\n", self.first[row], self.second[row]));
        }
        text
    }

    fn clear(&mut self) {
        self.first.clear();
        self.second.clear();
        self.outcomes.clear();
    }
}

fn whole(field: &[u8]) -> u32 {
    field.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
}

/// Counts text of comma-separated values with memory for one chunk.
fn count_text(text: &str) -> Comparisons {
    let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
    let mut table = Comparisons::new(MODELS).expect("100 models");
    let (mut record, mut votes) = (csv::ByteRecord::new(), Votes::default());
    loop {
        let more = reader.read_byte_record(&mut record).expect("the text that was written");
        if more {
            votes.first.push(whole(&record[0]));
            votes.second.push(whole(&record[1]));
            votes.outcomes.push(match &record[2] {
                b"a" => ComparisonOutcome::First,
                b"b" => ComparisonOutcome::Second,
                _ => ComparisonOutcome::Tie,
            });
        }
        if votes.len() == CHUNK || !more {
            table.add(&votes.first, &votes.second, &votes.outcomes).expect("models below 100");
            votes.clear();
        }
        if !more {
            return table;
        }
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads")
}

fn ten_million_votes(criterion: &mut Criterion) {
    let text = Votes::new(VOTES / 10).text();
    let before = peak_memory_mib();
    for threads in [1, 2] {
        let pool = pool(threads);
        let mut group = criterion.benchmark_group("10 million votes on 100 models");
        group.throughput(Throughput::Elements(VOTES as u64)).sample_size(10);
        let name = format!("CSV to fit, {threads} threads (evalica 2.3 s; choix 0.43 s after counting)");
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                pool.install(|| {
                    let tables: Vec<Comparisons> =
                        (0..10).into_par_iter().map(|_| count_text(black_box(&text))).collect();
                    let mut all = Comparisons::new(MODELS)?;
                    tables.iter().try_for_each(|table| all.merge(table))?;
                    BradleyTerry::new(Ties::Half).fit(&all)
                })
            });
        });
        group.finish();
    }
    if let (Some(before), Some(after)) = (before, peak_memory_mib()) {
        println!("peak memory of streaming: {before} MiB before, {after} MiB after");
    }
    drop(text);
    let votes = Votes::new(VOTES);
    let before = peak_memory_mib();
    for threads in [1, 2] {
        let pool = pool(threads);
        let mut group = criterion.benchmark_group("10 million votes on 100 models");
        group.throughput(Throughput::Elements(VOTES as u64)).sample_size(20);
        let count = || Comparisons::from_columns(MODELS, &votes.first, &votes.second, &votes.outcomes);
        group.bench_function(format!("columns counted, {threads} threads"), |bencher| {
            bencher.iter(|| pool.install(count));
        });
        for ties in [Ties::Half, Ties::Davidson] {
            let name = format!("columns to fit, ties {ties:?}, {threads} threads (at most 10 ms on one)");
            group.bench_function(name, |bencher| {
                bencher.iter(|| pool.install(|| BradleyTerry::new(ties).fit(&count()?)));
            });
        }
        group.finish();
    }
    if let (Some(before), Some(after)) = (before, peak_memory_mib()) {
        println!("peak memory of columns: {before} MiB before, {after} MiB after");
    }
    let table = Comparisons::from_columns(MODELS, &votes.first, &votes.second, &votes.outcomes);
    let table = table.expect("models below 100");
    criterion.bench_function("most informative pair of 100 models", |bencher| {
        bencher.iter(|| pair_gains(black_box(&table)));
    });
}

fn raters(criterion: &mut Criterion) {
    let votes = Votes::new(CLUSTERED);
    let raters: Vec<u32> = (0..CLUSTERED as u32).map(|row| row % RATERS).collect();
    let count = || {
        let mut clustered = ClusteredComparisons::new(MODELS)?;
        clustered.add(&raters, &votes.first, &votes.second, &votes.outcomes)?;
        Ok::<_, hype_stats::StatError>(clustered)
    };
    let clustered = count().expect("models below 100");
    for threads in [1, 2] {
        let pool = pool(threads);
        let mut group = criterion.benchmark_group("1 million votes of 1,000 raters");
        group.sample_size(10);
        group.throughput(Throughput::Elements(CLUSTERED as u64));
        group.bench_function(format!("counted, {threads} threads"), |bencher| {
            bencher.iter(|| pool.install(count));
        });
        group.throughput(Throughput::Elements(RESAMPLES as u64));
        for ties in [Ties::Half, Ties::Davidson] {
            let name = format!(
                "{RESAMPLES} resamples, ties {ties:?}, {threads} threads (at most 0.72 s on one; numpy 10 s)"
            );
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    pool.install(|| {
                        BradleyTerry::new(ties).bootstrap(&clustered, Resamples::seeded(RESAMPLES, 7))
                    })
                });
            });
        }
        group.finish();
    }
}

/// Errors of strengths over raters and items, from 1 million votes of 1,000 raters on 1,000 items.
fn raters_and_items(criterion: &mut Criterion) {
    let votes = Votes::new(CLUSTERED);
    let cells: Vec<CellVotes> = (0..CLUSTERED)
        .map(|row| {
            let mut counts = [0; 3];
            counts[votes.outcomes[row] as usize] = 1;
            let (rater, item) = (row as u32 / RATERS, row as u32 % RATERS);
            CellVotes { rater, item, first: votes.first[row], second: votes.second[row], counts }
        })
        .collect();
    let table = Comparisons::from_columns(MODELS, &votes.first, &votes.second, &votes.outcomes);
    let fit = table.and_then(|table| BradleyTerry::new(Ties::Half).fit(&table)).expect("models that all met");
    let pool = pool(1);
    criterion.bench_function("errors over raters and items, 1 million votes (at most 100 ms)", |bencher| {
        bencher
            .iter(|| pool.install(|| fit.crossed(black_box(&cells).iter().copied(), Target::RatersAndItems)));
    });
}

/// Degrees of freedom of raters with very different numbers of votes, and orders with ties.
fn uneven_and_tied(criterion: &mut Criterion) {
    let mut contributions = Contributions::new(MODELS);
    for rater in 0..1_000_u32 {
        for vote in 0..=rater % 97 {
            let (model, value) =
                ((rater + vote) as usize % MODELS, f64::from((rater * 31 + vote * 7) % 11) - 5.0);
            contributions.push_weighted(0.01, rater, vote, model, 0.01 * value);
        }
    }
    let mut group = criterion.benchmark_group("unequal raters and ties");
    group.sample_size(10);
    group.bench_function(
        "errors and degrees of freedom, 1,000 raters of 1 to 97 votes (at most 100 ms)",
        |bencher| {
            bencher.iter(|| {
                let errors = black_box(&contributions).clustered(Target::Raters)?;
                (0..MODELS).map(|model| errors.of(model)).collect::<Result<Vec<_>, _>>()
            });
        },
    );
    let mut orders = Rankings::new(6).expect("models");
    for order in 0..1_000_u32 {
        let best_first: Vec<u32> = (0..6).map(|place| (place * 5 + order) % 6).collect();
        let tied: Vec<bool> = (0..6).map(|place| place > 0 && (place + order) % 3 == 0).collect();
        orders.push_tied(&best_first, &tied).expect("distinct models");
    }
    group.bench_function("strengths from 1,000 orders of 6 with ties (at most 100 ms)", |bencher| {
        bencher.iter(|| PlackettLuce::new().fit(black_box(&orders)));
    });
    group.finish();
}

/// The peak memory of this process, if the system reports it.
#[allow(clippy::disallowed_methods, reason = "the system reports it in a file")]
fn peak_memory_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024)
}

criterion_group!(benches, ten_million_votes, raters, raters_and_items, uneven_and_tied);
criterion_main!(benches);
