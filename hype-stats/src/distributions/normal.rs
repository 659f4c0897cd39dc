//! The standard normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use libm::erfc;
use statrs::function::erf::erfc_inv;

use super::{check_level, check_probability, increasing_root};
use crate::StatError;

/// Computes the density of the standard normal distribution.
#[must_use]
pub fn normal_density(deviate: f64) -> f64 {
    (-0.5 * deviate * deviate).exp() / (2.0 * PI).sqrt()
}

/// Computes P(Z ≤ deviate) for a standard normal Z.
///
/// # Numerics
///
/// erfc(-z/√2)/2, so the lower tail keeps its relative precision: 1e-14 near -8, 2e-13 near
/// -37, where the probability itself leaves the range of normal doubles.
///
/// # Examples
///
/// ```
/// # use hype_stats::distributions::normal_cdf;
/// assert!((normal_cdf(-8.0) / 6.220960574271785e-16 - 1.0).abs() < 1e-13);
/// ```
#[must_use]
pub fn normal_cdf(deviate: f64) -> f64 {
    0.5 * erfc(-deviate * FRAC_1_SQRT_2)
}

/// Computes P(Z > deviate) for a standard normal Z, with the precision of [`normal_cdf`].
#[must_use]
pub fn normal_sf(deviate: f64) -> f64 {
    0.5 * erfc(deviate * FRAC_1_SQRT_2)
}

/// Finds the deviate with `probability` below it under the standard normal distribution.
///
/// Zero and one give the infinities.
///
/// # Errors
///
/// [`StatError::Parameter`] for a probability outside 0..=1.
pub fn normal_quantile(probability: f64) -> Result<f64, StatError> {
    check_probability(probability)?;
    Ok(if probability <= 0.5 { -upper_deviate(probability) } else { upper_deviate(1.0 - probability) })
}

/// Finds the deviate with `probability` above it under the standard normal distribution.
///
/// # Errors
///
/// As [`normal_quantile`].
pub fn normal_upper_quantile(probability: f64) -> Result<f64, StatError> {
    normal_quantile(probability).map(|deviate| 0.0 - deviate)
}

/// Finds the margin that the size of a normal deviate with this mean and standard deviation 1 exceeds with probability
/// 1 - `probability`.
///
/// An estimate whose bias is at most `mean` standard errors, less and more this many standard errors, is an interval that covers
/// with `probability` or more: the interval of fixed length of Armstrong and Kolesár (2018), "Optimal inference in a class of
/// regression models", Econometrica 86.
///
/// # Errors
///
/// [`StatError::Parameter`] for a probability that is not between 0 and 1, or a mean that is not finite.
///
/// # Examples
///
/// ```
/// # use hype_stats::distributions::folded_normal_quantile;
/// let margins = [0.0, 0.5, 1.0].map(|bias| folded_normal_quantile(bias, 0.95).unwrap());
/// assert_eq!(margins.map(|margin| (1000.0 * margin).round()), [1960.0, 2181.0, 2646.0]);
/// ```
pub fn folded_normal_quantile(mean: f64, probability: f64) -> Result<f64, StatError> {
    check_level(probability)?;
    if !mean.is_finite() {
        return Err(StatError::Parameter { parameter: "mean", expected: "finite", got: mean });
    }
    let mean = mean.abs();
    // By the tails, which keep their precision.
    let beyond = |margin: f64| normal_sf(margin - mean) + normal_sf(margin + mean);
    let start = mean + normal_upper_quantile(0.5 * (1.0 - probability))?;
    increasing_root(start, 0.1, |margin| 1.0 - probability - beyond(margin))
        .ok_or(StatError::NoConvergence { statistic: "folded normal quantile", iterations: 200 })
}

/// How many times as wide an interval must be to cover as often, if the estimate may be off by as much as `bias` standard errors:
/// the quotient of two of [`folded_normal_quantile`].
///
/// # Errors
///
/// As [`folded_normal_quantile`].
pub fn widening_for_bias(bias: f64, probability: f64) -> Result<f64, StatError> {
    Ok(folded_normal_quantile(bias, probability)? / folded_normal_quantile(0.0, probability)?)
}

/// The deviate with `tail` ≤ 1/2 above it: a rational start and one step of Newton's method on the
/// logarithm of the tail.
fn upper_deviate(tail: f64) -> f64 {
    let start = std::f64::consts::SQRT_2 * erfc_inv(2.0 * tail);
    let there = normal_sf(start);
    if !(start.is_finite() && there > f64::MIN_POSITIVE) {
        return start;
    }
    start + (there / tail).ln() * there / normal_density(start)
}
