//! The standard normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use libm::erfc;
use statrs::function::erf::erfc_inv;

use super::check_probability;
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
