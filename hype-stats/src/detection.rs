//! Signal detection: sensitivity and bias of yes-or-no answers.

use crate::StatError;
use crate::distributions::{normal_density, normal_quantile};

/// Counts of yes-or-no answers about signals and noise.
///
/// For a rater who says whether an image is generated: generated images are the signal and
/// "generated" is yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answers {
    /// Signals answered yes.
    pub hits: u64,
    /// Signals answered no.
    pub misses: u64,
    /// Noise answered yes.
    pub false_alarms: u64,
    /// Noise answered no.
    pub correct_rejections: u64,
}

/// Sensitivity and bias by the equal-variance normal model.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Detection {
    /// Rate of yes answers to signals, corrected.
    pub hit_rate: f64,
    /// Rate of yes answers to noise, corrected.
    pub false_alarm_rate: f64,
    /// Sensitivity d' in standard deviations; zero is chance.
    pub d_prime: f64,
    /// Standard error of d'.
    pub d_prime_error: f64,
    /// Criterion c in standard deviations from the neutral point; positive values favour no.
    pub criterion: f64,
    /// Standard error of c, half that of d'.
    pub criterion_error: f64,
    /// ln β, the logarithm of the likelihood ratio at the criterion, c d'.
    pub log_beta: f64,
}

/// Computes sensitivity d' and criterion c from hits and false alarms.
///
/// # Method
///
/// Rates with the log-linear correction, H = (hits + 1/2) / (signals + 1) and likewise F, so that no
/// rate is 0 or 1 and the bias of d' is small (Hautus 1995, "Corrections for extreme proportions
/// and their biasing effects on estimated values of d'"). With z the normal quantile and φ its
/// density (Green and Swets 1966; Macmillan and Creelman 2005, equations 1.5, 2.1 and 2.10),
///
/// d' = z(H) - z(F), c = -(z(H) + z(F)) / 2, ln β = c d'.
///
/// Standard error (Gourevitch and Galanter 1967, "A significance test for one parameter isosensitivity
/// functions"), at the corrected rates:
/// var(d') = H (1 - H) / (signals φ(z(H))²) + F (1 - F) / (noise φ(z(F))²).
///
/// The model assumes normal distributions with the same variance. The standard error is
/// an approximation for large counts and is too small for rates near 0 or 1.
///
/// # Errors
///
/// [`StatError::TooFew`] if there are no signals or no noise.
///
/// # Examples
///
/// ```
/// # use hype_stats::detection::{Answers, detection};
/// let found = detection(Answers { hits: 40, misses: 10, false_alarms: 15, correct_rejections: 35 })?;
/// assert!((found.d_prime - 1.33395).abs() < 1e-5);
/// assert!(found.criterion < 0.0);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn detection(answers: Answers) -> Result<Detection, StatError> {
    let signals = answers.hits as f64 + answers.misses as f64;
    let noise = answers.false_alarms as f64 + answers.correct_rejections as f64;
    for (count, of) in [(signals, "signals"), (noise, "noise trials")] {
        if count < 1.0 {
            return Err(StatError::TooFew { statistic: "d'", needed: 1, of, got: 0 });
        }
    }
    let hit_rate = (answers.hits as f64 + 0.5) / (signals + 1.0);
    let false_alarm_rate = (answers.false_alarms as f64 + 0.5) / (noise + 1.0);
    let z_hit = normal_quantile(hit_rate)?;
    let z_false_alarm = normal_quantile(false_alarm_rate)?;
    let variance = |rate: f64, z: f64, count: f64| rate * (1.0 - rate) / (count * normal_density(z).powi(2));
    let d_prime = z_hit - z_false_alarm;
    let criterion = -0.5 * (z_hit + z_false_alarm);
    let d_prime_error =
        (variance(hit_rate, z_hit, signals) + variance(false_alarm_rate, z_false_alarm, noise)).sqrt();
    Ok(Detection {
        hit_rate,
        false_alarm_rate,
        d_prime,
        d_prime_error,
        criterion,
        criterion_error: 0.5 * d_prime_error,
        log_beta: criterion * d_prime,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, clippy::excessive_precision, reason = "tests")]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
}
