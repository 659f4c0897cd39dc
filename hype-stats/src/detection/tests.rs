use proptest::prelude::*;

use super::*;

mod pooling;

fn answers(hits: u64, misses: u64, false_alarms: u64, correct_rejections: u64) -> Answers {
    Answers { hits, misses, false_alarms, correct_rejections }
}

/// Rates 0.84134… and 0.5 except for the correction: d' = 1, c = -1/2.
#[test]
fn one_standard_deviation() {
    let found = detection(answers(841_344_746, 158_655_254, 500_000_000, 500_000_000)).unwrap();
    assert!((found.d_prime - 1.0).abs() < 1e-8);
    assert!((found.criterion + 0.5).abs() < 1e-8);
    assert!((found.log_beta + 0.5).abs() < 1e-8);
    // H (1 - H) / φ(1)² + 1/4 / φ(0)² over 10^9.
    let variance: f64 = (0.133_483_764_3 / 0.058_549_831_52 + 0.25 * std::f64::consts::TAU) / 1e9;
    assert!((found.d_prime_error / variance.sqrt() - 1.0).abs() < 1e-8);
}

#[test]
fn perfect_answers_are_finite() {
    let found = detection(answers(50, 0, 0, 50)).unwrap();
    // 2 z(50.5 / 51).
    assert!((found.d_prime - 4.667_537_149_6).abs() < 1e-9);
    assert!(found.criterion.abs() < 1e-14);
    assert!(found.d_prime_error.is_finite());
}

#[test]
fn both_kinds_of_trials_are_needed() {
    assert!(matches!(detection(answers(0, 0, 1, 1)), Err(StatError::TooFew { of: "signals", .. })));
    assert!(matches!(detection(answers(1, 1, 0, 0)), Err(StatError::TooFew { .. })));
}

proptest! {
    #[test]
    fn exchanging_the_answers_turns_the_bias(
        hits in 0_u64..99, misses in 1_u64..99, alarms in 0_u64..99, rejections in 1_u64..99,
    ) {
        let one = detection(answers(hits, misses, alarms, rejections)).unwrap();
        let other = detection(answers(rejections, alarms, misses, hits)).unwrap();
        prop_assert!((one.d_prime - other.d_prime).abs() < 1e-12);
        prop_assert!((one.criterion + other.criterion).abs() < 1e-12);
        let swapped = detection(answers(alarms, rejections, hits, misses)).unwrap();
        prop_assert!((one.d_prime + swapped.d_prime).abs() < 1e-12);
        prop_assert!((one.d_prime_error - swapped.d_prime_error).abs() < 1e-12);
    }
}
