//! The fast simulation agrees with the plain state machine trial by trial.

use hype_stats::staircase::simulate::{Simulator, simulate_blocks, threshold, words};
use hype_stats::staircase::{
    Chain, Counting, Preset, Range, Rule, Staircase, mean_last_half, mean_reversals, mode, reversals,
};
use proptest::prelude::*;
use rand_core::Rng;

fn logistic(level_ms: f64) -> f64 {
    0.5 + 0.48 / (1.0 + (-5.0 * (level_ms / 350.0).ln()).exp())
}

/// The block as the plain machine runs it on the same words.
fn plain(rule: Rule, range: Range, trials: u32, block: u64, seed: u64) -> (Vec<u32>, Vec<bool>) {
    let mut generator = words(seed, block);
    let mut staircase = Staircase::new(rule, range);
    (0..trials)
        .map(|_| {
            let word = u64::from(generator.next_u32());
            let correct = word < threshold(logistic(f64::from(staircase.level_ms())));
            (staircase.answer(correct).level_ms, correct)
        })
        .unzip()
}

fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (values.len() - 1) as f64).sqrt())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_trial_and_estimate_agrees(
        correct_to_harder in 1_u32..5,
        step_harder in 1_u32..60,
        step_easier in 1_u32..60,
        cumulative in any::<bool>(),
        floor in 20_u32..200,
        width in 1_u32..900,
        start in 0.0..=1.0,
        trials in 1_u32..300,
        blocks in 2_u32..30,
        seed in any::<u64>(),
    ) {
        let counting = if cumulative { Counting::Cumulative } else { Counting::Consecutive };
        let rule = Rule::new(correct_to_harder, step_harder, step_easier, counting).unwrap();
        let start = floor + (f64::from(width) * start) as u32;
        let range = Range::new(floor, floor + width, start).unwrap();
        let simulator = Simulator::new(rule, range, logistic).unwrap();

        let mut modes = Vec::new();
        let mut halves = Vec::new();
        let mut turned = Vec::new();
        let mut turns = 0;
        let mut right = 0;
        let mut shown = vec![0; simulator.tally(1, 1, 0).levels_ms.len()];
        let tally = simulator.tally(trials, blocks, seed);
        for block in 0..u64::from(blocks) {
            let (levels, correct) = plain(rule, range, trials, block, seed);
            let trace = simulator.trace(trials, block, seed);
            let pairs: Vec<(u32, bool)> = levels.iter().copied().zip(correct.iter().copied()).collect();
            prop_assert_eq!(trace, pairs);
            modes.push(f64::from(mode(&levels).unwrap().level_ms));
            halves.push(mean_last_half(&levels).unwrap());
            turned.extend(mean_reversals(rule, &levels, &correct).ok().map(|kept| kept.mean_ms));
            turns += reversals(rule, &levels, &correct).unwrap().len();
            right += correct.iter().filter(|answer| **answer).count();
            for level in levels {
                shown[tally.levels_ms.binary_search(&level).unwrap()] += 1;
            }
        }
        prop_assert_eq!(&tally.shown, &shown);
        prop_assert_eq!(tally.correct.iter().sum::<u64>(), right as u64);

        let simulated = simulator.blocks(trials, blocks, seed).unwrap();
        let total = f64::from(trials) * f64::from(blocks);
        prop_assert_eq!(simulated.accuracy, right as f64 / total);
        prop_assert_eq!(simulated.reversals, turns as f64 / f64::from(blocks));
        prop_assert_eq!(simulated.mean_reversals_blocks as usize, turned.len());
        let (mean, sd) = mean_and_sd(&modes);
        prop_assert!((simulated.mode_ms - mean).abs() < 1e-9);
        prop_assert!((simulated.mode_sd_ms - sd).abs() < 1e-6);
        let (mean, sd) = mean_and_sd(&halves);
        prop_assert!((simulated.mean_last_half_ms - mean).abs() < 1e-9);
        prop_assert!((simulated.mean_last_half_sd_ms - sd).abs() < 1e-6);
        prop_assert_eq!(simulated.mean_reversals_ms.is_some(), turned.len() >= 2);
        if let Some(got) = simulated.mean_reversals_ms {
            prop_assert!((got - mean_and_sd(&turned).0).abs() < 1e-9);
        }
    }
}

#[test]
fn more_blocks_leave_the_first_ones_as_they_were() {
    let simulator = Simulator::new(Preset::Weighted.rule(), Range::HYPE, logistic).unwrap();
    let first = simulator.tally(150, 11, 3);
    let more = simulator.tally(150, 29, 3);
    let rest: Vec<u64> = (11..29).flat_map(|block| simulator.trace(150, block, 3)).fold(
        vec![0; first.shown.len()],
        |mut counts, (level, _)| {
            counts[first.levels_ms.binary_search(&level).unwrap()] += 1;
            counts
        },
    );
    let sum: Vec<u64> = first.shown.iter().zip(&rest).map(|(a, b)| a + b).collect();
    assert_eq!(sum, more.shown);
}

#[test]
fn sure_and_hopeless_observers_reach_the_walls() {
    for (probability, wall) in [(1.0, 100), (0.0, 1000)] {
        let simulator = Simulator::new(Preset::Weighted.rule(), Range::HYPE, |_| probability).unwrap();
        let trace = simulator.trace(60, 5, 1);
        assert!(trace.iter().all(|(_, correct)| *correct == (probability > 0.5)));
        assert_eq!(trace[59].0, wall);
    }
    let rule = Preset::PaperLiteral.rule();
    let floor = simulate_blocks(rule, Range::HYPE, |_| 0.6, 150, 500, 1).unwrap();
    assert_eq!((floor.mode_ms, floor.mode_at_floor), (100.0, 1.0));
}

#[test]
fn the_words_of_a_seed_stay_what_they_are() {
    let mut generator = words(2019, 3);
    assert_eq!([(); 4].map(|()| generator.next_u32()), GOLDEN);
}

const GOLDEN: [u32; 4] = [3_545_832_309, 1_030_166_751, 3_680_441_846, 2_591_031_352];

#[test]
fn too_little_to_simulate_is_refused() {
    let simulator = Simulator::new(Preset::Weighted.rule(), Range::HYPE, logistic).unwrap();
    assert!(simulator.blocks(0, 10, 1).is_err() && simulator.blocks(10, 1, 1).is_err());
    let chain = Chain::new(Preset::Weighted.rule(), Range::HYPE).unwrap();
    assert_eq!(chain.probabilities(logistic).unwrap().len(), chain.levels_ms().len());
    assert!(Simulator::new(Preset::Weighted.rule(), Range::HYPE, |_| -0.1).is_err());
}
