//! Times of the models of consensus: 100,000 items with five votes each, by 200 raters with 4 labels.
//!
//! Implementations in Python took 1.9 s for 19 iterations of Dawid and Skene's model, 66 s for MACE
//! with its usual 10 starts of 50 iterations, and 22 s for one iteration of GLAD. The limits in the
//! names are a twentieth of that.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hype_stats::consensus::{
    EmOptions, GladOptions, LabelVotes, MaceOptions, VotesBuilder, dawid_skene, glad, mace, majority_vote,
    one_coin,
};

const ITEMS: u32 = 100_000;
const RATERS: u32 = 200;
const LABELS: u32 = 4;
const VOTES: u64 = 500_000;
/// The number of rows that are parsed before they are added.
const CHUNK: usize = 4_096;

/// Columns of items, raters and labels: raters are right in half to nine tenths of cases.
fn columns() -> [Vec<u32>; 3] {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |bound: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (((state >> 32) * u64::from(bound)) >> 32) as u32
    };
    let mut columns = [const { Vec::new() }; 3];
    for item in 0..ITEMS {
        let truth = below(LABELS);
        let first = below(RATERS);
        for place in 0..5 {
            let rater = (first + place * 37) % RATERS;
            let label = if below(10) < 5 + rater % 5 { truth } else { below(LABELS) };
            for (column, value) in columns.iter_mut().zip([item, rater, label]) {
                column.push(value);
            }
        }
    }
    columns
}

fn text([items, raters, labels]: &[Vec<u32>; 3]) -> String {
    let mut text = String::from("item,rater,label\n");
    for ((item, rater), label) in items.iter().zip(raters).zip(labels) {
        writeln!(text, "{item},{rater},{label}").expect("text in memory");
    }
    text
}

/// Reads votes from text, a chunk at a time.
fn stream(text: &str) -> LabelVotes {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let mut record = csv::ByteRecord::new();
    let mut builder = VotesBuilder::new();
    let mut chunk = [const { Vec::new() }; 3];
    while reader.read_byte_record(&mut record).expect("records of three fields") {
        for (column, field) in chunk.iter_mut().zip(&record) {
            column.push(
                std::str::from_utf8(field).ok().and_then(|field| field.parse().ok()).expect("a number"),
            );
        }
        if chunk[0].len() == CHUNK {
            builder.add(&chunk[0], &chunk[1], &chunk[2]).expect("equal columns");
            chunk.iter_mut().for_each(Vec::clear);
        }
    }
    builder.add(&chunk[0], &chunk[1], &chunk[2]).expect("equal columns");
    builder.finish().expect("votes")
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
}

fn nineteen() -> EmOptions {
    EmOptions { max_iterations: 19, tolerance: 0.0 }
}

fn published_mace() -> MaceOptions {
    MaceOptions { max_iterations: 50, tolerance: 0.0, ..MaceOptions::default() }
}

fn once() -> GladOptions {
    GladOptions { max_iterations: 1, ..GladOptions::default() }
}

fn consensus(criterion: &mut Criterion) {
    let columns = columns();
    let text = text(&columns);
    let gather = || LabelVotes::from_columns(&columns[0], &columns[1], &columns[2]).expect("votes");
    assert_eq!(stream(&text), gather());
    println!(
        "{} MiB of text; peak memory with columns and text: {:?} MiB",
        text.len() >> 20,
        peak_memory_mib()
    );

    let mut group = criterion.benchmark_group("100,000 × 5 votes, threads");
    group.throughput(Throughput::Elements(VOTES)).sample_size(10).measurement_time(Duration::from_secs(3));
    for threads in [1, 2] {
        let pool = pool(threads);
        let mut bench = |name: &str, work: &(dyn Fn() + Sync)| {
            group.bench_function(format!("on {threads}: {name}"), |bencher| {
                bencher.iter(|| pool.install(work));
            });
        };
        bench("votes from columns", &|| drop(black_box(gather())));
        bench("votes streamed from CSV text", &|| drop(black_box(stream(&text))));
        bench("majority from columns", &|| drop(black_box(majority_vote(&gather()))));
        bench("Dawid-Skene from columns, 19 iterations (≤ 95 ms; others 1.9 s)", &|| {
            drop(black_box(dawid_skene(&gather(), nineteen())));
        });
        bench("Dawid-Skene streamed from CSV text, 19 iterations", &|| {
            drop(black_box(dawid_skene(&stream(&text), nineteen())));
        });
        bench("one-coin from columns, 19 iterations", &|| drop(black_box(one_coin(&gather(), nineteen()))));
        bench("MACE from columns, 10 × 50 iterations (≤ 3.3 s; others 66 s)", &|| {
            drop(black_box(mace(&gather(), published_mace())));
        });
        bench("GLAD from columns, 1 iteration (≤ 1.1 s; others 22 s)", &|| {
            drop(black_box(glad(&gather(), &once())));
        });
    }
    group.sample_size(10).measurement_time(Duration::from_secs(1));
    let votes = gather();
    let arrived = glad(&votes, &GladOptions::default()).expect("estimates");
    println!("GLAD: {} iterations, converged: {}", arrived.fit.iterations(), arrived.fit.converged);
    let arrived = dawid_skene(&votes, EmOptions::default()).expect("estimates");
    println!("Dawid-Skene: {} iterations, converged: {}", arrived.fit.iterations(), arrived.fit.converged);
    group.bench_function("all: Dawid-Skene to its limit", |bencher| {
        bencher.iter(|| dawid_skene(black_box(&votes), EmOptions::default()));
    });
    group.bench_function("all: GLAD to its limit", |bencher| {
        bencher.iter(|| glad(black_box(&votes), &GladOptions::default()));
    });
    group.finish();
    println!("peak memory: {:?} MiB", peak_memory_mib());
}

/// The peak memory of this process, if the system reports it.
#[expect(clippy::disallowed_methods, reason = "a bench looks at its own process")]
fn peak_memory_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024)
}

criterion_group!(benches, consensus);
criterion_main!(benches);
