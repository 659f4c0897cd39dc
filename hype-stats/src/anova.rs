//! One-way analysis of variance, with equal variances and Welch's.

use crate::StatError;
use crate::describe::{check_sample, mean, sum_by, variance};
use crate::distributions::FisherF;

/// Size, mean and variance (n - 1) of one group.
///
/// Tests that need only these accept it instead of the values, for example from a published table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Group {
    pub(crate) count: f64,
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

impl Group {
    /// Takes the size, the mean and the standard deviation (with n - 1) of a group; 0 for one value.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for no values; [`StatError::Parameter`] for a mean that is not finite or a standard
    /// deviation that is negative or not finite.
    pub fn new(count: u64, mean: f64, standard_deviation: f64) -> Result<Self, StatError> {
        if count == 0 {
            return Err(StatError::TooFew { statistic: "group", needed: 1, of: "observations", got: 0 });
        }
        let refused = |parameter, expected, got| Err(StatError::Parameter { parameter, expected, got });
        if !mean.is_finite() {
            return refused("mean", "finite", mean);
        }
        let variance = standard_deviation * standard_deviation;
        if !(standard_deviation >= 0.0 && variance.is_finite()) {
            return refused("standard deviation", "finite and not negative", standard_deviation);
        }
        Ok(Self { count: count as f64, mean, variance })
    }

    /// Summarizes a slice that is not empty and finite.
    ///
    /// Equal values have a variance of exactly zero here, whatever the rounding of their mean.
    pub(crate) fn of(values: &[f64]) -> Result<Self, StatError> {
        let constant = values.windows(2).all(|pair| pair[0].total_cmp(&pair[1]).is_eq());
        Ok(Self {
            count: values.len() as f64,
            mean: mean(values)?,
            variance: if constant { 0.0 } else { variance(values)? },
        })
    }
}

/// The values of a group, or their summary.
pub trait Summarize {
    /// Summarizes at least `needed` finite values.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for fewer, and [`StatError::NotFinite`] for NaN or infinity; both name `statistic`.
    fn summarize(&self, statistic: &'static str, needed: usize) -> Result<Group, StatError>;
}

impl<V: AsRef<[f64]>> Summarize for V {
    fn summarize(&self, statistic: &'static str, needed: usize) -> Result<Group, StatError> {
        let values = self.as_ref();
        check_sample(statistic, values, needed)?;
        Group::of(values)
    }
}

impl Summarize for Group {
    fn summarize(&self, statistic: &'static str, needed: usize) -> Result<Group, StatError> {
        let got = self.count as usize;
        if got < needed {
            return Err(StatError::TooFew { statistic, needed, of: "observations", got });
        }
        Ok(*self)
    }
}

/// Summaries of the groups, each with at least `needed` finite values.
pub(crate) fn summarize<G: Summarize>(
    statistic: &'static str,
    groups: &[G],
    needed: usize,
) -> Result<Vec<Group>, StatError> {
    if groups.len() < 2 {
        return Err(StatError::TooFew { statistic, needed: 2, of: "groups", got: groups.len() });
    }
    groups.iter().map(|group| group.summarize(statistic, needed)).collect()
}

fn total(groups: &[Group], term: impl Fn(&Group) -> f64) -> f64 {
    sum_by(groups.len(), |index| term(&groups[index]))
}

fn grand_mean(groups: &[Group]) -> f64 {
    total(groups, |group| group.count * group.mean) / total(groups, |group| group.count)
}

fn between(groups: &[Group]) -> f64 {
    let grand = grand_mean(groups);
    total(groups, |group| group.count * (group.mean - grand).powi(2))
}

/// The table of a one-way analysis of variance.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct OneWay {
    /// Ratio of the mean squares between and within groups.
    pub f: f64,
    /// P(F ≥ f) if all group means are equal.
    pub p: f64,
    /// Degrees of freedom between groups, k - 1.
    pub df_between: f64,
    /// Degrees of freedom within groups, N - k.
    pub df_within: f64,
    /// Sum of squares between groups.
    pub ss_between: f64,
    /// Sum of squares within groups.
    pub ss_within: f64,
    /// Mean square between groups.
    pub ms_between: f64,
    /// Mean square within groups, the pooled variance.
    pub ms_within: f64,
    /// Share of the sum of squares that lies between groups, η².
    pub eta_squared: f64,
    /// The same share corrected for its bias, ω²; it may be negative.
    pub omega_squared: f64,
}

/// Tests whether several groups have equal means, assuming equal variances.
///
/// # Method
///
/// F = \[Σ n_i (x̄_i - x̄)² / (k - 1)\] / \[Σ (n_i - 1) s_i² / (N - k)\] with k - 1 and N - k degrees of
/// freedom, for independent normal values of equal variance (Fisher 1925). η² = SSB / SST;
/// ω² = (SSB - (k - 1) MSW) / (SST + MSW) (Hays 1963).
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two groups, an empty group or no more values than groups,
/// [`StatError::NotFinite`] for NaN or infinity, and [`StatError::Degenerate`] if all values are
/// constant within groups.
///
/// # Examples
///
/// ```
/// # use hype_stats::anova::one_way;
/// let table = one_way(&[[24.5, 23.5, 26.4], [28.4, 34.2, 29.5], [26.1, 28.3, 24.3]])?;
/// assert_eq!((table.df_between, table.df_within), (2.0, 6.0));
/// assert!(table.p < 0.05);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn one_way<G: Summarize>(groups: &[G]) -> Result<OneWay, StatError> {
    one_way_of("one-way analysis of variance", groups)
}

