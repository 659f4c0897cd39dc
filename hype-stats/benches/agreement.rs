//! Times of Krippendorff's ordinal alpha of 10 raters × 100,000 items, from memory and from CSV text.
#![allow(clippy::disallowed_methods, reason = "peak memory is read from the system")]

use std::hint::black_box;
use std::io::Write;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hype_stats::agreement::{
    AgreementCoefficient, AgreementOverItems, GwetWeights, ItemCounts, KrippendorffAlpha, ScaleDifference,
    bootstrap_items, krippendorff_alpha,
};
use hype_stats::bootstrap::Resamples;
use rayon::ThreadPool;

const ITEMS: u32 = 100_000;
const RATERS: u32 = 10;
const RESAMPLES: usize = 1_000;
/// The number of rows that a file reader passes on at once.
const CHUNK: usize = 1 << 14;

/// Passes on ratings 1..=5 around the level of each item, with one cell in twenty missing.
fn rate(by_rater: bool, mut take: impl FnMut(u32, u32, u32)) {
    let mut state = 7_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let levels: Vec<i64> = (0..ITEMS).map(|_| draw(5) as i64 + 1).collect();
    let mut rate = |item: u32, rater: u32| {
        let step = [-1, 0, 0, 0, 0, 1, 2][draw(7) as usize];
        if draw(20) > 0 {
            take(item, rater, (levels[item as usize] + step).clamp(1, 5) as u32);
        }
    };
    if by_rater {
        (0..RATERS).for_each(|rater| (0..ITEMS).for_each(|item| rate(item, rater)));
    } else {
        (0..ITEMS).for_each(|item| (0..RATERS).for_each(|rater| rate(item, rater)));
    }
}

fn pools() -> [(usize, ThreadPool); 2] {
    [1, 2].map(|threads| {
        (threads, rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads"))
    })
}

fn ordinal(counts: &ItemCounts) -> KrippendorffAlpha {
    krippendorff_alpha(counts, ScaleDifference::Ordinal).expect("ratings that differ")
}

fn columns(criterion: &mut Criterion) {
    for by_rater in [false, true] {
        let (mut items, mut values) = (Vec::new(), Vec::new());
        rate(by_rater, |item, _, value| {
            items.push(item);
            values.push(f64::from(value));
        });
        let order = if by_rater { "rater by rater" } else { "item by item" };
        let mut group = criterion.benchmark_group(format!(
            "ordinal alpha of 10 raters × 100,000 items from columns, {order} (at most 7 ms)"
        ));
        group.throughput(Throughput::Elements(items.len() as u64));
        for (threads, pool) in pools() {
            group.bench_function(BenchmarkId::new("threads", threads), |bencher| {
                bencher.iter(|| {
                    pool.install(|| {
                        ItemCounts::from_columns(black_box(&items), black_box(&values))
                            .map(|counts| ordinal(&counts))
                    })
                });
            });
        }
        group.finish();
    }
}

/// The text of a file of ratings.
fn text() -> Vec<u8> {
    let mut text = b"item,rater,value\n".to_vec();
    rate(true, |item, rater, value| {
        // Writing to a vector cannot fail.
        let _ = writeln!(text, "{item},{rater},{value}");
    });
    text
}

/// Splits the text after its header into a number of parts of whole lines.
fn parts(text: &[u8], count: usize) -> Vec<&[u8]> {
    let line_end = |from: usize| {
        text[from..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |place| from + place + 1)
    };
    let mut start = line_end(0);
    let mut parts = Vec::new();
    for part in 1..=count {
        let end = if part == count { text.len() } else { line_end(text.len() * part / count) };
        parts.push(&text[start..end]);
        start = end;
    }
    parts
}

fn whole(field: &[u8]) -> u32 {
    field.iter().fold(0, |number, digit| 10 * number + u32::from(digit - b'0'))
}

fn read(text: &[u8]) -> ItemCounts {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text);
    let mut record = csv::ByteRecord::new();
    let mut counts = ItemCounts::new();
    let (mut items, mut values) = (Vec::with_capacity(CHUNK), Vec::with_capacity(CHUNK));
    loop {
        let more = reader.read_byte_record(&mut record).expect("a table of three columns");
        if more {
            items.push(whole(&record[0]));
            values.push(f64::from(whole(&record[2])));
        }
        if !more || items.len() == CHUNK {
            counts.extend(&items, &values).expect("finite values");
            items.clear();
            values.clear();
        }
        if !more {
            return counts;
        }
    }
}

