//! The correlation of two outcomes of the same comparisons, such as those by two criteria.

use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::clustered::{ClusteredVariance, Contributions, Target};

const NAME: &str = "correlation of outcomes";

/// Two outcomes of one rater's comparisons of two models on an item.
///
/// An outcome is positive where the first of the two models was preferred and negative where the second was, the same one for
/// both outcomes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointOutcome {
    /// The number of the rater.
    pub rater: u32,
    /// The number of the item.
    pub item: u32,
    /// How many comparisons the outcomes are means of.
    pub count: f64,
    /// The outcome by each criterion.
    pub outcomes: [f64; 2],
}

/// How far two criteria agree on comparisons.
///
/// # Method
///
/// Which of two models is called the first is arbitrary, and decides the signs of both outcomes x and y. Each comparison is
/// therefore counted from both sides, so both means are zero and Pearson's correlation is Σxy / √(Σx² Σy²). Its error is
/// that of Fisher's z, by what each comparison contributes to it (the infinitesimal jackknife), summed over what varies: see
/// [`ClusteredVariance`]. The interval is Student's on the scale of z.
///
/// # Examples
///
/// ```
/// use hype_stats::clustered::Target;
/// use hype_stats::preference::{JointOutcome, OutcomeCorrelation};
/// let outcomes = [[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [1.0, 1.0]];
/// let joint: Vec<JointOutcome> = (0..)
///     .zip(outcomes)
///     .map(|(rater, outcomes)| JointOutcome { rater, item: 0, count: 1.0, outcomes })
///     .collect();
/// let found = OutcomeCorrelation::new(&joint, Target::Raters)?;
/// assert_eq!(found.value(), 0.5);
/// let range = found.interval(0.95)?;
/// assert!(-1.0 < range.lower && range.lower < 0.5 && 0.5 < range.upper && range.upper < 1.0);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutcomeCorrelation {
    value: f64,
    /// Of Fisher's z.
    variance: ClusteredVariance,
}

impl OutcomeCorrelation {
    /// Computes the correlation over comparisons.
    ///
    /// # Errors
    ///
    /// [`StatError::Degenerate`] where all outcomes of one kind are ties, and where the outcomes agree or disagree throughout,
    /// whose z is infinite; [`StatError::TooFew`] for fewer than two raters, or items; [`StatError::NotFinite`] for an outcome
    /// that is not finite.
    pub fn new(joint: &[JointOutcome], target: Target) -> Result<Self, StatError> {
        let mut sums = [0.0; 3];
        for one in joint {
            let [x, y] = one.outcomes;
            for (sum, product) in sums.iter_mut().zip([x * x, x * y, y * y]) {
                *sum += one.count * product;
            }
        }
        let [xx, xy, yy] = sums;
        let degenerate = |reason| Err(StatError::Degenerate { statistic: NAME, reason });
        if xx <= 0.0 || yy <= 0.0 {
            return degenerate("all outcomes of one kind are ties");
        }
        let value = xy / (xx * yy).sqrt();
        let left = 1.0 - value * value;
        if left <= f64::EPSILON {
            return degenerate("the outcomes agree, or disagree, throughout");
        }
        let mut contributions = Contributions::new(1);
        for one in joint {
            let [x, y] = one.outcomes;
            let along = x * y / (xx * yy).sqrt() - 0.5 * value * (x * x / xx + y * y / yy);
            contributions.push_weighted(one.count, one.rater, one.item, 0, one.count * along / left);
        }
        Ok(Self { value, variance: contributions.clustered(target)?.of(0)? })
    }

    /// The correlation, from -1 to 1.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// Its interval.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0..1, and [`StatError::Degenerate`] if all raters, or items, contribute
    /// equally, so the error says nothing.
    pub fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        if self.variance.is_zero() {
            return Err(StatError::Degenerate {
                statistic: NAME,
                reason: "the contributions of all raters or items are equal",
            });
        }
        let range = self.variance.interval(self.value.atanh(), level)?;
        Ok(IntervalEstimate { lower: range.lower.tanh(), upper: range.upper.tanh(), level })
    }

    /// Degrees of freedom of the interval.
    #[must_use]
    pub fn degrees_of_freedom(&self) -> Vec<f64> {
        self.variance.degrees_of_freedom()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(outcomes: &[[f64; 2]]) -> Vec<JointOutcome> {
        let one = |(rater, &outcomes)| JointOutcome { rater, item: 0, count: 1.0, outcomes };
        (0..).zip(outcomes).map(one).collect()
    }

    #[test]
    fn which_model_is_called_first_does_not_matter() {
        let outcomes = [[1.0, 2.0], [-1.0, 1.0], [0.0, -3.0], [-1.0, -1.0], [1.0, 0.0]];
        let turned: Vec<[f64; 2]> = outcomes
            .iter()
            .enumerate()
            .map(|(at, one)| one.map(|outcome| if at % 2 == 0 { -outcome } else { outcome }))
            .collect();
        let [one, other] =
            [&outcomes[..], &turned].map(|all| OutcomeCorrelation::new(&joint(all), Target::Raters).unwrap());
        assert!((one.value() - other.value()).abs() < 1e-15);
        // Σxy = 2 - 1 + 0 + 1 + 0, Σx² = 4, Σy² = 15.
        assert!((one.value() - 2.0 / 60_f64.sqrt()).abs() < 1e-12);
        let [range, same] = [one, other].map(|found| found.interval(0.95).unwrap());
        assert!((range.lower - same.lower).abs() < 1e-12 && (range.upper - same.upper).abs() < 1e-12);
    }

    #[test]
    fn the_error_matches_leaving_raters_out() {
        // The infinitesimal jackknife is close to the jackknife of z with many raters.
        let outcomes: Vec<[f64; 2]> = (0..200)
            .map(|at| {
                let x = f64::from(at * 7 % 13) - 6.0;
                [x, 0.5 * x + f64::from(at * 5 % 11) - 5.0]
            })
            .collect();
        let all = joint(&outcomes);
        let found = OutcomeCorrelation::new(&all, Target::Raters).unwrap();
        let z: Vec<f64> = (0..all.len())
            .map(|left_out| {
                let rest: Vec<JointOutcome> =
                    all.iter().filter(|one| one.rater as usize != left_out).copied().collect();
                OutcomeCorrelation::new(&rest, Target::Raters).unwrap().value().atanh()
            })
            .collect();
        let mean = z.iter().sum::<f64>() / z.len() as f64;
        let jackknife = z.iter().map(|z| (z - mean).powi(2)).sum::<f64>() * 199.0 / 200.0;
        assert!((found.variance.standard_error() / jackknife.sqrt() - 1.0).abs() < 0.02);
    }

    #[test]
    fn outcomes_without_a_correlation_are_refused() {
        for outcomes in [vec![[0.0, 1.0], [0.0, -1.0]], vec![[1.0, 2.0], [-1.0, -2.0]], vec![]] {
            let refused = OutcomeCorrelation::new(&joint(&outcomes), Target::Raters).unwrap_err();
            assert!(matches!(refused, StatError::Degenerate { .. }), "{outcomes:?}: {refused}");
        }
        let one = [JointOutcome { rater: 0, item: 0, count: 2.0, outcomes: [1.0, 0.5] }; 2];
        assert!(OutcomeCorrelation::new(&one[..1], Target::Raters).is_err());
    }
}
