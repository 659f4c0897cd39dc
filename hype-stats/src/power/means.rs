//! Power of the tests of means.

use crate::StatError;
use crate::distributions::{NoncentralT, StudentT, check_level};
use crate::equivalence::check_finite;
use crate::ttest::Alternative;

/// The power of a test of means, and the distribution that it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TestPower {
    /// Probability of rejecting.
    pub power: f64,
    /// Noncentrality: δ of t, the expected difference over its standard error.
    pub noncentrality: f64,
    /// Degrees of freedom of the error.
    pub degrees_of_freedom: f64,
}

/// Size and spread of a group that is planned.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "callers make it")]
pub struct PlannedGroup {
    /// Number of values, which need not be whole.
    pub count: f64,
    /// Standard deviation of the values.
    pub standard_deviation: f64,
}

pub(super) fn check_count(count: f64) -> Result<f64, StatError> {
    if count > 1.0 && count.is_finite() {
        Ok(count)
    } else {
        Err(StatError::Parameter {
            parameter: "number of values",
            expected: "finite and more than one",
            got: count,
        })
    }
}

/// Computes the probability that a t test rejects, from the noncentrality.
///
/// A two-sided test rejects on either side; the far one counts too.
///
/// # Errors
///
/// [`StatError::Parameter`] for degrees of freedom that are not positive, a noncentrality above 1e6 in magnitude or
/// an α outside 0..1.
pub fn t_test(
    noncentrality: f64,
    degrees_of_freedom: f64,
    alternative: Alternative,
    alpha: f64,
) -> Result<f64, StatError> {
    check_level(alpha)?;
    let central = StudentT::new(degrees_of_freedom)?;
    let distribution = NoncentralT::new(degrees_of_freedom, noncentrality)?;
    Ok(match alternative {
        Alternative::TwoSided => {
            let critical = central.upper_quantile(0.5 * alpha)?;
            distribution.sf(critical) + distribution.cdf(-critical)
        }
        Alternative::Less => distribution.cdf(central.quantile(alpha)?),
        Alternative::Greater => distribution.sf(central.upper_quantile(alpha)?),
    })
}

fn of_t(
    noncentrality: f64,
    degrees_of_freedom: f64,
    alternative: Alternative,
    alpha: f64,
) -> Result<TestPower, StatError> {
    let power = t_test(noncentrality, degrees_of_freedom, alternative, alpha)?;
    Ok(TestPower { power, noncentrality, degrees_of_freedom })
}

/// Computes the power of Welch's test of two groups of different spread.
///
/// # Method
///
/// The noncentrality is δ / √(σ₁²/n₁ + σ₂²/n₂), with Satterthwaite's degrees of freedom of the true variances.
///
/// # Errors
///
/// [`StatError::Parameter`] for a difference that is not finite, a standard deviation that is not positive, a count
/// of at most one or an α outside 0..1.
pub fn welch(
    difference: f64,
    groups: [PlannedGroup; 2],
    alternative: Alternative,
    alpha: f64,
) -> Result<TestPower, StatError> {
    let difference = check_finite("difference", difference)?;
    let mut variance = 0.0;
    let mut spread = 0.0;
    for group in groups {
        let share = check_deviation(group.standard_deviation)?.powi(2) / check_count(group.count)?;
        variance += share;
        spread += share * share / (group.count - 1.0);
    }
    of_t(difference / variance.sqrt(), variance * variance / spread, alternative, alpha)
}

pub(super) fn check_deviation(deviation: f64) -> Result<f64, StatError> {
    if deviation > 0.0 && deviation.is_finite() {
        Ok(deviation)
    } else {
        Err(StatError::Parameter {
            parameter: "standard deviation",
            expected: "positive and finite",
            got: deviation,
        })
    }
}
