//! The bootstrap-t interval of a mean.

use super::{IntervalEstimate, Resamples, replicate, tail};
use crate::StatError;
use crate::describe::{self, check_sample, select_quantile, sum_by};
use crate::distributions::check_level;

const NAME: &str = "studentized bootstrap";
/// The share of a resample's squares up to which its variance is computed again, in two passes.
const CANCELLED: f64 = 1e-6;

/// A mean, and its deviations on all resamples in units of their own standard errors.
///
/// # Examples
///
/// ```
/// use hype_stats::bootstrap::{Resamples, studentized_mean};
/// let errors = [0.31, 0.24, 0.45, 0.38, 0.29, 0.33];
/// let distribution = studentized_mean(&errors, Resamples::seeded(10_000, 7))?;
/// let interval = distribution.interval(0.95)?;
/// assert!(interval.lower < 0.28 && interval.upper > 0.39);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct StudentizedDistribution {
    estimate: f64,
    standard_error: f64,
    ratios: Vec<f64>,
}

impl StudentizedDistribution {
    /// The mean of the data themselves.
    #[must_use]
    pub const fn estimate(&self) -> f64 {
        self.estimate
    }

    /// Standard error of the mean, s / √n.
    #[must_use]
    pub const fn standard_error(&self) -> f64 {
        self.standard_error
    }

    /// (mean of the resample - mean) / standard error of the resample, in the order of drawing.
    ///
    /// Infinite for a resample of a single value, which has no standard error.
    #[must_use]
    pub fn ratios(&self) -> &[f64] {
        &self.ratios
    }

    /// Bootstrap-t interval: mean - standard error × the quantiles (1 ± level) / 2 of the ratios.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0 < level < 1; [`StatError::Degenerate`] if so many resamples are of
    /// a single value that a limit is infinite, as with three values at a level of 0.95.
    ///
    /// # Method
    ///
    /// Efron and Tibshirani (1993), equation 12.22, with quantiles of type 7. For a mean it covers with an error of
    /// order 1 / n in place of the 1 / √n of percentiles (Hall 1988).
    pub fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        check_level(level)?;
        let mut scratch = self.ratios.clone();
        let mut limit =
            |probability| self.estimate - self.standard_error * select_quantile(&mut scratch, probability);
        let (upper, lower) = (limit(tail(level)), limit(1.0 - tail(level)));
        if !(lower.is_finite() && upper.is_finite()) {
            return Err(StatError::Degenerate {
                statistic: NAME,
                reason: "too many resamples have a single value, and a limit is infinite",
            });
        }
        Ok(IntervalEstimate { lower, upper, level })
    }
}

/// Bootstraps the studentized mean, with single values as the resampled unit.
///
/// Resamples are those of [`mean`](super::mean) for the same seed.
///
/// # Errors
///
/// As [`mean`](super::mean), and [`StatError::Degenerate`] if all values are equal.
///
/// # Numerics
///
/// Ratios do not change with the values' unit and origin, so they are computed from deviations from the mean, scaled
/// by a power of two. Sums of deviations and of their squares are then enough, except in resamples of nearly equal values,
/// whose variance takes two passes.
pub fn studentized_mean(
    values: &[f64],
    resamples: Resamples<'_>,
) -> Result<StudentizedDistribution, StatError> {
    check_sample(NAME, values, 2)?;
    let estimate = describe::mean(values)?;
    let greatest = values.iter().fold(0.0_f64, |greatest, value| greatest.max((value - estimate).abs()));
    if values.iter().all(|value| value.total_cmp(&values[0]).is_eq()) || greatest <= 0.0 {
        return Err(StatError::Degenerate { statistic: NAME, reason: "all values are equal" });
    }
    let scale = -libm::ilogb(greatest);
    let deviations: Vec<f64> = values.iter().map(|value| libm::scalbn(value - estimate, scale)).collect();
    let standard_error = libm::scalbn(describe::standard_error(&deviations)?, -scale);
    let mut table = [0.0; 256];
    let ratios = if let Some(small) = table.get_mut(..values.len()) {
        small.copy_from_slice(&deviations);
        replicate(values.len(), resamples, |drawn| ratio(drawn, |index| table[usize::from(index as u8)]))?
    } else {
        replicate(values.len(), resamples, |drawn| ratio(drawn, |index| deviations[index as usize]))?
    };
    Ok(StudentizedDistribution { estimate, standard_error, ratios })
}

/// The mean of the drawn deviations in units of its standard error.
#[inline]
fn ratio(drawn: &[u32], deviation: impl Fn(u32) -> f64) -> f64 {
    let (groups, rest) = drawn.as_chunks::<4>();
    let (mut sums, mut squares) = ([0.0; 4], [0.0; 4]);
    for group in groups {
        for (lane, &index) in group.iter().enumerate() {
            let value = deviation(index);
            sums[lane] += value;
            squares[lane] += value * value;
        }
    }
    for (lane, &index) in rest.iter().enumerate() {
        let value = deviation(index);
        sums[lane] += value;
        squares[lane] += value * value;
    }
    let count = drawn.len() as f64;
    let total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    let square = (squares[0] + squares[1]) + (squares[2] + squares[3]);
    let mut around = square - total * (total / count);
    if around <= CANCELLED * square {
        let first = deviation(drawn[0]);
        around = if drawn.iter().all(|&index| deviation(index).total_cmp(&first).is_eq()) {
            0.0
        } else {
            let mean = total / count;
            sum_by(drawn.len(), |place| (deviation(drawn[place]) - mean).powi(2))
        };
    }
    // A mean without a deviation has the ratio 0, also where there is no spread.
    if total.abs() > 0.0 { total / (around * (count / (count - 1.0))).sqrt() } else { 0.0 }
}
