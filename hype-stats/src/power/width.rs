//! The width of the interval of a mean.

use super::means::{check_count, check_deviation};
use crate::StatError;
use crate::distributions::{ChiSquared, StudentT, check_level, normal_upper_quantile};

/// Computes the width that the t interval of a mean of `count` values is expected to have, from end to end.
///
/// # Method
///
/// 2 t s / √n with n - 1 degrees of freedom.
///
/// # Errors
///
/// [`StatError::Parameter`] for a standard deviation that is not positive, a count of at most one or a level outside
/// 0..1.
pub fn interval_width(standard_deviation: f64, count: f64, level: f64) -> Result<f64, StatError> {
    check_level(level)?;
    let deviation = check_deviation(standard_deviation)?;
    let count = check_count(count)?;
    let t = StudentT::new(count - 1.0)?.upper_quantile(0.5 * (1.0 - level))?;
    Ok(2.0 * t * deviation / count.sqrt())
}

/// Computes the width that the percentile interval of a bootstrap of `count` values is expected to have.
///
/// `standard_deviation` is that of the values with n in place of n - 1, as resampling has it.
///
/// # Method
///
/// 2 z s / √n; at 95 % 3.92 s / √n.
///
/// # Errors
///
/// As [`interval_width`].
pub fn percentile_width(standard_deviation: f64, count: f64, level: f64) -> Result<f64, StatError> {
    check_level(level)?;
    let deviation = check_deviation(standard_deviation)?;
    let count = check_count(count)?;
    Ok(2.0 * normal_upper_quantile(0.5 * (1.0 - level))? * deviation / count.sqrt())
}

/// Computes the upper confidence limit of a standard deviation that `count` values of a pilot study have shown.
///
/// Small pilots show too small standard deviations more often than not. A plan from their 80 % limit is large enough
/// in four of five cases (Browne 1995, "On the use of a pilot sample for sample size determination").
///
/// # Method
///
/// s √((n - 1) / χ²), with the quantile of χ² with n - 1 degrees of freedom at 1 - `level`, for normal values.
///
/// # Errors
///
/// As [`interval_width`].
///
/// # Examples
///
/// ```
/// # use hype_stats::power::deviation_limit;
/// assert!((deviation_limit(7.2, 12.0, 0.8)? / 7.2 - 1.2546).abs() < 1e-4);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn deviation_limit(standard_deviation: f64, count: f64, level: f64) -> Result<f64, StatError> {
    check_level(level)?;
    let deviation = check_deviation(standard_deviation)?;
    let degrees = check_count(count)? - 1.0;
    Ok(deviation * (degrees / ChiSquared::new(degrees)?.quantile(1.0 - level)?).sqrt())
}
