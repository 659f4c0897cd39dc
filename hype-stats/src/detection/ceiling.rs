//! The bias of d' that the number of trials causes.

use super::{corrected, trials};
use crate::StatError;
use crate::distributions::{beta_factor, normal_cdf, normal_quantile};
use crate::equivalence::check_finite;

/// Computes the largest d' that the log-linear correction lets these numbers of trials give: that of all
/// hits and no false alarm.
///
/// # Errors
///
/// [`StatError::TooFew`] if there are no signals or no noise.
///
/// # Examples
///
/// ```
/// # use hype_stats::detection::d_prime_ceiling;
/// assert!((d_prime_ceiling(50, 50)? - 4.6675).abs() < 1e-4);
/// assert!((d_prime_ceiling(10, 10)? - 3.3812).abs() < 1e-4);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn d_prime_ceiling(signals: u64, noise: u64) -> Result<f64, StatError> {
    let (signals, noise) = trials(signals, noise)?;
    Ok(normal_quantile(corrected(signals, signals))? - normal_quantile(corrected(0.0, noise))?)
}

/// Computes the bias of a rater's [`detection`](super::detection): the expected estimate for these numbers
/// of trials less the true d'.
///
/// Near perfect answers it is negative and large: with 50 signals and 50 noise trials, a d' of 5 is on
/// average estimated as 4.4, and a d' of 6 as 4.6. A mean of raters' d' has the same bias, whatever their
/// number.
///
/// # Method
///
/// The sum of z((k + 1/2) / (n + 1)) over the binomial distribution of k, for hits and for false alarms.
///
/// # Errors
///
/// [`StatError::TooFew`] if there are no signals or no noise, [`StatError::Parameter`] for a value that
/// is not finite.
pub fn d_prime_bias(d_prime: f64, criterion: f64, signals: u64, noise: u64) -> Result<f64, StatError> {
    check_finite("d'", d_prime)?;
    check_finite("criterion", criterion)?;
    trials(signals, noise)?;
    let hits = expected_z(signals, 0.5 * d_prime - criterion)?;
    let false_alarms = expected_z(noise, -0.5 * d_prime - criterion)?;
    Ok(hits - false_alarms - d_prime)
}

/// Expectation of the deviate of a corrected rate, the probability of yes being Φ(deviate).
fn expected_z(count: u64, deviate: f64) -> Result<f64, StatError> {
    let (yes, no) = (normal_cdf(deviate), normal_cdf(-deviate));
    let n = count as f64;
    let mut expected = 0.0;
    for k in 0..=count {
        let k = k as f64;
        let mass = if yes <= 0.0 {
            f64::from(u8::from(k <= 0.0))
        } else if no <= 0.0 {
            f64::from(u8::from(k >= n))
        } else {
            beta_factor(k + 1.0, n - k + 1.0, yes, no) / ((n + 1.0) * yes * no)
        };
        expected += mass * normal_quantile(corrected(k, n))?;
    }
    Ok(expected)
}
