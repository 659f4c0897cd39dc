//! Plackett and Luce's model of rankings.

use super::covariance::Covariance;
use super::matrix::Symmetric;
use super::newton::{Likelihood, Newton};
use super::rankings::Rankings;
use super::replicates::{Replicates, replicate};
use super::settings::check_ridge;
use crate::StatError;
use crate::bootstrap::{IntervalEstimate, Resamples};

const NAME: &str = "Plackett-Luce model";
/// The tolerance of a fit: the error of strengths is the square of the last step.
const TOLERANCE: f64 = 1e-9;
/// The tolerance of a fit to a resample.
const RESAMPLE_TOLERANCE: f64 = 1e-5;

/// A model of rankings: each rank goes to one of the remaining items, in proportion to their
/// strengths.
///
/// # Method
///
/// Plackett (1975) and Luce (1959): a ranking has the probability Π over its places of π of the item
/// there over Σ π of that item and all ranked below it. A ranking of some of the items carries no
/// information about the others. With rankings of two it is Bradley and Terry's model. The likelihood
/// is maximised for θ = ln π with the sum zero, and has a finite and single maximum if in every split
/// of the items into two groups some item of each is ranked above one of the other (Hunter 2004,
/// assumption 2).
///
/// # Numerics
///
/// Newton's method with halved steps on a concave function, from θ = 0.
///
/// # Examples
///
/// ```
/// use hype_stats::preference::{PlackettLuce, Rankings};
/// let mut rankings = Rankings::new(3)?;
/// for ranking in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 0, 1]] {
///     rankings.push(&ranking)?;
/// }
/// let fit = PlackettLuce::new().fit(&rankings)?;
/// assert!(fit.theta[0] > fit.theta[1] && (fit.theta[1] - fit.theta[2]).abs() < 1e-9);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlackettLuce {
    ridge: f64,
}

/// A fitted model of rankings.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RankingFit {
    /// Natural logarithm of each item's strength; they sum to zero.
    pub theta: Vec<f64>,
    /// Log-likelihood of the rankings, in nats, without any penalty.
    pub log_likelihood: f64,
    /// Covariance of the estimates if the model holds: the pseudo-inverse of the information.
    pub covariance: Covariance,
}

impl RankingFit {
    /// Intervals θ ∓ z standard error of all items.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0..1.
    pub fn intervals(&self, level: f64) -> Result<Vec<IntervalEstimate>, StatError> {
        self.covariance.intervals(&self.theta, level)
    }
}

impl PlackettLuce {
    /// Creates the model without a penalty.
    #[must_use]
    pub const fn new() -> Self {
        Self { ridge: 0.0 }
    }

    /// Subtracts `alpha` times the sum of squared strengths from the log-likelihood, which makes
    /// strengths finite for any rankings, and shrinks them.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] unless alpha is positive and finite.
    pub fn with_ridge(self, alpha: f64) -> Result<Self, StatError> {
        check_ridge(alpha)?;
        Ok(Self { ridge: alpha })
    }

    /// Fits the model.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] without rankings; [`StatError::Disconnected`] and
    /// [`StatError::Separated`] if groups of items were never ranked together, or never below others,
    /// which the error lists, unless there is a ridge.
    pub fn fit(&self, rankings: &Rankings) -> Result<RankingFit, StatError> {
        if rankings.is_empty() {
            return Err(StatError::TooFew { statistic: NAME, needed: 1, of: "rankings", got: 0 });
        }
        let stages = Stages { rankings, weights: vec![1.0; rankings.len()] };
        self.check(&stages)?;
        let mut search = Newton::new(NAME, &stages, self.ridge);
        search.climb(&stages, TOLERANCE)?;
        let (log_likelihood, covariance) = search.finish(&stages)?;
        let covariance = Covariance::new(covariance, rankings.items(), None, None);
        Ok(RankingFit { theta: search.parameters, log_likelihood, covariance })
    }

    /// Fits the model repeatedly to rankings drawn individually with replacement.
    ///
    /// # Errors
    ///
    /// As [`Self::fit`] for the data themselves; [`StatError::TooFew`] for fewer than two rankings or
    /// resamples; [`StatError::Lengths`] or [`StatError::Parameter`] for given indices that do not
    /// fit.
    pub fn bootstrap(&self, rankings: &Rankings, resamples: Resamples<'_>) -> Result<Replicates, StatError> {
        let units: Vec<usize> = (0..rankings.len()).collect();
        self.replicates(rankings, &units, rankings.len(), resamples)
    }

