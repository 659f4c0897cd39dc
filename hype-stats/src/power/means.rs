//! Power of the tests of means.

use crate::StatError;
use crate::distributions::{FisherF, NoncentralF, NoncentralT, StudentT, check_level};
use crate::equivalence::check_finite;
use crate::ttest::Alternative;

/// The power of a test of means, and the distribution that it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TestPower {
    /// Probability of rejecting.
    pub power: f64,
    /// Noncentrality: δ of t, the expected difference over its standard error; λ of F, a sum of such squares.
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

/// Computes the power of Student's test of two groups of equal spread.
///
/// `effect` is the difference of the means over the standard deviation (Cohen's d).
///
/// # Method
///
/// The noncentrality is d / √(1/n₁ + 1/n₂), with n₁ + n₂ - 2 degrees of freedom (Cohen 1988, ch. 2, exactly).
///
/// # Errors
///
/// [`StatError::Parameter`] for an effect that is not finite, a count of at most one or an α outside 0..1.
pub fn student(
    effect: f64,
    counts: [f64; 2],
    alternative: Alternative,
    alpha: f64,
) -> Result<TestPower, StatError> {
    let effect = check_finite("effect", effect)?;
    let [first, second] = counts;
    let (first, second) = (check_count(first)?, check_count(second)?);
    of_t(effect / (first.recip() + second.recip()).sqrt(), first + second - 2.0, alternative, alpha)
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

/// Computes the power of the test of paired values, or of one mean.
///
/// `effect` is the mean difference over the standard deviation of the differences (Cohen's d_z).
///
/// # Method
///
/// The noncentrality is d √n, with n - 1 degrees of freedom.
///
/// # Errors
///
/// As [`student`].
pub fn paired(effect: f64, pairs: f64, alternative: Alternative, alpha: f64) -> Result<TestPower, StatError> {
    let effect = check_finite("effect", effect)?;
    let pairs = check_count(pairs)?;
    of_t(effect * pairs.sqrt(), pairs - 1.0, alternative, alpha)
}

/// Computes the probability that an F test rejects, from the noncentrality λ.
///
/// # Errors
///
/// [`StatError::Parameter`] for degrees of freedom that are not positive and finite, a noncentrality outside 0..=1e8
/// or an α outside 0..1.
pub fn f_test(noncentrality: f64, numerator: f64, denominator: f64, alpha: f64) -> Result<f64, StatError> {
    check_level(alpha)?;
    let critical = FisherF::new(numerator, denominator)?.upper_quantile(alpha)?;
    Ok(NoncentralF::new(numerator, denominator, noncentrality)?.sf(critical))
}

/// Computes the power of the analysis of variance of groups of `count` values each.
///
/// # Method
///
/// λ = n Σ (μ_i - μ̄)² / σ², with k - 1 and k (n - 1) degrees of freedom. Cohen's f is √(Σ (μ_i - μ̄)² / (k σ²)).
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two means; [`StatError::Parameter`] for a mean that is not finite, a standard
/// deviation that is not positive, a count of at most one or an α outside 0..1.
pub fn one_way(
    means: &[f64],
    standard_deviation: f64,
    count: f64,
    alpha: f64,
) -> Result<TestPower, StatError> {
    const NAME: &str = "power of an analysis of variance";
    if means.len() < 2 {
        return Err(StatError::TooFew { statistic: NAME, needed: 2, of: "means", got: means.len() });
    }
    for &mean in means {
        check_finite("mean", mean)?;
    }
    let groups = means.len() as f64;
    let centre = means.iter().sum::<f64>() / groups;
    let squares: f64 = means.iter().map(|mean| (mean - centre).powi(2)).sum();
    let count = check_count(count)?;
    let noncentrality = count * squares / check_deviation(standard_deviation)?.powi(2);
    let degrees_of_freedom = groups * (count - 1.0);
    let power = f_test(noncentrality, groups - 1.0, degrees_of_freedom, alpha)?;
    Ok(TestPower { power, noncentrality, degrees_of_freedom })
}
