//! Mean and standard deviation of normal values, and the mean of positive ones, of which some are known only to lie beyond a limit.
//!
//! A staircase that ends at its shortest or longest exposure gives a threshold at or beyond it. The mean of
//! the limits themselves is biased towards the middle; here each value enters the likelihood with what is
//! known about it.

mod likelihood;
mod positive;

pub use self::positive::{CensoredGamma, censored_gamma};

use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::distributions::{StudentT, check_level, increasing_root};

use likelihood::{Likelihood, Slopes};

const NAME: &str = "censored mean";
/// The number of Newton steps after which the search fails.
const STEPS: usize = 200;
/// The number of halvings of one step after which the search fails.
const HALVINGS: usize = 60;
/// Twice the expected gain in log-likelihood below which no further step is taken.
const NEGLIGIBLE: f64 = 1e-24;
/// The reciprocal of the standard deviation, on values scaled to a range of 1, below which the deviation
/// counts as infinite.
const FLAT: f64 = 1e-5;

/// What is known of one value.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a value can be censored in no other way")]
pub enum Reading {
    /// The value itself.
    Exact(f64),
    /// The value is at most this: left-censored.
    AtMost(f64),
    /// The value is at least this: right-censored.
    AtLeast(f64),
    /// The value lies between these two: interval-censored.
    Between(f64, f64),
}

impl Reading {
    /// The limits between which the value lies.
    const fn limits(self) -> (f64, f64) {
        match self {
            Self::Exact(value) => (value, value),
            Self::AtMost(high) => (f64::NEG_INFINITY, high),
            Self::AtLeast(low) => (low, f64::INFINITY),
            Self::Between(low, high) => (low, high),
        }
    }

    fn scaled(self, centre: f64, unit: f64) -> Self {
        let scaled = |value: f64| (value - centre) / unit;
        match self {
            Self::Exact(value) => Self::Exact(scaled(value)),
            Self::AtMost(high) => Self::AtMost(scaled(high)),
            Self::AtLeast(low) => Self::AtLeast(scaled(low)),
            Self::Between(low, high) => Self::Between(scaled(low), scaled(high)),
        }
    }
}

/// The normal distribution that fits censored values best.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CensoredNormal {
    /// Estimated mean.
    pub mean: f64,
    /// Standard error of the mean, from the observed information.
    pub mean_error: f64,
    /// Estimated standard deviation; for exact values that with n in the denominator.
    pub standard_deviation: f64,
    /// Standard error of the standard deviation, from the observed information.
    pub standard_deviation_error: f64,
    /// Logarithm of the likelihood: densities of exact values, probabilities of others.
    pub log_likelihood: f64,
    /// Number of values that are known exactly.
    pub exact: usize,
    /// Number of other values.
    pub censored: usize,
    likelihood: Likelihood,
    /// The maximum of the scaled log-likelihood.
    maximum: f64,
    centre: f64,
    unit: f64,
}

/// Estimates mean and standard deviation of normal values, some of them censored, by maximum likelihood.
///
/// # Method
///
/// Tobin (1958), "Estimation of relationships for limited dependent variables", with an intercept alone. In
/// γ = μ / σ and δ = 1 / σ the log-likelihood is concave (Olsen 1978; Burridge 1981 for intervals), and
/// Newton's method with halved steps finds its only maximum. Standard errors from the inverse of the
/// information there, by the delta method.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two values, [`StatError::NotFinite`] for a limit that is NaN or
/// infinite, [`StatError::Parameter`] for an interval whose ends are not in ascending order, and
/// [`StatError::Degenerate`] if all values are censored on one side, if one number agrees with all values,
/// or if the values do not bound the deviation.
///
/// # Examples
///
/// ```
/// use hype_stats::censored::{Reading, censored_normal};
/// let thresholds = [212.0, 305.0, 480.0, 390.0, 333.0].map(Reading::Exact);
/// let readings = [&thresholds[..], &[Reading::AtLeast(700.0), Reading::AtMost(100.0)]].concat();
/// let found = censored_normal(&readings)?;
/// let interval = found.interval(0.95)?;
/// assert!(interval.lower < found.mean && found.mean < interval.upper);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn censored_normal(readings: &[Reading]) -> Result<CensoredNormal, StatError> {
    let (centre, unit) = scale(readings)?;
    let likelihood = Likelihood::new(readings.iter().map(|reading| reading.scaled(centre, unit)).collect());
    let (location, precision) = climb(&likelihood)?;
    if precision < FLAT {
        return Err(degenerate("the values do not bound the standard deviation"));
    }
    let slopes = likelihood.slopes(location, precision);
    let [a, b, c] = slopes.information;
    let determinant = a * c - b * b;
    if !(determinant > 0.0 && a > 0.0) {
        return Err(degenerate("the information matrix is singular in double precision"));
    }
    // Mean γ/δ and deviation 1/δ, with the covariance of γ and δ.
    let mean = location / precision;
    let mean_variance = (c + 2.0 * mean * b + mean * mean * a) / (determinant * precision * precision);
    let deviation_error = (a / determinant).sqrt() / (precision * precision);
    let exact = readings.iter().filter(|reading| matches!(reading, Reading::Exact(_))).count();
    Ok(CensoredNormal {
        mean: centre + unit * mean,
        mean_error: unit * mean_variance.sqrt(),
        standard_deviation: unit / precision,
        standard_deviation_error: unit * deviation_error,
        log_likelihood: slopes.value - exact as f64 * unit.ln(),
        exact,
        censored: readings.len() - exact,
        likelihood,
        maximum: slopes.value,
        centre,
        unit,
    })
}

