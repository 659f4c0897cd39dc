//! Errors of strengths where votes have raters, items or both in common.

use super::bradley_terry::PreferenceFit;
use super::comparisons::ComparisonOutcome;
use super::plackett_luce::RankingFit;
use super::rankings::{Rankings, visit_choices};
use super::scores::{Score, scores_of};
use super::settings::Ties;
use crate::StatError;
use crate::clustered::{Clustered, Contributions, Target};

const NO_COVARIATES: &[f64] = &[];

/// The votes of one rater on one item between two models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellVotes {
    /// The number of the rater.
    pub rater: u32,
    /// The number of the item.
    pub item: u32,
    /// The model shown first.
    pub first: u32,
    /// The model that it was compared with.
    pub second: u32,
    /// How often each outcome occurred, in the order of [`ComparisonOutcome::ALL`].
    pub counts: [u64; 3],
}

impl PreferenceFit {
    /// The errors of strengths and of their differences for what a result generalizes to.
    ///
    /// `votes` are those of the table that was fitted; they are summed fastest in the order of raters and items.
    ///
    /// # Method
    ///
    /// The sandwich estimator (White 1982; Liang and Zeger 1986): scores of single votes, summed over raters, items or both,
    /// between two inverse information matrices, with the factor G / (G - 1) for G clusters and Student's t. See
    /// [`ClusteredVariance`](crate::clustered::ClusteredVariance) for the case that raters and items vary (Cameron, Gelbach
    /// and Miller 2011).
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] for a model outside the fit.
    pub fn crossed(
        &self,
        votes: impl IntoIterator<Item = CellVotes>,
        target: Target,
    ) -> Result<Clustered, StatError> {
        let models = self.theta.len();
        let scores: Vec<[Score; 3]> = (0..models * models)
            .map(|pair| scores_of(self.probabilities(pair / models, pair % models)))
            .collect();
        let parameters = Parameters {
            models,
            tie: self.log_nu.is_some(),
            order: self.order_effect.is_some(),
            covariates: 0,
            leaves_ties_out: self.ties() == Ties::LeftOut,
        };
        let votes = votes.into_iter().map(|votes| (votes, NO_COVARIATES));
        let contributions = parameters.contributions(votes, |[a, b], _| scores[a * models + b])?;
        Ok(contributions.clustered(target)?.mapped(&self.covariance.dense(), 1.0))
    }
}

/// The parameters of a model of comparisons, in their order.
pub(super) struct Parameters {
    pub(super) models: usize,
    /// Whether there is ln ν.
    pub(super) tie: bool,
    /// Whether there is an effect of the order.
    pub(super) order: bool,
    pub(super) covariates: usize,
    /// Whether ties do not count.
    pub(super) leaves_ties_out: bool,
}

impl Parameters {
    /// The scores of votes, by `scores` of two models and the values of covariates.
    pub(super) fn contributions<'z>(
        &self,
        votes: impl Iterator<Item = (CellVotes, &'z [f64])>,
        scores: impl Fn([usize; 2], &[f64]) -> [Score; 3],
    ) -> Result<Contributions, StatError> {
        let models = self.models;
        let tie = self.tie.then_some(models);
        let order = self.order.then_some(models + usize::from(self.tie));
        let first_covariate = models + usize::from(self.tie) + usize::from(self.order);
        let parameters = first_covariate + self.covariates;
        let of_each = 2 + parameters - models;
        let mut contributions =
            Contributions::new(parameters).joint().with_room(votes.size_hint().0, of_each);
        for (CellVotes { rater, item, first, second, counts }, values) in votes {
            let [a, b] = places("votes of a cell", [first, second], models)?;
            let (mut lead, mut along_tie, mut votes) = (0.0, 0.0, 0);
            for ((outcome, count), score) in
                ComparisonOutcome::ALL.into_iter().zip(counts).zip(scores([a, b], values))
            {
                if count > 0 && !(self.leaves_ties_out && outcome == ComparisonOutcome::Tie) {
                    lead += count as f64 * score.lead;
                    along_tie += count as f64 * score.tie;
                    votes += count;
                }
            }
            if votes == 0 {
                continue;
            }
            let others = [tie.map(|tie| (tie, along_tie)), order.map(|order| (order, lead))];
            let covariates = (first_covariate..).zip(values.iter().map(|value| value * lead));
            let of_models = [(a, lead), (b, -lead)].into_iter();
            let mut add = |(parameter, score)| {
                contributions.push_weighted(votes as f64, rater, item, parameter, score);
            };
            of_models.for_each(&mut add);
            others.into_iter().flatten().for_each(&mut add);
            covariates.for_each(add);
        }
        Ok(contributions)
    }
}

impl RankingFit {
    /// The errors of strengths and of their differences for what a result generalizes to.
    ///
    /// `raters[i]` and `items[i]` are the numbers of the rater and the item of ranking i.
    ///
    /// # Method
    ///
    /// As [`PreferenceFit::crossed`], with the scores of whole rankings: at each choice from the remaining items, 1 for the
    /// one chosen less the probability of each; of tied items the mean over their orders.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] unless every ranking has a rater and an item, or for rankings of another number of items.
    pub fn crossed(
        &self,
        rankings: &Rankings,
        raters: &[u32],
        items: &[u32],
        target: Target,
    ) -> Result<Clustered, StatError> {
        self.check_lengths("clustered errors of rankings", rankings, &[raters.len(), items.len()])?;
        let mut contributions = Contributions::new(self.theta.len()).joint();
        let mut scores = RankingScores::new(&self.theta);
        for (index, (&rater, &item)) in raters.iter().zip(items).enumerate() {
            scores.visit(rankings, index, |model, score| contributions.push(rater, item, model, score));
        }
        Ok(contributions.clustered(target)?.mapped(&self.covariance.dense(), 1.0))
    }
}

/// The scores of rankings at fitted strengths.
///
/// Each is summed choice by choice: findings keep their last digits, while a fit sums them another way.
pub(super) struct RankingScores {
    strengths: Vec<f64>,
    scores: Vec<f64>,
}

impl RankingScores {
    pub(super) fn new(theta: &[f64]) -> Self {
        Self { strengths: theta.iter().map(|theta| theta.exp()).collect(), scores: vec![0.0; theta.len()] }
    }

    /// Visits each model of a ranking, best first, with its score.
    pub(super) fn visit(&mut self, rankings: &Rankings, index: usize, mut visit: impl FnMut(usize, f64)) {
        let Self { strengths, scores } = self;
        let ranking = rankings.get(index);
        visit_choices(rankings.ties(index), |share, tied, below| {
            let left =
                || tied.iter().copied().chain(below..ranking.len()).map(|place| ranking[place] as usize);
            let total: f64 = left().map(|ranked| strengths[ranked]).sum();
            for &place in tied {
                scores[ranking[place] as usize] += share / tied.len() as f64;
            }
            left().for_each(|ranked| scores[ranked] -= share * strengths[ranked] / total);
        });
        for &ranked in ranking {
            visit(ranked as usize, scores[ranked as usize]);
            scores[ranked as usize] = 0.0;
        }
    }
}

/// The places of two models among those of a fit.
pub(super) fn places(statistic: &'static str, models: [u32; 2], of: usize) -> Result<[usize; 2], StatError> {
    let places = models.map(|model| model as usize);
    match places[0].max(places[1]) {
        greatest if greatest >= of => Err(StatError::Lengths { statistic, left: greatest + 1, right: of }),
        _ => Ok(places),
    }
}
