//! Plackett and Luce's model of rankings.

use super::covariance::Covariance;
use super::matrix::Symmetric;
use super::newton::{Likelihood, Newton};
use super::rankings::{Rankings, visit_choices};
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
/// there over Σ π of that item and all ranked below it. A ranking with ties counts as all orders of the
/// tied items in equal shares, as a tie of two is half a win of each: its log-likelihood is the mean over
/// them. A ranking of some of the items carries no information about the others. With rankings of two it is Bradley and Terry's model. The likelihood
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

    /// Refuses rankings of another number of items than was fitted, and columns of other lengths than there are rankings.
    pub(super) fn check_lengths(
        &self,
        statistic: &'static str,
        rankings: &Rankings,
        columns: &[usize],
    ) -> Result<(), StatError> {
        let columns = columns.iter().map(|&length| (length, rankings.len()));
        let mut lengths = columns.chain([(rankings.items(), self.theta.len())]);
        match lengths.find(|(left, right)| left != right) {
            Some((left, right)) => Err(StatError::Lengths { statistic, left, right }),
            None => Ok(()),
        }
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
        let mut choices = Choices::default();
        for index in (0..self.rankings.len()).filter(|&index| self.weights[index] > 0.0) {
            let weight = self.weights[index];
            choices.set(self.rankings.get(index), self.rankings.ties(index), at);
            value += choices.log_likelihood(weight);
            choices.scores(|item, score| gradient[item] += weight * score);
            choices.information(weight, |row, column, entry| information.add(row, column, entry));
        }
        value
    }
}

/// A ranking as choices of the next best from those that are left, with what each choice says about strengths.
#[derive(Debug, Default)]
pub(super) struct Choices {
    items: Vec<usize>,
    /// Of the item at each place, relative to the greatest of the ranking.
    strengths: Vec<f64>,
    /// The reciprocal of the sum of the strengths of those left at each choice; one less than the places. Without ties.
    shares: Vec<f64>,
    /// With ties, the choices of all orders of tied items.
    tied: Vec<TiedChoice>,
}

/// A choice from some of the items that are tied and all below them.
#[derive(Debug)]
struct TiedChoice {
    /// In which share of the orders it is made.
    share: f64,
    /// The places of the remaining tied items; one is chosen.
    tied: Vec<usize>,
    /// The places of all that are left.
    left: Vec<usize>,
    /// The sum of their strengths.
    total: f64,
}

impl Choices {
    /// Takes a ranking, best first, of items whose logarithms of strengths are `at`; `ties` says of each whether it is tied with
    /// the one before.
    pub(super) fn set(&mut self, ranking: &[u32], ties: &[bool], at: &[f64]) {
        self.items.clear();
        self.items.extend(ranking.iter().map(|&item| item as usize));
        let top = self.items.iter().fold(f64::NEG_INFINITY, |top, &item| top.max(at[item]));
        self.strengths.clear();
        self.strengths.extend(self.items.iter().map(|&item| (at[item] - top).exp()));
        self.shares.clear();
        self.tied.clear();
        if ties.contains(&true) {
            visit_choices(ties, |share, tied, below| {
                let left: Vec<usize> = tied.iter().copied().chain(below..ranking.len()).collect();
                let total = left.iter().map(|&place| self.strengths[place]).sum();
                self.tied.push(TiedChoice { share, tied: tied.to_vec(), left, total });
            });
            return;
        }
        // Sums of the strengths from each place down.
        self.shares.extend(self.strengths.iter().rev().scan(0.0, |sum, strength| {
            *sum += strength;
            Some(1.0 / *sum)
        }));
        self.shares.reverse();
        // At the last place nothing is left to choose from.
        self.shares.pop();
    }

    fn log_likelihood(&self, weight: f64) -> f64 {
        let of_ties = self.tied.iter().map(|choice| {
            let chosen: f64 = choice.tied.iter().map(|&place| self.strengths[place].ln()).sum();
            weight * choice.share * (chosen / choice.tied.len() as f64 - choice.total.ln())
        });
        let chosen = self.strengths.iter().zip(&self.shares);
        chosen.map(|(strength, share)| weight * (strength * share).ln()).chain(of_ties).sum()
    }

    /// Visits each item with its score: 1 if it was chosen before another, less its probability at each choice.
    #[inline]
    fn scores(&self, mut visit: impl FnMut(usize, f64)) {
        for TiedChoice { share, tied, left, total } in &self.tied {
            tied.iter().for_each(|&place| visit(self.items[place], share / tied.len() as f64));
            left.iter().for_each(|&place| visit(self.items[place], -share * self.strengths[place] / total));
        }
        if !self.tied.is_empty() {
            return;
        }
        let mut shares = 0.0;
        for (place, (&item, strength)) in self.items.iter().zip(&self.strengths).enumerate() {
            let chosen = self.shares.get(place);
            shares += chosen.copied().unwrap_or(0.0);
            visit(item, f64::from(u8::from(chosen.is_some())) - strength * shares);
        }
    }

    /// Visits the entries of the information of so many such rankings on one side of the diagonal, and on it.
    #[inline]
    pub(super) fn information(&self, weight: f64, mut visit: impl FnMut(usize, usize, f64)) {
        let mut pair = |item: usize, other: usize, joint: f64| {
            visit(item, item, joint);
            visit(other, other, joint);
            visit(item, other, -joint);
        };
        for TiedChoice { share, left, total, .. } in &self.tied {
            for (after, &place) in (1..).zip(left) {
                for &other in &left[after..] {
                    let joint = share * self.strengths[place] * self.strengths[other] / (total * total);
                    pair(self.items[place], self.items[other], weight * joint);
                }
            }
        }
        let mut squares = 0.0;
        for (place, share) in self.shares.iter().enumerate() {
            squares += share * share;
            let (item, strength) = (self.items[place], self.strengths[place]);
            for (&other, &below) in self.items[place + 1..].iter().zip(&self.strengths[place + 1..]) {
                pair(item, other, weight * strength * below * squares);
            }
        }
    }
}
