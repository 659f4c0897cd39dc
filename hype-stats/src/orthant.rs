//! Probabilities of orders of independent normal estimates.
//!
//! They say how likely a planned study is to show the assumed order, or the assumed best model in front. They are not
//! probabilities that an observed order is the true one.

use crate::StatError;
use crate::describe::check_sample;
use crate::distributions::{normal_cdf, normal_density};
use crate::quadrature::{POINTS, Panel, RULE, running_integrals};

/// Computes P(X₁ > X₂ > … > X_k) for independent normal X_j with these means and standard errors.
///
/// # Method
///
/// F_k(x) = P(X_k ≤ x) and F_j(x) = ∫ φ_j(y) F_{j+1}(y) dy up to x; F₁(∞) is the probability. One integral after the
/// other instead of one of k dimensions, as only neighbours are compared.
///
/// # Numerics
///
/// Gauss-Legendre panels of at most half a standard error wherever a density is not negligible, with the running
/// integral of the interpolating polynomial; the error is below 1e-9.
///
/// # Errors
///
/// [`StatError::TooFew`] without estimates, [`StatError::Lengths`] for slices of different lengths,
/// [`StatError::NotFinite`] for NaN or infinity, and [`StatError::Parameter`] for a standard error that is not
/// positive.
///
/// # Examples
///
/// ```
/// # use hype_stats::orthant::order_probability;
/// // Two equal models are as likely to come out in either order.
/// assert!((order_probability(&[0.3, 0.3], &[0.02, 0.05])? - 0.5).abs() < 1e-9);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn order_probability(means: &[f64], standard_errors: &[f64]) -> Result<f64, StatError> {
    let estimates = estimates("probability of an order", means, standard_errors)?;
    let Some((last, others)) = estimates.split_last() else { return Ok(1.0) };
    let panels = panels(&estimates);
    let running = running_integrals();
    let mut below: Vec<[f64; POINTS]> =
        panels.iter().map(|panel| panel.points().map(|x| normal_cdf(last.deviate(x)))).collect();
    let mut total = 1.0;
    for estimate in others.iter().rev() {
        total = 0.0;
        for (panel, values) in panels.iter().zip(&mut below) {
            let integrand: [f64; POINTS] = {
                let points = panel.points();
                std::array::from_fn(|place| estimate.density(points[place]) * values[place])
            };
            for (value, row) in values.iter_mut().zip(&running) {
                let part: f64 = row.iter().zip(&integrand).map(|(weight, value)| weight * value).sum();
                *value = total + panel.half * part;
            }
            total += panel.integral(&integrand);
        }
    }
    Ok(total.clamp(0.0, 1.0))
}

/// Computes the probability of each of several independent normal estimates that it is the largest.
///
/// # Method
///
/// ∫ φ_j(x) Π_{i ≠ j} Φ_i(x) dx on the panels of [`order_probability`].
///
/// # Errors
///
/// As [`order_probability`].
///
/// # Examples
///
/// ```
/// # use hype_stats::orthant::best_probabilities;
/// let found = best_probabilities(&[0.3, 0.3, 0.1], &[0.02, 0.02, 0.02])?;
/// assert!((found[0] - 0.5).abs() < 1e-6 && found[2] < 1e-6);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn best_probabilities(means: &[f64], standard_errors: &[f64]) -> Result<Vec<f64>, StatError> {
    let estimates = estimates("probability of the largest", means, standard_errors)?;
    let count = estimates.len();
    let mut found = vec![0.0; count];
    // Products of the distribution functions from each estimate on.
    let mut after = vec![1.0; count + 1];
    let mut below = vec![0.0; count];
    for panel in panels(&estimates) {
        for (x, (_, weight)) in panel.points().into_iter().zip(RULE) {
            for (value, estimate) in below.iter_mut().zip(&estimates) {
                *value = normal_cdf(estimate.deviate(x));
            }
            for place in (0..count).rev() {
                after[place] = after[place + 1] * below[place];
            }
            let mut before = panel.half * weight;
            for (place, estimate) in estimates.iter().enumerate() {
                found[place] += before * after[place + 1] * estimate.density(x);
                before *= below[place];
            }
        }
    }
    Ok(found)
}

#[derive(Clone, Copy)]
struct Estimate {
    mean: f64,
    error: f64,
}

impl Estimate {
    fn deviate(&self, x: f64) -> f64 {
        (x - self.mean) / self.error
    }

    fn density(&self, x: f64) -> f64 {
        normal_density(self.deviate(x)) / self.error
    }
}

fn estimates(statistic: &'static str, means: &[f64], errors: &[f64]) -> Result<Vec<Estimate>, StatError> {
    if means.len() != errors.len() {
        return Err(StatError::Lengths { statistic, left: means.len(), right: errors.len() });
    }
    check_sample(statistic, means, 1)?;
    check_sample(statistic, errors, 1)?;
    means
        .iter()
        .zip(errors)
        .map(|(&mean, &error)| {
            if error > 0.0 {
                Ok(Estimate { mean, error })
            } else {
                Err(StatError::Parameter { parameter: "standard error", expected: "positive", got: error })
            }
        })
        .collect()
}

/// Panels between all points that lie half standard errors, up to nine, from a mean.
fn panels(estimates: &[Estimate]) -> Vec<Panel> {
    let mut ends: Vec<f64> = estimates
        .iter()
        .flat_map(|estimate| (-18..=18).map(|step| estimate.mean + 0.5 * f64::from(step) * estimate.error))
        .collect();
    ends.sort_by(f64::total_cmp);
    ends.windows(2).map(|pair| Panel::between(pair[0], pair[1])).filter(|panel| panel.half > 0.0).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests;
