//! Simultaneous comparisons of all pairs of groups, with p values and intervals that hold for all of
//! them.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use crate::StatError;
use crate::anova::{Group, Summarize, check_spread, pooled_variance, summarize};
use crate::distributions::check_level;
use crate::studentized_range::StudentizedRange;

/// The comparison of two of several groups.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PairComparison {
    /// Index of the first group.
    pub first: usize,
    /// Index of the second group, larger than the first.
    pub second: usize,
    /// Mean of the first group minus mean of the second.
    pub difference: f64,
    /// Standard error of the difference.
    pub standard_error: f64,
    /// Difference over standard error, on the scale of t; the studentized range is √2 times its
    /// magnitude.
    pub t: f64,
    /// Degrees of freedom of the error.
    pub degrees_of_freedom: f64,
    /// P value adjusted for all pairs.
    pub p: f64,
    /// Lower end of the simultaneous confidence interval of the difference.
    pub low: f64,
    /// Upper end of the simultaneous confidence interval of the difference.
    pub high: f64,
}

fn pairs(groups: &[Group]) -> impl Iterator<Item = (usize, usize)> {
    let count = groups.len();
    (0..count).flat_map(move |first| (first + 1..count).map(move |second| (first, second)))
}

fn compare(
    groups: &[Group],
    (first, second): (usize, usize),
    standard_error: f64,
    degrees_of_freedom: f64,
) -> PairComparison {
    let difference = groups[first].mean - groups[second].mean;
    PairComparison {
        first,
        second,
        difference,
        standard_error,
        t: difference / standard_error,
        degrees_of_freedom,
        p: f64::NAN,
        low: f64::NAN,
        high: f64::NAN,
    }
}

impl PairComparison {
    fn with(self, p: f64, critical: f64) -> Self {
        let margin = critical * FRAC_1_SQRT_2 * self.standard_error;
        Self { p, low: self.difference - margin, high: self.difference + margin, ..self }
    }

    fn studentized_range(&self) -> f64 {
        SQRT_2 * self.t.abs()
    }
}

/// Compares all pairs of groups by Tukey and Kramer's method, assuming equal variances.
///
/// Pairs come in the order (0, 1), (0, 2), …, (1, 2), …; `level` is the confidence that all
/// intervals hold together, such as 0.95.
///
/// # Method
///
/// With MSW the mean square within groups and ν = N - k, the standard error of a pair is
/// √(MSW (1/n_i + 1/n_j)), and √2 |difference| / standard error is referred to the studentized range
/// of k means with ν degrees of freedom (Tukey 1953; Kramer 1956). The level is exact for equal group
/// sizes and conservative otherwise (Hayter 1984).
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two groups, an empty group or no more values than groups,
/// [`StatError::NotFinite`] for NaN or infinity, [`StatError::Degenerate`] if all values are
/// constant within groups, and [`StatError::Parameter`] for a level outside 0..1.
///
/// # Examples
///
/// ```
/// # use hype_stats::pairwise::tukey_kramer;
/// let groups = [
///     [24.5, 23.5, 26.4, 27.1, 29.9],
///     [28.4, 34.2, 29.5, 32.2, 30.1],
///     [26.1, 28.3, 24.3, 26.2, 27.8],
/// ];
/// let pairs = tukey_kramer(&groups, 0.95)?;
/// assert!((pairs[0].p - 0.014448326).abs() < 1e-8);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn tukey_kramer<G: Summarize>(groups: &[G], level: f64) -> Result<Vec<PairComparison>, StatError> {
    const NAME: &str = "Tukey-Kramer comparison";
    check_level(level)?;
    let groups = summarize(NAME, groups, 1)?;
    let (pooled, degrees) = pooled_variance(NAME, &groups)?;
    let mut range = StudentizedRange::new(groups.len(), degrees)?.evaluator();
    let critical = range.quantile(level)?;
    Ok(pairs(&groups)
        .map(|pair| {
            let inverse = groups[pair.0].count.recip() + groups[pair.1].count.recip();
            let found = compare(&groups, pair, (pooled * inverse).sqrt(), degrees);
            found.with(range.sf(found.studentized_range()), critical)
        })
        .collect())
}

