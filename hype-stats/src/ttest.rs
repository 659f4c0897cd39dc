//! Tests of two means, with the interval of the difference.

use crate::StatError;
use crate::anova::{Group, pooled_variance, summarize};
use crate::describe::check_sample;
use crate::distributions::{StudentT, check_level, normal_sf};
use crate::pairwise::welch_satterthwaite;

/// The alternative hypothesis of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Alternative {
    /// The first is less or greater than the second.
    #[default]
    TwoSided,
    /// The first is less than the second.
    Less,
    /// The first is greater than the second.
    Greater,
}

impl Alternative {
    /// P value of a standard normal deviate.
    pub(crate) fn normal_p(self, deviate: f64) -> f64 {
        match self {
            Self::TwoSided => 2.0 * normal_sf(deviate.abs()),
            Self::Less => normal_sf(-deviate),
            Self::Greater => normal_sf(deviate),
        }
    }
}

/// A test of means.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TTest {
    /// Difference over standard error.
    pub t: f64,
    /// P value under the requested alternative.
    pub p: f64,
    /// Degrees of freedom.
    pub degrees_of_freedom: f64,
    /// The tested difference of means.
    pub difference: f64,
    /// Standard error of the difference.
    pub standard_error: f64,
    /// Lower end of the confidence interval; minus infinity for [`Alternative::Less`].
    pub low: f64,
    /// Upper end of the confidence interval; infinity for [`Alternative::Greater`].
    pub high: f64,
}

/// Tests difference = 0 and gives its interval.
fn test(
    difference: f64,
    (standard_error, degrees_of_freedom): (f64, f64),
    alternative: Alternative,
    level: f64,
) -> Result<TTest, StatError> {
    let distribution = StudentT::new(degrees_of_freedom)?;
    let t = difference / standard_error;
    let (p, low, high) = match alternative {
        Alternative::TwoSided => {
            let margin = distribution.upper_quantile(0.5 * (1.0 - level))? * standard_error;
            (distribution.two_sided(t), difference - margin, difference + margin)
        }
        Alternative::Less => {
            let margin = distribution.quantile(level)? * standard_error;
            (distribution.cdf(t), f64::NEG_INFINITY, difference + margin)
        }
        Alternative::Greater => {
            let margin = distribution.quantile(level)? * standard_error;
            (distribution.sf(t), difference - margin, f64::INFINITY)
        }
    };
    Ok(TTest { t, p, degrees_of_freedom, difference, standard_error, low, high })
}

const fn constant(statistic: &'static str) -> StatError {
    StatError::Degenerate { statistic, reason: "the values are constant" }
}

fn one_group(statistic: &'static str, values: &[f64]) -> Result<Group, StatError> {
    check_sample(statistic, values, 2)?;
    let group = Group::of(values)?;
    if group.variance > 0.0 { Ok(group) } else { Err(constant(statistic)) }
}

/// Compares the means of two independent samples, assuming equal variances.
///
/// The interval is of mean(a) - mean(b).
///
/// # Method
///
/// Student (1908): t = (ā - b̄) / (s_p √(1/n_a + 1/n_b)) with the pooled variance s_p² and
/// n_a + n_b - 2 degrees of freedom, for independent normal values of equal variance.
///
/// # Errors
///
/// [`StatError::TooFew`] for an empty sample or fewer than three values in all,
/// [`StatError::NotFinite`] for NaN or infinity, [`StatError::Degenerate`] if both samples are
/// constant, and [`StatError::Parameter`] for a level outside 0..1.
pub fn student(a: &[f64], b: &[f64], alternative: Alternative, level: f64) -> Result<TTest, StatError> {
    check_level(level)?;
    const NAME: &str = "Student's t test";
    let groups = summarize(NAME, &[a, b], 1)?;
    let (pooled, degrees) = pooled_variance(NAME, &groups)?;
    let error = (pooled * (groups[0].count.recip() + groups[1].count.recip())).sqrt();
    let difference = groups[0].mean - groups[1].mean;
    test(difference, (error, degrees), alternative, level)
}

