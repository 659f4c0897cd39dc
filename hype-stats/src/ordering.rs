//! How sure the order of several models is: sets of ranks with confidence, and shares of resamples.

mod resamples;

pub use resamples::{OrderShare, OrderShares, order_shares};

use crate::StatError;
use crate::distributions::check_level;
use crate::equivalence::{Better, MeanEvidence};
use crate::multiple::holm;

const NAME: &str = "rank confidence sets";

/// The ranks that a model may have, from the best to the worst; rank 1 is the lead.
///
/// A model's rank is one more than the number of models that are better, so equal models share the
/// best of their ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RankSet {
    /// The best rank in the set.
    pub best: usize,
    /// The worst rank in the set.
    pub worst: usize,
}

/// One-sided p values of all pairs of models, from which confidence sets of their ranks follow.
///
/// # Method
///
/// Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility across
/// neighbourhoods and academic achievement across countries", Review of Economic Studies 91: a model that
/// is shown to be worse than b others and better than w others of m has a rank of b + 1 to m - w. The
/// comparisons are tests of the two one-sided hypotheses of each pair, adjusted by Holm's (1979) method,
/// which steps down and holds for any dependence. A marginal set uses the 2 (m - 1) hypotheses about its
/// model and covers the rank of that model; simultaneous sets use all m (m - 1) and cover all ranks
/// together.
///
/// # Examples
///
/// Three models judged by the same ten raters, whose errors of differences are 0.1; the last is clearly
/// behind:
///
/// ```
/// use hype_stats::equivalence::{Better, StudentEstimate};
/// use hype_stats::ordering::PairwiseOrder;
/// let means = [0.52, 0.45, 0.01];
/// let order = PairwiseOrder::new(3, Better::Higher, |first, second| {
///     StudentEstimate::new(means[first] - means[second], 0.1, 9.0)
/// })?;
/// let sets = order.simultaneous(0.95)?;
/// assert_eq!((sets[0].best, sets[0].worst), (1, 2));
/// assert_eq!((sets[2].best, sets[2].worst), (3, 3));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PairwiseOrder {
    models: usize,
    /// At `first * models + second`, the p value of the hypothesis that the first is not better than the
    /// second.
    p_values: Vec<f64>,
}

impl PairwiseOrder {
    /// Compares all pairs; `difference(first, second)` is the evidence about the value of the first less
    /// that of the second, for `first < second`.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for fewer than two models, and the errors of the evidence.
    pub fn new<E: MeanEvidence>(
        models: usize,
        better: Better,
        mut difference: impl FnMut(usize, usize) -> Result<E, StatError>,
    ) -> Result<Self, StatError> {
        if models < 2 {
            return Err(StatError::TooFew { statistic: NAME, needed: 2, of: "models", got: models });
        }
        let mut p_values = vec![1.0; models * models];
        for first in 0..models {
            for second in first + 1..models {
                let evidence = difference(first, second)?;
                let (not_higher, not_lower) = (evidence.p_at_most(0.0)?, evidence.p_at_least(0.0)?);
                let (forward, backward) = match better {
                    Better::Higher => (not_higher, not_lower),
                    Better::Lower => (not_lower, not_higher),
                };
                p_values[first * models + second] = forward;
                p_values[second * models + first] = backward;
            }
        }
        Ok(Self { models, p_values })
    }

    /// Computes for each model a set that contains its rank with probability `level`, each for itself.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0..1.
    pub fn marginal(&self, level: f64) -> Result<Vec<RankSet>, StatError> {
        check_level(level)?;
        (0..self.models)
            .map(|model| {
                let others = || (0..self.models).filter(move |&other| other != model);
                let p: Vec<f64> = others()
                    .map(|other| self.p(model, other))
                    .chain(others().map(|other| self.p(other, model)))
                    .collect();
                let adjusted = holm(&p)?;
                let (ahead, behind) = adjusted.split_at(self.models - 1);
                Ok(self.set(shown(behind, level), shown(ahead, level)))
            })
            .collect()
    }

    /// Computes sets that contain the ranks of all models together with probability `level`.
    ///
    /// # Errors
    ///
    /// As [`Self::marginal`].
    pub fn simultaneous(&self, level: f64) -> Result<Vec<RankSet>, StatError> {
        check_level(level)?;
        let pairs: Vec<(usize, usize)> = (0..self.models)
            .flat_map(|first| (0..self.models).map(move |second| (first, second)))
            .filter(|(first, second)| first != second)
            .collect();
        let p: Vec<f64> = pairs.iter().map(|&(first, second)| self.p(first, second)).collect();
        let (mut better, mut worse) = (vec![0; self.models], vec![0; self.models]);
        for (&(first, second), p) in pairs.iter().zip(holm(&p)?) {
            if p <= 1.0 - level {
                worse[first] += 1;
                better[second] += 1;
            }
        }
        Ok(better.into_iter().zip(worse).map(|(better, worse)| self.set(better, worse)).collect())
    }

    fn p(&self, first: usize, second: usize) -> f64 {
        self.p_values[first * self.models + second]
    }

    const fn set(&self, better: usize, worse: usize) -> RankSet {
        RankSet { best: better + 1, worst: self.models - worse }
    }
}

fn shown(adjusted: &[f64], level: f64) -> usize {
    adjusted.iter().filter(|&&p| p <= 1.0 - level).count()
}

#[cfg(test)]
mod tests;