fn one_way_of<G: Summarize>(statistic: &'static str, groups: &[G]) -> Result<OneWay, StatError> {
    let groups = summarize(statistic, groups, 1)?;
    let (ms_within, df_within) = pooled_variance(statistic, &groups)?;
    let df_between = (groups.len() - 1) as f64;
    let ss_between = between(&groups);
    let ss_within = ms_within * df_within;
    let ms_between = ss_between / df_between;
    let f = ms_between / ms_within;
    let ss_total = ss_between + ss_within;
    Ok(OneWay {
        f,
        p: FisherF::new(df_between, df_within)?.sf(f),
        df_between,
        df_within,
        ss_between,
        ss_within,
        ms_between,
        ms_within,
        eta_squared: ss_between / ss_total,
        omega_squared: (ss_between - df_between * ms_within) / (ss_total + ms_within),
    })
}

/// The mean square within groups and its degrees of freedom.
pub(crate) fn pooled_variance(statistic: &'static str, groups: &[Group]) -> Result<(f64, f64), StatError> {
    let count = total(groups, |group| group.count);
    let degrees = count - groups.len() as f64;
    if degrees < 1.0 {
        return Err(StatError::TooFew {
            statistic,
            needed: groups.len() + 1,
            of: "observations",
            got: count as usize,
        });
    }
    let squares = total(groups, |group| (group.count - 1.0) * group.variance);
    if squares > 0.0 && squares.is_finite() {
        Ok((squares / degrees, degrees))
    } else {
        Err(StatError::Degenerate { statistic, reason: "the values are constant within groups" })
    }
}

pub(crate) fn check_spread(statistic: &'static str, groups: &[Group]) -> Result<(), StatError> {
    if groups.iter().all(|group| group.variance > 0.0) {
        Ok(())
    } else {
        Err(StatError::Degenerate { statistic, reason: "the values of a group are constant" })
    }
}

/// A test of equal means that does not assume equal variances.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct UnequalVariances {
    /// The test statistic.
    pub f: f64,
    /// P(F ≥ f) if all group means are equal.
    pub p: f64,
    /// Numerator degrees of freedom.
    pub df_numerator: f64,
    /// Denominator degrees of freedom, estimated.
    pub df_denominator: f64,
}

/// Tests whether several groups have equal means, without assuming equal variances.
///
/// # Method
///
/// With w_i = n_i / s_i², W = Σ w_i and x̃ = Σ w_i x̄_i / W,
///
/// F = \[Σ w_i (x̄_i - x̃)² / (k - 1)\] / \[1 + 2 (k - 2) Λ / (k² - 1)\], Λ = Σ (1 - w_i / W)² / (n_i - 1),
///
/// with k - 1 and (k² - 1) / (3 Λ) degrees of freedom (Welch 1951, "On the comparison of several
/// mean values"). For two groups F is the square of Welch's t.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two groups or a group of fewer than two values,
/// [`StatError::NotFinite`] for NaN or infinity, and [`StatError::Degenerate`] if a group is
/// constant.
pub fn welch<G: Summarize>(groups: &[G]) -> Result<UnequalVariances, StatError> {
    const NAME: &str = "Welch's analysis of variance";
    let groups = summarize(NAME, groups, 2)?;
    check_spread(NAME, &groups)?;
    let k = groups.len() as f64;
    let weight = |group: &Group| group.count / group.variance;
    let weights = total(&groups, weight);
    let centre = total(&groups, |group| weight(group) * group.mean) / weights;
    let lambda = total(&groups, |group| (1.0 - weight(group) / weights).powi(2) / (group.count - 1.0));
    let squares = total(&groups, |group| weight(group) * (group.mean - centre).powi(2));
    let f = squares / (k - 1.0) / (1.0 + 2.0 * (k - 2.0) * lambda / (k * k - 1.0));
    let df_denominator = (k * k - 1.0) / (3.0 * lambda);
    Ok(UnequalVariances {
        f,
        p: FisherF::new(k - 1.0, df_denominator)?.sf(f),
        df_numerator: k - 1.0,
        df_denominator,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn two_groups_are_the_square_of_t() {
        let (a, b) = ([3.1, 4.2, 5.9, 4.4], [6.0, 7.5, 9.1]);
        let groups: [&[f64]; 2] = [&a, &b];
        let student = crate::ttest::student(&a, &b, crate::ttest::Alternative::TwoSided, 0.95);
        let student = student.unwrap();
        let table = one_way(&groups).unwrap();
        assert!((table.f / student.t.powi(2) - 1.0).abs() < 1e-13);
        assert!((table.p / student.p - 1.0).abs() < 1e-12);
        let welch_t = crate::ttest::welch(&a, &b, crate::ttest::Alternative::TwoSided, 0.95);
        let welch_t = welch_t.unwrap();
        let table = welch(&groups).unwrap();
        assert!((table.f / welch_t.t.powi(2) - 1.0).abs() < 1e-13);
        assert!((table.df_denominator / welch_t.degrees_of_freedom - 1.0).abs() < 1e-13);
        assert!((table.p / welch_t.p - 1.0).abs() < 1e-12);
    }

    #[test]
    fn bad_groups_are_refused() {
        assert!(matches!(one_way(&[[1.0, 2.0]]), Err(StatError::TooFew { of: "groups", .. })));
        assert!(matches!(one_way(&[[1.0], [2.0]]), Err(StatError::TooFew { .. })));
        assert!(matches!(one_way(&[[1.0, 1.0], [2.0, 2.0]]), Err(StatError::Degenerate { .. })));
        assert!(matches!(one_way(&[[1.0, f64::NAN], [2.0, 2.0]]), Err(StatError::NotFinite { .. })));
        assert!(matches!(welch(&[[1.0, 1.0], [2.0, 3.0]]), Err(StatError::Degenerate { .. })));
    }
}