    /// Fits the model repeatedly to clusters of rankings, such as those of one rater, drawn with
    /// replacement.
    ///
    /// `clusters[i]` names the cluster of ranking i; the names need not be dense.
    ///
    /// # Errors
    ///
    /// As [`Self::bootstrap`], and [`StatError::Lengths`] unless every ranking has a cluster.
    pub fn bootstrap_clusters(
        &self,
        rankings: &Rankings,
        clusters: &[u32],
        resamples: Resamples<'_>,
    ) -> Result<Replicates, StatError> {
        if clusters.len() != rankings.len() {
            return Err(StatError::Lengths {
                statistic: "clustered bootstrap",
                left: rankings.len(),
                right: clusters.len(),
            });
        }
        let mut names = clusters.to_vec();
        names.sort_unstable();
        names.dedup();
        let place = |cluster: &u32| names.partition_point(|name| name < cluster);
        let units: Vec<usize> = clusters.iter().map(place).collect();
        self.replicates(rankings, &units, names.len(), resamples)
    }

    fn replicates(
        &self,
        rankings: &Rankings,
        unit_of: &[usize],
        units: usize,
        resamples: Resamples<'_>,
    ) -> Result<Replicates, StatError> {
        let estimate = self.fit(rankings)?.theta;
        let start = || {
            let stages = Stages { rankings, weights: vec![0.0; rankings.len()] };
            let search = Newton::new(NAME, &stages, self.ridge);
            (stages, search)
        };
        let parameters = estimate.clone();
        replicate(estimate, units, resamples, start, |(stages, search), times, row| {
            for (weight, &unit) in stages.weights.iter_mut().zip(unit_of) {
                *weight = f64::from(times[unit]);
            }
            self.check(stages)?;
            search.parameters.copy_from_slice(&parameters);
            search.climb(&*stages, RESAMPLE_TOLERANCE)?;
            row.copy_from_slice(&search.parameters);
            Ok(())
        })
    }

    fn check(&self, stages: &Stages<'_>) -> Result<(), StatError> {
        if self.ridge > 0.0 {
            return Ok(());
        }
        stages.rankings.graph(|index| stages.weights[index] > 0.0).connection().require(NAME)
    }
}

/// Rankings as choices of the next best, each with the number of times that it occurs.
struct Stages<'a> {
    rankings: &'a Rankings,
    weights: Vec<f64>,
}

impl Likelihood for Stages<'_> {
    fn strengths(&self) -> usize {
        self.rankings.items()
    }

    fn parameters(&self) -> usize {
        self.rankings.items()
    }

    fn evaluate(&self, at: &[f64], gradient: &mut [f64], information: &mut Symmetric) -> f64 {
        let mut value = 0.0;
        let (mut strengths, mut left) = (Vec::new(), Vec::new());
        for index in (0..self.rankings.len()).filter(|&index| self.weights[index] > 0.0) {
            let (ranking, weight) = (self.rankings.get(index), self.weights[index]);
            let top = ranking.iter().fold(f64::NEG_INFINITY, |top, &item| top.max(at[item as usize]));
            strengths.clear();
            strengths.extend(ranking.iter().map(|&item| (at[item as usize] - top).exp()));
            // Sum of the strengths from each rank down.
            left.clear();
            left.extend(strengths.iter().rev().scan(0.0, |sum, strength| {
                *sum += strength;
                Some(*sum)
            }));
            left.reverse();
            let (mut shares, mut squares) = (0.0, 0.0);
            for (place, (&item, &strength)) in ranking.iter().zip(&strengths).enumerate() {
                let item = item as usize;
                let chosen = place + 1 < ranking.len();
                if chosen {
                    let inverse = 1.0 / left[place];
                    shares += inverse;
                    squares += inverse * inverse;
                    value += weight * ((strength * inverse).ln());
                }
                gradient[item] += weight * (f64::from(u8::from(chosen)) - strength * shares);
                for (&other, &below) in ranking[place + 1..].iter().zip(&strengths[place + 1..]) {
                    let joint = weight * strength * below * squares;
                    information.add(item, item, joint);
                    information.add(other as usize, other as usize, joint);
                    information.add(item, other as usize, -joint);
                }
            }
        }
        value
    }
}
