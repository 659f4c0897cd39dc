//! Power of the tests of shares.

use crate::StatError;
use crate::distributions::{
    check_level, check_probability, normal_quantile, normal_sf, normal_upper_quantile,
};
use crate::equivalence::check_finite;
use crate::proportion::{binomial_at_most, first_where};
use crate::ttest::Alternative;

/// Computes the power of the exact binomial test that the probability of success is 1/2.
///
/// It does not grow with every trial, as the level that the test exhausts jumps.
///
/// # Errors
///
/// [`StatError::Parameter`] for a probability outside 0..=1, no trials or an α outside 0..1.
///
/// # Examples
///
/// ```
/// # use hype_stats::power::binomial_half;
/// # use hype_stats::ttest::Alternative;
/// let power = binomial_half(0.6, 194, Alternative::TwoSided, 0.05)?;
/// assert!((power - 0.764342).abs() < 1e-6);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn binomial_half(
    probability: f64,
    trials: u64,
    alternative: Alternative,
    alpha: f64,
) -> Result<f64, StatError> {
    check_probability(probability)?;
    check_level(alpha)?;
    if trials == 0 {
        return Err(StatError::Parameter { parameter: "number of trials", expected: "positive", got: 0.0 });
    }
    let n = trials as f64;
    let tail = if matches!(alternative, Alternative::TwoSided) { 0.5 * alpha } else { alpha };
    // The test rejects for at most `most` successes, and for at most as many failures. An error cannot occur, as
    // counts from 0 to n are valid.
    let exceeds = |k: f64| binomial_at_most(k, n, 0.5).map_or(true, |found| found > tail);
    let most = first_where(0.0, n, exceeds) - 1.0;
    if most < 0.0 {
        return Ok(0.0);
    }
    let few = || at_most(most, n, probability);
    let many = || at_most(most, n, 1.0 - probability);
    match alternative {
        Alternative::TwoSided => Ok((few()? + many()?).min(1.0)),
        Alternative::Less => few(),
        Alternative::Greater => many(),
    }
}

/// P(X ≤ k) for any probability of success, and k below n.
fn at_most(k: f64, n: f64, p: f64) -> Result<f64, StatError> {
    if p <= 0.0 {
        Ok(1.0)
    } else if p >= 1.0 {
        Ok(0.0)
    } else {
        binomial_at_most(k, n, p)
    }
}

/// Computes the power of the comparison of two shares of `count` trials each.
///
/// # Method
///
/// The normal test of h = 2 asin √p₁ - 2 asin √p₂, whose standard error is √(2/n) (Cohen 1988, ch. 6).
///
/// # Errors
///
/// [`StatError::Parameter`] for a share outside 0..=1, a count that is not positive or an α outside 0..1.
pub fn proportions(
    first: f64,
    second: f64,
    count: f64,
    alternative: Alternative,
    alpha: f64,
) -> Result<f64, StatError> {
    check_probability(first)?;
    check_probability(second)?;
    check_level(alpha)?;
    if !(count > 0.0 && count.is_finite()) {
        return Err(StatError::Parameter {
            parameter: "number of trials",
            expected: "positive and finite",
            got: count,
        });
    }
    let effect = 2.0 * (first.sqrt().asin() - second.sqrt().asin()) * (0.5 * count).sqrt();
    Ok(match alternative {
        Alternative::TwoSided => {
            let critical = normal_upper_quantile(0.5 * alpha)?;
            normal_sf(critical - effect) + normal_sf(critical + effect)
        }
        Alternative::Less => normal_sf(normal_upper_quantile(alpha)? + effect),
        Alternative::Greater => normal_sf(normal_upper_quantile(alpha)? - effect),
    })
}

/// Finds the number of items for which a two-sided normal test of a mean difference has the power `target`.
///
/// `variance` is that of the difference of one item.
///
/// # Method
///
/// n = (z_{α/2} + z_β)² ω² / δ² (Miller 2024, "Adding error bars to evals", section 5); the far side is neglected.
///
/// # Errors
///
/// [`StatError::Parameter`] for a difference that is 0 or not finite, a variance that is negative or not finite, or a
/// target or an α outside 0..1.
pub fn normal_count(difference: f64, variance: f64, target: f64, alpha: f64) -> Result<f64, StatError> {
    check_level(target)?;
    check_level(alpha)?;
    if check_finite("difference", difference)?.abs() <= 0.0 {
        return Err(StatError::Parameter { parameter: "difference", expected: "not 0", got: difference });
    }
    if !(variance >= 0.0 && variance.is_finite()) {
        return Err(StatError::Parameter {
            parameter: "variance",
            expected: "finite and not negative",
            got: variance,
        });
    }
    let deviates = normal_upper_quantile(0.5 * alpha)? + normal_quantile(target)?;
    Ok(deviates.max(0.0).powi(2) * variance / (difference * difference))
}
