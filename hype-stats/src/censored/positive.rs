//! The mean of positive values of which some are censored.

use statrs::function::gamma::ln_gamma;

use super::{Reading, degenerate, scale};
use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::distributions::{StudentT, check_level, incomplete_gamma, increasing_root};
use crate::minimum::{Minimum, Sought, minimize};

const SOUGHT: Sought =
    Sought { statistic: super::NAME, reason: "the likelihood has no maximum, as too few values are exact" };
/// The shape from which the search starts: a deviation of 70 % of the mean.
const START: f64 = 2.0;

/// The gamma distribution that fits positive, censored values best.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CensoredGamma {
    /// Estimated mean; for exact values their mean.
    pub mean: f64,
    /// Estimated shape: the squared ratio of mean to standard deviation.
    pub shape: f64,
    /// Logarithm of the likelihood: densities of exact values, probabilities of others.
    pub log_likelihood: f64,
    readings: Vec<Reading>,
    /// The standard error of the logarithm of the mean, from the observed information.
    log_error: f64,
}

/// Estimates the mean of positive values, some of them censored, by maximum likelihood.
///
/// # Method
///
/// The values follow a gamma distribution, so that the mean is that of the values where all are exact, and neither it nor its
/// interval reaches zero. Unlike a log-normal distribution, the mean of which depends on a tail that few values say little
/// about, it gives a useful interval of few values. Newton's method with damped steps finds the maximum in the logarithms of
/// mean and shape.
///
/// # Errors
///
/// Those of [`censored_normal`](super::censored_normal), and [`StatError::Parameter`] for a limit that is not positive.
///
/// # Examples
///
/// ```
/// use hype_stats::censored::{Reading, censored_gamma};
/// let thresholds = [212.0, 305.0, 180.0, 133.0].map(Reading::Exact);
/// let readings = [&thresholds[..], &[Reading::AtMost(100.0); 4]].concat();
/// let found = censored_gamma(&readings)?;
/// let interval = found.interval(0.95)?;
/// assert!(0.0 < interval.lower && interval.lower < found.mean && found.mean < interval.upper);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn censored_gamma(readings: &[Reading]) -> Result<CensoredGamma, StatError> {
    scale(readings)?;
    let mut sum = 0.0;
    for &reading in readings {
        let (low, high) = reading.limits();
        let (low, high) =
            (if low.is_finite() { low } else { high }, if high.is_finite() { high } else { low });
        if low <= 0.0 {
            return Err(StatError::Parameter {
                parameter: "limit of a value",
                expected: "above 0",
                got: low,
            });
        }
        sum += f64::midpoint(low, high);
    }
    let start = vec![(sum / readings.len() as f64).ln(), START.ln()];
    let Minimum { point, value, hessian } =
        minimize(SOUGHT, start, &mut |point| loss(readings, point[0], point[1]))?;
    let determinant = hessian[0][0] * hessian[1][1] - hessian[0][1] * hessian[1][0];
    let variance = hessian[1][1] / determinant;
    if !(variance > 0.0 && variance.is_finite()) {
        return Err(degenerate("the values do not bound the mean"));
    }
    Ok(CensoredGamma {
        mean: point[0].exp(),
        shape: point[1].exp(),
        log_likelihood: -value,
        readings: readings.to_vec(),
        log_error: variance.sqrt(),
    })
}

impl CensoredGamma {
    /// Computes the profile-likelihood interval of the mean.
    ///
    /// # Method
    ///
    /// All means for which twice the loss of log-likelihood, with the best shape for each, is at most n ln(1 + t² / (n - 1)), as
    /// in [`CensoredNormal::interval`](super::CensoredNormal::interval). An end that no value bounds is zero or infinite.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0..1.
    pub fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        check_level(level)?;
        let n = self.readings.len() as f64;
        let t = StudentT::new(n - 1.0)?.upper_quantile(0.5 * (1.0 - level))?;
        let most = n * (t * t / (n - 1.0)).ln_1p();
        // By how much the loss exceeds the limit at a distance from the estimate. The best shape changes little from one mean to
        // the next.
        let end = |side: f64| {
            let mut shape = self.shape.ln();
            increasing_root(0.0, self.log_error, |distance| {
                let log_mean = self.mean.ln() + side * distance;
                let best =
                    minimize(SOUGHT, vec![shape], &mut |point| loss(&self.readings, log_mean, point[0]));
                best.map_or(f64::NAN, |best| {
                    shape = best.point[0];
                    2.0 * (self.log_likelihood + best.value) - most
                })
            })
        };
        let lower = end(-1.0).map_or(0.0, |distance| self.mean * (-distance).exp());
        let upper = end(1.0).map_or(f64::INFINITY, |distance| self.mean * distance.exp());
        Ok(IntervalEstimate { lower, upper, level })
    }
}

/// The negative log-likelihood of the logarithms of mean and shape; `None` where it is not finite.
fn loss(readings: &[Reading], log_mean: f64, log_shape: f64) -> Option<f64> {
    let (shape, log_rate) = (log_shape.exp(), log_shape - log_mean);
    let rate = log_rate.exp();
    let tails = |value: f64| incomplete_gamma(shape, rate * value);
    let constant = shape * log_rate - ln_gamma(shape);
    let term = |reading: &Reading| match *reading {
        Reading::Exact(value) => constant + (shape - 1.0) * value.ln() - rate * value,
        Reading::AtMost(high) => tails(high).lower.ln(),
        Reading::AtLeast(low) => tails(low).upper.ln(),
        Reading::Between(low, high) => {
            let (low, high) = (tails(low), tails(high));
            // The difference of the smaller tails keeps its digits.
            if low.lower > 0.5 { (low.upper - high.upper).ln() } else { (high.lower - low.lower).ln() }
        }
    };
    let value: f64 = readings.iter().map(term).sum();
    value.is_finite().then_some(-value)
}
