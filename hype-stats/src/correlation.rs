//! Correlation of paired values: Pearson's, Spearman's and Kendall's.

mod kendall;
mod orders;
mod spearman;

pub use kendall::{Kendall, KendallMethod, kendall};
pub use spearman::{Spearman, SpearmanMethod, spearman};

use crate::StatError;
use crate::describe::{check_sample, sum, sum_by};
use crate::distributions::{StudentT, check_level, normal_upper_quantile};

/// The largest number of pairs whose orders are all enumerated: 9! = 362,880.
const MOST_ENUMERATED_PAIRS: usize = 9;

/// Pearson's coefficient with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Pearson {
    /// The coefficient, between -1 and 1.
    pub r: f64,
    /// Two-sided p value.
    pub p: f64,
    /// Lower end of the confidence interval.
    pub low: f64,
    /// Upper end of the confidence interval.
    pub high: f64,
}

/// Refuses pairs of unequal length, too few, or not finite.
fn check_pairs(statistic: &'static str, x: &[f64], y: &[f64], needed: usize) -> Result<(), StatError> {
    if x.len() != y.len() {
        return Err(StatError::Lengths { statistic, left: x.len(), right: y.len() });
    }
    if x.len() < needed {
        return Err(StatError::TooFew { statistic, needed, of: "pairs", got: x.len() });
    }
    check_sample(statistic, x, needed)?;
    check_sample(statistic, y, needed)
}

const fn constant(statistic: &'static str) -> StatError {
    StatError::Degenerate { statistic, reason: "one of the variables is constant" }
}

/// Deviations from the mean, scaled to unit length.
fn standardized(statistic: &'static str, values: &[f64]) -> Result<Vec<f64>, StatError> {
    if values.windows(2).all(|pair| pair[0].total_cmp(&pair[1]).is_eq()) {
        return Err(constant(statistic));
    }
    let mean = sum(values) / values.len() as f64;
    let mut deviations: Vec<f64> = values.iter().map(|value| value - mean).collect();
    // Scaling by the largest first keeps the squares within range.
    let largest = deviations.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    deviations.iter_mut().for_each(|value| *value /= largest);
    let length = sum_by(deviations.len(), |index| deviations[index].powi(2)).sqrt();
    if !(length.is_finite() && largest > 0.0) {
        return Err(constant(statistic));
    }
    deviations.iter_mut().for_each(|value| *value /= length);
    Ok(deviations)
}

fn product_moment(statistic: &'static str, x: &[f64], y: &[f64]) -> Result<f64, StatError> {
    let (x, y) = (standardized(statistic, x)?, standardized(statistic, y)?);
    Ok(sum_by(x.len(), |index| x[index] * y[index]).clamp(-1.0, 1.0))
}

/// P value of a product-moment coefficient by Student's t with n - 2 degrees of freedom.
fn p_value(r: f64, count: usize) -> Result<f64, StatError> {
    let degrees = (count - 2) as f64;
    let t = r * (degrees / ((1.0 - r) * (1.0 + r))).sqrt();
    Ok(StudentT::new(degrees)?.two_sided(t))
}

/// Computes Pearson's correlation coefficient, its p value and Fisher's confidence interval.
///
/// # Method
///
/// r = Σ (x - x̄)(y - ȳ) / √(Σ (x - x̄)² Σ (y - ȳ)²); t = r √((n - 2) / (1 - r²)) with n - 2 degrees
/// of freedom, for normal values; interval tanh(artanh r ± z / √(n - 3)) (Fisher 1921), all of -1..1
/// for three pairs.
///
/// # Errors
///
/// [`StatError::Lengths`] for unequal lengths, [`StatError::TooFew`] for fewer than three pairs,
/// [`StatError::NotFinite`] for NaN or infinity, [`StatError::Degenerate`] for a constant variable
/// and [`StatError::Parameter`] for a level outside 0..1.
///
/// # Examples
///
/// ```
/// # use hype_stats::correlation::pearson;
/// let found = pearson(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0], 0.95)?;
/// assert!((found.r - 0.8).abs() < 1e-15);
/// assert!((found.p - 0.2).abs() < 1e-14);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn pearson(x: &[f64], y: &[f64], level: f64) -> Result<Pearson, StatError> {
    const NAME: &str = "Pearson's correlation";
    check_level(level)?;
    check_pairs(NAME, x, y, 3)?;
    let r = product_moment(NAME, x, y)?;
    let (low, high) = if x.len() == 3 {
        (-1.0, 1.0)
    } else {
        let margin = normal_upper_quantile(0.5 * (1.0 - level))? / ((x.len() - 3) as f64).sqrt();
        let z = r.atanh();
        ((z - margin).tanh(), (z + margin).tanh())
    };
    Ok(Pearson { r, p: p_value(r, x.len())?, low, high })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests;
