//! Throughput of staircases, in trials per second, and the time of a trial of Bayesian procedures.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hype_stats::staircase::quest_plus::{Choice, Domain, FunctionForm, LevelScale, QuestPlus, equal_ratios};
use hype_stats::staircase::simulate::Simulator;
use hype_stats::staircase::{Preset, Range, Reach, Staircase};

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

fn quest_plus(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("quest-plus, 31 levels × 1240 points (at most 35 µs a trial)");
    group.throughput(Throughput::Elements(1));
    let domain = Domain {
        levels: equal_ratios(100.0, 1_000.0, 31),
        thresholds: equal_ratios(100.0, 1_000.0, 31),
        slopes: equal_ratios(1.0, 16.0, 8),
        guesses: vec![0.5],
        lapses: vec![0.005, 0.02, 0.04, 0.06, 0.08],
    };
    let quest = QuestPlus::with_threshold_at(0.75, FunctionForm::Weibull(LevelScale::Linear), domain);
    if let Ok(quest) = quest {
        for (name, choose) in [
            ("all parameters", QuestPlus::next_level as fn(&QuestPlus) -> Choice),
            ("threshold", QuestPlus::next_level_for_threshold),
        ] {
            group.bench_function(name, |bench| {
                // Answers of an observer: the posterior is as wide as in a session.
                let (mut running, mut trial) = (quest.clone(), 0_u32);
                bench.iter(|| {
                    let choice = choose(&running);
                    trial += 1;
                    if trial.is_multiple_of(TRIALS) {
                        running = quest.clone();
                    }
                    running.answer(choice.index, choice.level > 300.0 || !trial.is_multiple_of(3))
                });
            });
        }
    }
    group.finish();
}

/// How long it takes to know where blocks can be, once for a study, and whether one has arrived.
fn arrival(criterion: &mut Criterion) {
    let rule = Preset::Weighted.rule();
    let mut group = criterion.benchmark_group("arrival of blocks of 150 trials");
    group.sample_size(10);
    group.bench_function("reach of a study (at most 100 ms)", |bench| {
        bench.iter(|| Reach::new(rule, black_box(Range::HYPE), TRIALS));
    });
    let levels: Vec<u32> = (0..TRIALS).map(|trial| 350 + 10 * (trial * 7 % 5)).collect();
    if let Some(reach) = Reach::new(rule, Range::HYPE, TRIALS) {
        group.bench_function("a block (at most 1 µs)", |bench| {
            bench.iter(|| reach.arrival(black_box(&levels)));
        });
    }
    group.finish();
}

criterion_group!(benches, simulation, machine, quest_plus, arrival);
criterion_main!(benches);