impl CensoredNormal {
    /// Computes the profile-likelihood interval of the mean.
    ///
    /// # Method
    ///
    /// All means for which twice the loss of log-likelihood, with the best deviation for each, is at most
    /// n ln(1 + t² / (n - 1)), t being the quantile of Student's t with n - 1 degrees of freedom. For exact
    /// values that is Student's interval; with χ² in its place, the asymptotic rule, it is too short for few
    /// values. An end that no value bounds is infinite.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0..1.
    pub fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        check_level(level)?;
        let n = (self.exact + self.censored) as f64;
        let t = StudentT::new(n - 1.0)?.upper_quantile(0.5 * (1.0 - level))?;
        let most = n * (t * t / (n - 1.0)).ln_1p();
        let (start, step) = ((self.mean - self.centre) / self.unit, self.mean_error / self.unit);
        let loss = |mean: f64| 2.0 * (self.maximum - profile(&self.likelihood, mean)) - most;
        let upper = increasing_root(start, step, loss).unwrap_or(f64::INFINITY);
        let lower = increasing_root(-start, step, |mean| loss(-mean)).map_or(f64::NEG_INFINITY, |mean| -mean);
        let unscaled = |mean: f64| self.centre + self.unit * mean;
        Ok(IntervalEstimate { lower: unscaled(lower), upper: unscaled(upper), level })
    }
}

const fn degenerate(reason: &'static str) -> StatError {
    StatError::Degenerate { statistic: NAME, reason }
}

/// Centre and range of the limits; refuses readings without an estimate.
fn scale(readings: &[Reading]) -> Result<(f64, f64), StatError> {
    if readings.len() < 2 {
        return Err(StatError::TooFew { statistic: NAME, needed: 2, of: "values", got: readings.len() });
    }
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut highest_low, mut lowest_high) = (f64::NEG_INFINITY, f64::INFINITY);
    for (index, reading) in readings.iter().enumerate() {
        let (low, high) = reading.limits();
        let given = match *reading {
            Reading::AtMost(value) | Reading::AtLeast(value) | Reading::Exact(value) => [value, value],
            Reading::Between(low, high) => [low, high],
        };
        for got in given {
            if !got.is_finite() {
                return Err(StatError::NotFinite { statistic: NAME, index, got });
            }
            (least, most) = (least.min(got), most.max(got));
        }
        if matches!(reading, Reading::Between(low, high) if low >= high) {
            let expected = "above the lower end of its interval";
            return Err(StatError::Parameter { parameter: "upper end of a value", expected, got: high });
        }
        (highest_low, lowest_high) = (highest_low.max(low), lowest_high.min(high));
    }
    if highest_low <= f64::NEG_INFINITY || lowest_high >= f64::INFINITY {
        return Err(degenerate("all values are censored on one side"));
    }
    if highest_low <= lowest_high {
        return Err(degenerate("one number agrees with all values, so that their spread is unknown"));
    }
    Ok((0.5 * least + 0.5 * most, most - least))
}

/// The maximum of the log-likelihood, as γ and δ.
fn climb(likelihood: &Likelihood) -> Result<(f64, f64), StatError> {
    // Of values over a range of 1 around 0.
    let (mut location, mut precision) = (0.0, 3.0);
    let mut here = likelihood.slopes(location, precision);
    for _ in 0..STEPS {
        let [a, b, c] = here.information;
        let determinant = a * c - b * b;
        let [by_location, by_precision] = here.gradient;
        let step = [
            (c * by_location - b * by_precision) / determinant,
            (a * by_precision - b * by_location) / determinant,
        ];
        let promise = step[0] * by_location + step[1] * by_precision;
        if promise.abs() <= NEGLIGIBLE || precision < FLAT {
            return Ok((location, precision));
        }
        let Some(next) = shorten(here.value, |share| {
            let (location, precision) = (location + share * step[0], precision + share * step[1]);
            (precision > 0.0).then(|| (location, precision, likelihood.slopes(location, precision)))
        }) else {
            // No step gains anything: the maximum up to rounding, where little was to be gained.
            return if promise.abs() < 1e-9 { Ok((location, precision)) } else { Err(lost()) };
        };
        (location, precision, here) = next;
    }
    Err(lost())
}

const fn lost() -> StatError {
    StatError::NoConvergence { statistic: NAME, iterations: STEPS }
}

/// The first of a step and its halves that does not lose log-likelihood.
fn shorten<T>(value: f64, attempt: impl Fn(f64) -> Option<(f64, T, Slopes)>) -> Option<(f64, T, Slopes)> {
    let floor = value - 1e-14 * (1.0 + value.abs());
    let mut share = 1.0;
    (0..HALVINGS).find_map(|_| {
        let found = attempt(share).filter(|(_, _, slopes)| slopes.value >= floor);
        share *= 0.5;
        found
    })
}

/// The log-likelihood of a mean with the best deviation for it.
fn profile(likelihood: &Likelihood, mean: f64) -> f64 {
    let mut precision = 1.0 / (0.3 + mean.abs());
    let at = |precision: f64| likelihood.slopes(mean * precision, precision);
    let mut here = at(precision);
    for _ in 0..STEPS {
        let [a, b, c] = here.information;
        // Along the line γ = μ δ.
        let slope = here.gradient[1] + mean * here.gradient[0];
        let curvature = c + mean * (2.0 * b + mean * a);
        let step = slope / curvature;
        if (slope * step).abs() <= NEGLIGIBLE {
            break;
        }
        let Some((next, (), slopes)) = shorten(here.value, |share| {
            let next = precision + share * step;
            (next > 0.0).then(|| (next, (), at(next)))
        }) else {
            break;
        };
        (precision, here) = (next, slopes);
    }
    here.value
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, clippy::excessive_precision, reason = "tests")]
mod tests;
