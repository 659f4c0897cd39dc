//! Signal detection: sensitivity and bias of yes-or-no answers.

mod ceiling;
mod pooled;
mod profile;

pub use ceiling::{d_prime_bias, d_prime_ceiling};
pub use pooled::{CommonSensitivity, common_d_prime};

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

impl Answers {
    const fn signals(&self) -> u64 {
        self.hits + self.misses
    }

    const fn noise(&self) -> u64 {
        self.false_alarms + self.correct_rejections
    }

    /// Whether a rate is 0 or 1, so d' is what the correction makes of it: the answers only bound
    /// it, and the true value may be much larger.
    #[must_use]
    pub const fn is_extreme(&self) -> bool {
        self.hits == 0 || self.misses == 0 || self.false_alarms == 0 || self.correct_rejections == 0
    }
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
/// an approximation for large counts and is too small for rates near 0 or 1. There d' is biased towards
/// 0, and cannot exceed [`d_prime_ceiling`]; [`d_prime_bias`] says by how much.
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
    let (signals, noise) = trials(answers.signals(), answers.noise())?;
    let hit_rate = corrected(answers.hits as f64, signals);
    let false_alarm_rate = corrected(answers.false_alarms as f64, noise);
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

/// Refuses a kind of trials that did not occur.
fn trials(signals: u64, noise: u64) -> Result<(f64, f64), StatError> {
    for (count, of) in [(signals, "signals"), (noise, "noise trials")] {
        if count == 0 {
            return Err(StatError::TooFew { statistic: "d'", needed: 1, of, got: 0 });
        }
    }
    Ok((signals as f64, noise as f64))
}

/// A rate with the log-linear correction.
fn corrected(yes: f64, trials: f64) -> f64 {
    (yes + 0.5) / (trials + 1.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, clippy::excessive_precision, reason = "tests")]
mod tests;
