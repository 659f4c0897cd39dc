//! Votes, and their consensus by a method.

use hype_core::Streams;
use hype_stats::StatError;
use hype_stats::consensus::{
    self, EmFit, EmOptions, GladOptions, LabelVotes, MaceOptions, VotesBuilder, agreement, majority_vote,
};

use super::{Consensus, ConsensusMethod};
use crate::aggregators::rated::Rating;

/// Posterior probabilities this close are equal: the iterations stop at about this precision.
const TIE: f64 = 1e-9;

/// Items with the votes for their labels.
pub(super) struct Sample {
    /// Model and item of each item of the votes.
    pub(super) items: Vec<(usize, usize)>,
    /// Numbers of the raters of the votes.
    pub(super) raters: Vec<usize>,
    /// The values behind the labels, ascending.
    pub(super) values: Vec<f64>,
    pub(super) votes: LabelVotes,
}

/// The consensus of a sample.
pub(super) struct Fitted {
    pub(super) sample: Sample,
    pub(super) consensus: consensus::LabelPosteriors,
    /// The estimates of each rater.
    pub(super) raters: Vec<Option<f64>>,
    /// How difficult each item is; empty except for GLAD.
    pub(super) difficulties: Vec<f64>,
    /// How many iterations were made without convergence; `None` if the estimation converged.
    pub(super) unfinished: Option<usize>,
}

impl Sample {
    /// The votes of ratings in their order, for labels with the given values in ascending order.
    pub(super) fn of<'a>(
        ratings: impl Iterator<Item = &'a Rating> + Clone,
        values: &[f64],
    ) -> Result<Self, StatError> {
        let mut raters: Vec<usize> = ratings.clone().map(|rating| rating.rater).collect();
        raters.sort_unstable();
        raters.dedup();
        let mut items: Vec<(usize, usize)> = Vec::new();
        let mut builder = VotesBuilder::new();
        for rating in ratings {
            let item = (rating.model, rating.item);
            if items.last() != Some(&item) {
                items.push(item);
            }
            let rater = raters.partition_point(|&known| known < rating.rater);
            let label = values.partition_point(|&known| known < rating.value);
            builder.push(items.len() as u32 - 1, rater as u32, label as u32);
        }
        let votes = builder.finish_with_sizes([items.len(), raters.len(), values.len()])?;
        Ok(Self { items, raters, values: values.to_vec(), votes })
    }
}

impl Fitted {
    pub(super) fn of(sample: Sample, settings: &Consensus, chance: &Streams) -> Result<Self, StatError> {
        let votes = &sample.votes;
        let mut difficulties = Vec::new();
        let some = |values: Vec<f64>| values.into_iter().map(Some).collect();
        let (consensus, raters, fit): (_, Vec<Option<f64>>, Option<EmFit>) = match settings.method {
            ConsensusMethod::Majority => {
                let found = majority_vote(votes)?;
                let alone = |item| match found.winners(item) {
                    [one] => Some(*one),
                    _ => None,
                };
                let labels: Vec<Option<u32>> = (0..votes.items()).map(alone).collect();
                let agreed = agreement(votes, &labels)?;
                (found.consensus, agreed, None)
            }
            ConsensusMethod::DawidSkene => {
                let found = consensus::dawid_skene(votes, EmOptions::default())?;
                let labels = votes.labels();
                let correct = (0..votes.raters()).map(|rater| {
                    let right = (0..labels).map(|label| {
                        found.class_priors[label] * found.confusion(rater, label).get(label).unwrap_or(&0.0)
                    });
                    right.sum::<f64>()
                });
                let correct = some(correct.collect());
                (found.consensus, correct, Some(found.fit))
            }
            ConsensusMethod::OneCoin => {
                let found = consensus::one_coin(votes, EmOptions::default())?;
                (found.consensus, found.skills, Some(found.fit))
            }
            ConsensusMethod::Glad => {
                let found = consensus::glad(votes, &GladOptions::default())?;
                difficulties = found.difficulties;
                (found.consensus, some(found.abilities), Some(found.fit))
            }
            ConsensusMethod::Mace => {
                let seed = chance.seed("mace");
                let found = consensus::mace(votes, MaceOptions { seed, ..MaceOptions::default() })?;
                (found.consensus, some(found.competences), Some(found.fit))
            }
        };
        let unfinished = fit.filter(|fit| !fit.converged).map(|fit| fit.iterations());
        Ok(Self { consensus, raters, difficulties, unfinished, sample })
    }

    /// The most probable labels of an item, several if they are tied.
    pub(super) fn winners(&self, item: usize) -> Vec<usize> {
        let posterior = self.consensus.posterior(item);
        let most = posterior.iter().copied().fold(0.0, f64::max);
        (0..posterior.len()).filter(|&label| posterior[label] >= most - TIE).collect()
    }

    /// The value of an item's consensus: the mean of tied ones.
    pub(super) fn value(&self, item: usize) -> f64 {
        let winners = self.winners(item);
        winners.iter().map(|&label| self.sample.values[label]).sum::<f64>() / winners.len() as f64
    }
}