/// Compares the means of two independent samples, without assuming equal variances.
///
/// The interval is of mean(a) - mean(b).
///
/// # Method
///
/// Welch (1947): t = (ā - b̄) / √(s_a²/n_a + s_b²/n_b), with Satterthwaite's degrees of freedom
/// (s_a²/n_a + s_b²/n_b)² / \[s_a⁴/(n_a² (n_a - 1)) + s_b⁴/(n_b² (n_b - 1))\].
///
/// # Errors
///
/// [`StatError::TooFew`] for a sample of fewer than two values, [`StatError::NotFinite`] for NaN or
/// infinity, [`StatError::Degenerate`] if both samples are constant, and [`StatError::Parameter`]
/// for a level outside 0..1.
///
/// # Examples
///
/// ```
/// # use hype_stats::ttest::{Alternative, welch};
/// let test = welch(&[3.1, 4.2, 5.9, 4.4], &[6.0, 7.5, 9.1], Alternative::TwoSided, 0.95)?;
/// assert!(test.p < 0.05 && test.high < 0.0);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn welch(a: &[f64], b: &[f64], alternative: Alternative, level: f64) -> Result<TTest, StatError> {
    check_level(level)?;
    const NAME: &str = "Welch's t test";
    let groups = summarize(NAME, &[a, b], 2)?;
    if groups.iter().all(|group| group.variance <= 0.0) {
        return Err(constant(NAME));
    }
    let error = welch_satterthwaite(&groups[0], &groups[1]);
    test(groups[0].mean - groups[1].mean, error, alternative, level)
}

/// Compares the means of two samples whose values belong together in pairs.
///
/// # Method
///
/// t = d̄ / (s / √n) of the differences d_i = a_i - b_i, with n - 1 degrees of freedom.
///
/// # Errors
///
/// [`StatError::Lengths`] for unequal lengths, [`StatError::TooFew`] for fewer than two pairs, [`StatError::NotFinite`] for NaN
/// or infinity, [`StatError::Degenerate`] if all differences are equal, and [`StatError::Parameter`] for a level outside 0..1.
pub fn paired(a: &[f64], b: &[f64], alternative: Alternative, level: f64) -> Result<TTest, StatError> {
    check_level(level)?;
    const NAME: &str = "paired t test";
    let differences = paired_differences(NAME, a, b)?;
    let group = one_group(NAME, &differences)?;
    let error = (group.variance / group.count).sqrt();
    test(group.mean, (error, group.count - 1.0), alternative, level)
}

/// a_i - b_i for finite values and equal lengths.
pub(crate) fn paired_differences(
    statistic: &'static str,
    a: &[f64],
    b: &[f64],
) -> Result<Vec<f64>, StatError> {
    if a.len() != b.len() {
        return Err(StatError::Lengths { statistic, left: a.len(), right: b.len() });
    }
    check_sample(statistic, a, 0)?;
    check_sample(statistic, b, 0)?;
    Ok(a.iter().zip(b).map(|(a, b)| a - b).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use super::*;

    const A: [f64; 5] = [1.0, 4.0, 2.5, 3.5, 6.0];
    const B: [f64; 5] = [2.0, 4.5, 4.0, 3.0, 9.0];

    #[test]
    fn sides_add_up() {
        for test in [student, welch, paired] {
            let two = test(&A, &B, Alternative::TwoSided, 0.9).unwrap();
            let less = test(&A, &B, Alternative::Less, 0.95).unwrap();
            let greater = test(&A, &B, Alternative::Greater, 0.95).unwrap();
            assert!((less.p + greater.p - 1.0).abs() < 1e-14);
            assert!((2.0 * less.p.min(greater.p) - two.p).abs() < 1e-14);
            assert!((two.high - less.high).abs() < 1e-12);
            assert!((two.low - greater.low).abs() < 1e-12);
            assert_eq!((less.low, greater.high), (f64::NEG_INFINITY, f64::INFINITY));
        }
    }

    #[test]
    fn equal_samples_have_no_difference() {
        let test = welch(&A, &A, Alternative::TwoSided, 0.95).unwrap();
        assert_eq!((test.t, test.p, test.difference), (0.0, 1.0, 0.0));
    }

    #[test]
    fn bad_input_is_refused() {
        let two = Alternative::TwoSided;
        assert!(matches!(student(&[1.0], &[2.0], two, 0.9), Err(StatError::TooFew { .. })));
        assert!(matches!(student(&[1.0, 1.0], &[2.0], two, 0.9), Err(StatError::Degenerate { .. })));
        assert!(matches!(welch(&[1.0], &A, two, 0.9), Err(StatError::TooFew { .. })));
        assert!(matches!(welch(&[1.0, 1.0], &[2.0, 2.0], two, 0.9), Err(StatError::Degenerate { .. })));
        assert!(matches!(paired(&A, &B[1..], two, 0.9), Err(StatError::Lengths { .. })));
        assert!(matches!(paired(&A, &A, two, 0.9), Err(StatError::Degenerate { .. })));
        assert!(matches!(paired(&A, &B, two, 1.0), Err(StatError::Parameter { .. })));
        assert!(matches!(paired(&[f64::INFINITY; 5], &B, two, 0.9), Err(StatError::NotFinite { .. })));
    }
}
