//! Power of tests, and how many raters or trials reach it.
//!
//! The power of a test is the probability that it rejects at the level α if the effect is as assumed. Numbers of
//! raters need not be whole, so [`count_for`] finds where the power is exactly the wanted one; round up.
//!
//! - [`welch`]: two means over raters; [`pairs`]: all pairs of several models.
//! - [`crossed`]: raters and stimuli that are both samples, so the result holds for other raters and other
//!   stimuli.
//! - [`equivalent`]: equivalence of a mean with a reference value.
//! - [`interval_width`], [`percentile_width`]: the precision of a mean; [`deviation_limit`]: a cautious standard deviation
//!   from a pilot study.

mod crossed;
mod equivalent;
mod means;
mod pairs;
mod width;

pub use crossed::{CrossedDesign, MeanSquares, VarianceShares, crossed};
pub use equivalent::equivalent;
pub use means::{PlannedGroup, TestPower, t_test, welch};
pub use pairs::{PairPowers, PairProcedure, SimulatedStudies, pairs};
pub use width::{deviation_limit, interval_width, percentile_width};

use std::f64::consts::LN_2;

use crate::StatError;
use crate::distributions::{check_level, increasing_root};

/// Finds the number of raters or trials from which on a test has the power `target`.
///
/// `power` gives the power of a number, which need not be whole, and has to grow with it. Gives `least` if that is
/// enough.
///
/// # Errors
///
/// [`StatError::Parameter`] for a target outside 0..1 or a `least` that is not positive, an error of `power`, and
/// [`StatError::Degenerate`] if 1e9 are not enough.
///
/// # Examples
///
/// ```
/// # use hype_stats::power::{count_for, t_test};
/// # use hype_stats::ttest::Alternative;
/// let power = |n: f64| t_test(0.5 * (0.5 * n).sqrt(), 2.0 * n - 2.0, Alternative::TwoSided, 0.05);
/// assert!((count_for(0.8, 2.0, power)? - 63.7656).abs() < 1e-4);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn count_for(
    target: f64,
    least: f64,
    mut power: impl FnMut(f64) -> Result<f64, StatError>,
) -> Result<f64, StatError> {
    const MOST: f64 = 1e9;
    check_level(target)?;
    if !(least > 0.0 && least < MOST) {
        return Err(StatError::Parameter { parameter: "least number", expected: "positive", got: least });
    }
    if power(least)? >= target {
        return Ok(least);
    }
    let mut below = least;
    while power(2.0 * below)? < target {
        below *= 2.0;
        if below > MOST {
            return Err(StatError::Degenerate {
                statistic: "number for a power",
                reason: "the power stays below the target for any number",
            });
        }
    }
    let mut failure = None;
    let root = increasing_root(below.ln(), LN_2, |log_count| match power(log_count.exp()) {
        Ok(power) => power - target,
        Err(error) => {
            failure = Some(error);
            f64::NAN
        }
    });
    match (root, failure) {
        (Some(log_count), _) => Ok(log_count.exp()),
        (None, Some(error)) => Err(error),
        (None, None) => Err(StatError::NoConvergence { statistic: "number for a power", iterations: 200 }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests;