/// Compares all pairs of groups by Games and Howell's method, without assuming equal variances.
///
/// Order and level are as for [`tukey_kramer`].
///
/// # Method
///
/// The standard error of a pair is √(s_i²/n_i + s_j²/n_j), its degrees of freedom are Welch and
/// Satterthwaite's, (s_i²/n_i + s_j²/n_j)² / \[s_i⁴/(n_i² (n_i - 1)) + s_j⁴/(n_j² (n_j - 1))\], and
/// √2 |difference| / standard error is referred to the studentized range of k means with them (Games
/// and Howell 1976, "Pairwise multiple comparison procedures with unequal n's and/or variances").
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two groups or a group of fewer than two values,
/// [`StatError::NotFinite`] for NaN or infinity, [`StatError::Degenerate`] if a group is constant,
/// and [`StatError::Parameter`] for a level outside 0..1.
pub fn games_howell<G: Summarize>(groups: &[G], level: f64) -> Result<Vec<PairComparison>, StatError> {
    const NAME: &str = "Games-Howell comparison";
    check_level(level)?;
    let groups = summarize(NAME, groups, 2)?;
    check_spread(NAME, &groups)?;
    pairs(&groups)
        .map(|pair| {
            let (error, degrees) = welch_satterthwaite(&groups[pair.0], &groups[pair.1]);
            let mut range = StudentizedRange::new(groups.len(), degrees)?.evaluator();
            let critical = range.quantile(level)?;
            let found = compare(&groups, pair, error, degrees);
            Ok(found.with(range.sf(found.studentized_range()), critical))
        })
        .collect()
}

/// Standard error of a difference of two means with unequal variances, and its degrees of freedom.
pub(crate) fn welch_satterthwaite(left: &Group, right: &Group) -> (f64, f64) {
    let [a, b] = [left, right].map(|group| group.variance / group.count);
    let share = a / (a + b);
    let degrees = (share * share / (left.count - 1.0) + (1.0 - share).powi(2) / (right.count - 1.0)).recip();
    ((a + b).sqrt(), degrees)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use super::*;
    use crate::ttest::{Alternative, student, welch};

    #[test]
    fn two_groups_are_students_and_welchs_t() {
        let groups = [vec![3.1, 4.2, 5.9, 4.4], vec![6.0, 7.5, 9.1]];
        let tests = [
            (tukey_kramer(&groups, 0.9), student(&groups[0], &groups[1], Alternative::TwoSided, 0.9)),
            (games_howell(&groups, 0.9), welch(&groups[0], &groups[1], Alternative::TwoSided, 0.9)),
        ];
        for (pairs, test) in tests {
            let (pair, test) = (pairs.unwrap()[0], test.unwrap());
            assert!((pair.t / test.t - 1.0).abs() < 1e-13);
            assert!((pair.p / test.p - 1.0).abs() < 1e-11);
            assert!((pair.degrees_of_freedom / test.degrees_of_freedom - 1.0).abs() < 1e-13);
            assert!((pair.low / test.low - 1.0).abs() < 1e-11);
            assert!((pair.high / test.high - 1.0).abs() < 1e-11);
        }
    }

    #[test]
    fn a_pair_is_significant_where_its_interval_leaves_zero_out() {
        let groups = [
            vec![0.0, 1.0, 2.0, 3.0, 4.0],
            vec![2.5, 3.0, 4.0, 5.5],
            vec![9.0, 9.5, 10.0, 12.0, 13.0, 7.0],
            vec![4.0, 4.1, 4.3],
        ];
        for level in [0.8, 0.95, 0.999] {
            for pairs in [tukey_kramer(&groups, level), games_howell(&groups, level)] {
                let pairs = pairs.unwrap();
                assert_eq!(pairs.len(), 6);
                assert_eq!((pairs[3].first, pairs[3].second), (1, 2));
                for pair in pairs {
                    assert_eq!(pair.p < 1.0 - level, pair.low > 0.0 || pair.high < 0.0);
                }
            }
        }
    }

    #[test]
    fn bad_input_is_refused() {
        let groups = [[1.0, 2.0], [3.0, 5.0]];
        assert!(matches!(tukey_kramer(&groups, 1.0), Err(StatError::Parameter { .. })));
        assert!(matches!(games_howell(&groups, f64::NAN), Err(StatError::Parameter { .. })));
        assert!(matches!(games_howell(&[[1.0], [2.0]], 0.9), Err(StatError::TooFew { .. })));
        assert!(matches!(games_howell(&[[1.0, 1.0], [2.0, 3.0]], 0.9), Err(StatError::Degenerate { .. })));
        assert!(matches!(tukey_kramer(&[[1.0, 1.0], [2.0, 2.0]], 0.9), Err(StatError::Degenerate { .. })));
    }
}
