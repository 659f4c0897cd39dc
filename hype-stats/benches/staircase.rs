//! Throughput of staircases, in trials per second.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hype_stats::staircase::quest::{Quest, QuestSettings, Recommendation};
use hype_stats::staircase::quest_plus::{Domain, FunctionForm, LevelScale, QuestPlus};
use hype_stats::staircase::simulate::Simulator;
use hype_stats::staircase::{Preset, Range, Staircase};

const TRIALS: u32 = 150;
const BLOCKS: u32 = 10_000;

fn logistic(level_ms: f64) -> f64 {
    0.5 + 0.48 / (1.0 + (-5.0 * (level_ms / 350.0).ln()).exp())
}

fn simulation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("staircase with its observer (at least 150 M trials/s)");
    group.throughput(Throughput::Elements(u64::from(TRIALS) * u64::from(BLOCKS)));
    for preset in [Preset::Weighted, Preset::ThreeCorrect] {
        let Ok(simulator) = Simulator::new(preset.rule(), Range::HYPE, logistic) else {
            continue;
        };
        group.bench_function(format!("tally/{preset}"), |bench| {
            bench.iter(|| simulator.tally(TRIALS, BLOCKS, black_box(7)));
        });
        group.bench_function(format!("estimates/{preset}"), |bench| {
            bench.iter(|| simulator.blocks(TRIALS, BLOCKS, black_box(7)));
        });
    }
    group.finish();
}

fn machine(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("machine");
    group.throughput(Throughput::Elements(u64::from(TRIALS)));
    group.bench_function("answer", |bench| {
        bench.iter(|| {
            let mut staircase = Staircase::new(Preset::Weighted.rule(), Range::HYPE);
            for trial in 0..TRIALS {
                staircase.answer(black_box(trial % 4 != 0));
            }
            staircase
        });
    });
    group.finish();
}

fn bayesian(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("bayesian");
    group.throughput(Throughput::Elements(1));
    let quest = Quest::new(QuestSettings {
        guess_threshold: 2.7,
        guess_sd: 0.4,
        threshold_probability: 0.75,
        slope: 3.5,
        blind: 0.02,
        guess: 0.5,
        grain: 0.01,
        range: 2.0,
    });
    if let Ok(mut quest) = quest {
        group.bench_function("quest", |bench| {
            bench.iter(|| {
                let level = quest.recommended(Recommendation::Quantile);
                level.and_then(|level| quest.answer(level, level > 2.6))
            });
        });
    }
    let log_ms: Vec<f64> = (0..11).map(|k| 2.0 + f64::from(k) / 10.0).collect();
    let domain = Domain {
        levels: log_ms.clone(),
        thresholds: log_ms,
        slopes: vec![1.0, 2.0, 4.0, 8.0],
        guesses: vec![0.5],
        lapses: vec![0.0, 0.04],
    };
    if let Ok(quest) = QuestPlus::new(FunctionForm::Weibull(LevelScale::Log10), domain) {
        group.bench_function("quest-plus", |bench| bench.iter(|| black_box(&quest).next_level()));
    }
    group.finish();
}

criterion_group!(benches, simulation, machine, bayesian);
criterion_main!(benches);
