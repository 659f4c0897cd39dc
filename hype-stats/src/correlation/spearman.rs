//! Spearman's rank correlation.

use super::orders::share_as_extreme;
use super::{MOST_ENUMERATED_PAIRS, check_pairs, p_value, product_moment};
use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::distributions::{check_level, normal_upper_quantile};
use crate::nonparametric::rank_finite;

const NAME: &str = "Spearman's correlation";

/// The computation of the p value of Spearman's coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SpearmanMethod {
    /// From all orders of one variable's ranks, ties included, for at most nine pairs; otherwise by Student's t.
    #[default]
    Auto,
    /// By Student's t with n - 2 degrees of freedom. Far too small for few pairs: a perfect order of
    /// three has p = 0 where the exact value is 1/3.
    StudentT,
}

/// Spearman's coefficient with its p value and interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Spearman {
    /// The coefficient, between -1 and 1.
    pub rho: f64,
    /// Two-sided p value of the hypothesis of no correlation.
    pub p: f64,
    /// Whether the p value is exact.
    pub exact: bool,
    /// The confidence interval; `None` for three pairs, which say nothing about it.
    ///
    /// It is an approximation for normal values without ties. Its coverage at 95 %, simulated, is 94 to
    /// 100 % for 4 to 30 pairs and Pearson correlations up to 0.9, and 82 to 91 % at 0.99 for six pairs and
    /// more.
    pub interval: Option<IntervalEstimate>,
}

/// Computes Spearman's rank correlation coefficient, its p value and its confidence interval.
///
/// # Method
///
/// Pearson's coefficient of the ranks, tied values having their mean rank (Spearman 1904). Exact p value:
/// the share of the n! orders of one variable with at least the observed magnitude, counted in whole
/// numbers, so that ties and equal coefficients are counted right. Otherwise
/// t = ρ √((n - 2) / (1 - ρ²)) with n - 2 degrees of freedom.
///
/// Interval: tanh(artanh ρ ± z √((1 + ρ²/2) / (n - 3))) (Bonett and Wright 2000, "Sample size
/// requirements for estimating Pearson, Kendall and Spearman correlations"). A perfect order reaches to
/// 1 (or -1); its other end is that of the coefficient half a step away, at 1 - 6 / (n (n² - 1)), as the
/// formula itself would give an interval without width.
///
/// # Errors
///
/// [`StatError::Lengths`] for unequal lengths, [`StatError::TooFew`] for fewer than three pairs,
/// [`StatError::NotFinite`] for NaN or infinity, [`StatError::Degenerate`] for a constant variable, and
/// [`StatError::Parameter`] for a level outside 0..1.
///
/// # Examples
///
/// Three models in the same order by two measures are not evidence of a correlation:
///
/// ```
/// # use hype_stats::correlation::{SpearmanMethod, spearman};
/// let found = spearman(&[0.1, 0.2, 0.4], &[12.0, 30.0, 31.0], SpearmanMethod::Auto, 0.95)?;
/// assert!((found.rho - 1.0).abs() < 1e-15);
/// assert!(found.exact && (found.p - 1.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn spearman(x: &[f64], y: &[f64], method: SpearmanMethod, level: f64) -> Result<Spearman, StatError> {
    check_level(level)?;
    check_pairs(NAME, x, y, 3)?;
    let pairs = x.len();
    let exact = match method {
        SpearmanMethod::Auto => pairs <= MOST_ENUMERATED_PAIRS,
        SpearmanMethod::StudentT => false,
    };
    let (left, right) = (rank_finite(x).ranks, rank_finite(y).ranks);
    let rho = product_moment(NAME, &left, &right)?;
    let p = if exact { exact_p(&left, &right) } else { p_value(rho, pairs)? };
    Ok(Spearman { rho, p, exact, interval: interval(rho, pairs, level)? })
}

/// The share of the orders of the ranks `y` that correlate with `x` at least as much as this one.
fn exact_p(x: &[f64], y: &[f64]) -> f64 {
    // Mean ranks are multiples of 1/2, and their mean is (n + 1) / 2: twice the deviations are whole.
    let whole = |ranks: &[f64]| -> Vec<i64> {
        ranks.iter().map(|rank| (2.0 * rank) as i64 - (ranks.len() as i64 + 1)).collect()
    };
    let (x, y) = (whole(x), whole(y));
    let mut values = y.clone();
    values.sort_unstable();
    values.dedup();
    let counts: Vec<u8> =
        values.iter().map(|value| y.iter().filter(|&other| other == value).count() as u8).collect();
    let observed = x.iter().zip(&y).map(|(x, y)| x * y).sum();
    share_as_extreme(&counts, observed, |place, value, _| x[place] * values[value])
}

fn interval(rho: f64, pairs: usize, level: f64) -> Result<Option<IntervalEstimate>, StatError> {
    if pairs < 4 {
        return Ok(None);
    }
    let n = pairs as f64;
    let nearest = 1.0 - 6.0 / (n * (n * n - 1.0));
    let inner = rho.clamp(-nearest, nearest);
    let margin =
        normal_upper_quantile(0.5 * (1.0 - level))? * ((1.0 + 0.5 * inner * inner) / (n - 3.0)).sqrt();
    Ok(Some(IntervalEstimate {
        lower: if rho < -nearest { -1.0 } else { (inner.atanh() - margin).tanh() },
        upper: if rho > nearest { 1.0 } else { (inner.atanh() + margin).tanh() },
        level,
    }))
}
