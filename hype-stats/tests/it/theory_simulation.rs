//! Simulated blocks agree with the exact theory, for rules and ranges of every kind.

use hype_stats::psychometric::{Axis, PsychometricFunction, Sigmoid};
use hype_stats::staircase::simulate::{Simulator, simulate_blocks};
use hype_stats::staircase::theory::Theory;
use hype_stats::staircase::{Counting, Preset, Range, Rule};

const BLOCKS: u32 = 20_000;

/// Bounds of 5 standard errors: each of the some 60 comparisons fails by chance once in 1.7 million.
#[test]
fn means_lie_within_their_standard_errors() {
    let observer = |ms: f64| 0.3 + 0.66 * (1.0 - (-(ms / 240.0).powf(2.2)).exp());
    for (n, harder, easier, counting, range, trials) in [
        (1, 10, 30, Counting::Consecutive, (100, 1000, 500), 151),
        (2, 25, 40, Counting::Consecutive, (90, 333, 200), 40),
        (3, 17, 23, Counting::Consecutive, (50, 700, 650), 80),
        (3, 10, 10, Counting::Cumulative, (100, 1000, 500), 150),
        (4, 33, 7, Counting::Cumulative, (20, 260, 20), 200),
        (1, 500, 1, Counting::Cumulative, (0, 300, 300), 61),
    ] {
        let rule = Rule::new(n, harder, easier, counting).unwrap();
        let range = Range::new(range.0, range.1, range.2).unwrap();
        let exact = Theory::new(rule, range, observer, trials).unwrap().exact;
        let got = simulate_blocks(rule, range, observer, trials, BLOCKS, 11).unwrap();
        let off = got.mean_last_half_ms - exact.mean_last_half_ms;
        assert!(off.abs() < 5.0 * got.mean_last_half_standard_error_ms, "{rule:?}: {off}");
        // The relative standard error of a standard deviation is near 1 / sqrt(2 n) = 0.5 %.
        let ratio = got.mean_last_half_sd_ms / exact.sd_last_half_ms;
        assert!((ratio - 1.0).abs() < 0.03, "{rule:?}: {ratio}");
        // Reversals of a block vary by less than their number, answers by less than a half each.
        let bound = 5.0 * exact.reversals / f64::from(BLOCKS).sqrt();
        assert!((got.reversals - exact.reversals).abs() < bound, "{rule:?}: {}", got.reversals);
        let bound = 5.0 * 0.5 / f64::from(BLOCKS).sqrt();
        assert!((got.accuracy - exact.accuracy).abs() < bound, "{rule:?}: {}", got.accuracy);

        let tally = Simulator::new(rule, range, observer).unwrap().tally(trials, BLOCKS, 12);
        assert_eq!(tally.levels_ms, exact.levels_ms);
        for (shown, occupancy) in tally.shown.iter().zip(&exact.occupancy) {
            let got = *shown as f64 / f64::from(BLOCKS);
            assert!((got - occupancy).abs() < 0.05 * occupancy + 0.05, "{rule:?}: {got} {occupancy}");
        }
    }
}

#[test]
fn long_blocks_come_to_the_long_run() {
    let observer = |ms: f64| 0.5 + 0.48 / (1.0 + (350.0 / ms).powi(5));
    for (n, harder, easier, counting) in [
        (1, 10, 30, Counting::Consecutive),
        (3, 17, 23, Counting::Consecutive),
        (3, 10, 10, Counting::Cumulative),
    ] {
        let rule = Rule::new(n, harder, easier, counting).unwrap();
        let theory = Theory::new(rule, Range::HYPE, observer, 20_000).unwrap();
        let mean = theory.exact.mean_last_half_ms;
        assert!((mean / theory.stationary.mean_ms - 1.0).abs() < 1e-9, "{rule:?}: {mean}");
        let accuracy = theory.stationary.accuracy;
        // Away from the bounds the long run's accuracy is the rule's target for one counted answer.
        if counting == Counting::Cumulative || n == 1 {
            assert!((accuracy - theory.target).abs() < 1e-6, "{rule:?}: {accuracy}");
        }
    }
}

#[test]
fn target_levels_match_the_psychometric_function() {
    for sigmoid in [Sigmoid::Logistic, Sigmoid::Gumbel, Sigmoid::Normal] {
        let function =
            PsychometricFunction::new(sigmoid, Axis::Logarithmic, 350_f64.ln(), 2.5, 0.5, 0.02).unwrap();
        for preset in Preset::ALL {
            let observer = |ms: f64| function.evaluate(ms);
            let theory = Theory::new(preset.rule(), Range::HYPE, observer, 150).unwrap();
            match (theory.target_level_ms, function.inverse(theory.target)) {
                (Some(got), Ok(want)) => {
                    assert!((got / want - 1.0).abs() < 1e-10, "{preset}: {got} {want}")
                }
                (got, want) => assert_eq!((got, want.is_err()), (None, true), "{preset}"),
            }
            let reachable = preset.rule().reachability(0.5, 0.02).unwrap().is_reachable();
            assert_eq!(theory.target_level_ms.is_some(), reachable, "{preset}");
        }
    }
}