/// Reads the parts in parallel and merges them.
fn read_all(parts: &[&[u8]]) -> ItemCounts {
    match parts {
        [] => ItemCounts::new(),
        [part] => read(part),
        _ => {
            let (left, right) = parts.split_at(parts.len() / 2);
            let (mut left, right) = rayon::join(|| read_all(left), || read_all(right));
            left.merge(&right).expect("few ratings of each item");
            left
        }
    }
}

fn streamed(criterion: &mut Criterion) {
    let text = text();
    let peak = Peak::start();
    let counts = read_all(&parts(&text, 1));
    black_box(ordinal(&counts));
    peak.report("one pass over the CSV text");
    let mut group =
        criterion.benchmark_group("ordinal alpha of 10 raters × 100,000 items streamed from CSV text");
    group.throughput(Throughput::Elements(counts.ratings())).sample_size(20);
    for (threads, pool) in pools() {
        let parts = parts(&text, threads);
        group.bench_function(BenchmarkId::new("threads", threads), |bencher| {
            bencher.iter(|| pool.install(|| ordinal(&read_all(black_box(&parts)))));
        });
    }
    group.finish();
}

/// Gwet's coefficient, and intervals over prompts whose outputs have ratings.
fn over_items(criterion: &mut Criterion) {
    let mut counts = ItemCounts::new();
    rate(true, |item, _, value| counts.add(item, f64::from(value)).expect("a finite value"));
    let gwet = AgreementCoefficient::Gwet(GwetWeights::Ordinal);
    let clustered = counts.clone().with_clusters((0..ITEMS).map(|item| item / 50).collect());
    let [(_, pool), _] = pools();
    let mut group = criterion.benchmark_group("Gwet's AC2 of 10 raters × 100,000 items on one core");
    group.sample_size(10);
    group.bench_function("coefficient (at most 10 ms)", |bencher| {
        bencher.iter(|| pool.install(|| gwet.estimate(black_box(&counts))));
    });
    group.bench_function("interval over 2,000 prompts of 50 outputs (at most 1 s)", |bencher| {
        bencher
            .iter(|| pool.install(|| AgreementOverItems::new(black_box(&clustered), gwet)?.interval(0.95)));
    });
    group.finish();
}

/// Five raters whose ratings have 251 different counts by item.
fn few_raters(criterion: &mut Criterion) {
    let mut counts = ItemCounts::new();
    rate(true, |item, rater, value| {
        if rater < 5 {
            counts.add(item, f64::from(value)).expect("a finite value");
        }
    });
    let alpha = AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Ordinal);
    let [(_, pool), _] = pools();
    let mut group = criterion.benchmark_group("ordinal alpha of 5 raters × 100,000 items");
    group.throughput(Throughput::Elements(RESAMPLES as u64)).sample_size(10);
    group.bench_function("1,000 resamples of the items on one core (at most 25 ms)", |bencher| {
        bencher.iter(|| {
            pool.install(|| bootstrap_items(black_box(&counts), alpha, Resamples::seeded(RESAMPLES, 7)))
        });
    });
    group.finish();
}

fn bootstrap(criterion: &mut Criterion) {
    let mut counts = ItemCounts::new();
    rate(true, |item, _, value| counts.add(item, f64::from(value)).expect("a finite value"));
    let alpha = AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Ordinal);
    let peak = Peak::start();
    black_box(bootstrap_items(&counts, alpha, Resamples::seeded(RESAMPLES, 7)).expect("ratings that differ"));
    peak.report("1,000 resamples");
    let mut group = criterion.benchmark_group(
        "ordinal alpha of 10 raters × 100,000 items, 1,000 resamples of the items (at most 2.3 s)",
    );
    group.throughput(Throughput::Elements(RESAMPLES as u64)).sample_size(10);
    for (threads, pool) in pools() {
        group.bench_function(BenchmarkId::new("threads", threads), |bencher| {
            bencher.iter(|| {
                pool.install(|| {
                    bootstrap_items(black_box(&counts), alpha, Resamples::seeded(RESAMPLES, 7))
                        .and_then(|distribution| distribution.percentile(0.95))
                })
            });
        });
    }
    group.finish();
}

/// The peak growth of the process's memory, if the system reports it.
struct Peak(Option<u64>);

impl Peak {
    /// Resets the peak.
    fn start() -> Self {
        let reset = std::fs::write("/proc/self/clear_refs", "5");
        Self(reset.ok().and_then(|()| peak_kib()))
    }

    fn report(&self, of: &str) {
        if let (Some(before), Some(after)) = (self.0, peak_kib()) {
            println!("peak memory of {of}: {} KiB above the {before} KiB before", after - before);
        }
    }
}

/// The peak memory of this process since the last reset.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

// In ascending order of memory: memory that was freed before would hide later growth.
criterion_group!(benches, bootstrap, few_raters, over_items, streamed, columns);
criterion_main!(benches);
