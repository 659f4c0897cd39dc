//! The one-coin model: a single probability of being correct for each rater.

use super::dawid_skene::{FLOOR, set_prior};
use super::em::{EmFit, EmOptions, Engine, Expected, Model, Tables, climb};
use super::posterior::LabelPosteriors;
use super::votes::LabelVotes;
use crate::StatError;

/// The estimates of the one-coin model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OneCoin {
    /// Posteriors and labels.
    pub consensus: LabelPosteriors,
    /// Probability of each true label.
    pub class_priors: Vec<f64>,
    /// Probability that each rater names the true label; `None` for a rater without votes.
    pub skills: Vec<Option<f64>>,
    /// The course of the estimation; its objective is the log-likelihood.
    pub fit: EmFit,
}

/// Estimates the true labels, and for each rater one probability of naming the true one.
///
/// # Method
///
/// Dawid and Skene's model with a rater's confusion matrix held to one number: the true label with
/// probability s, and each of the K - 1 others with (1 - s) / (K - 1) (homogeneous Dawid-Skene, as in
/// Li and Yu 2014, "Error rate bounds and iterative weighted majority voting for crowdsourcing"). It
/// is suitable for few votes per rater. Start, iterations and history are as for
/// [`dawid_skene`](super::dawid_skene()); class priors are floored at 1e-10, and the probabilities of
/// a label are clamped to 1e-10 and 1 - 1e-10.
///
/// # Errors
///
/// As [`dawid_skene`](super::dawid_skene()).
///
/// # Examples
///
/// ```
/// use hype_stats::consensus::{EmOptions, LabelVotes, one_coin};
/// let items = [0, 0, 0, 1, 1, 1, 2, 2, 2];
/// let raters = [0, 1, 2, 0, 1, 2, 0, 1, 2];
/// let votes = LabelVotes::from_columns(&items, &raters, &[0, 0, 1, 2, 2, 2, 1, 1, 0])?;
/// let found = one_coin(&votes, EmOptions::default())?;
/// assert_eq!(found.consensus.labels(), [Some(0), Some(2), Some(1)]);
/// assert!(found.skills[0] > found.skills[2]);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn one_coin(votes: &LabelVotes, options: EmOptions) -> Result<OneCoin, StatError> {
    options.check()?;
    let labels = votes.labels();
    let counts = votes.row_counts();
    let per_rater =
        counts.chunks_exact(labels).map(|counts| counts.iter().map(|&count| f64::from(count)).sum());
    let tables = Tables::uniform(votes)?;
    let mut engine = Engine::new(votes, &tables);
    let model = Coins { labels, voted: engine.voted, per_rater: per_rater.collect() };
    let blank = Estimates { skills: vec![0.0; votes.raters()], tables };
    let mut estimates = blank.clone();
    model.maximize(&blank, engine.expect_shares(), &mut estimates);
    let mut history = Vec::new();
    let converged = climb(&model, &mut engine, &mut estimates, options, &mut history);
    let skills = estimates.skills.iter().zip(&model.per_rater);
    Ok(OneCoin {
        consensus: LabelPosteriors::new(votes, engine.posteriors(&estimates.tables)?),
        class_priors: estimates.tables.class_priors(labels),
        skills: skills.map(|(&skill, &count)| (count > 0.0).then_some(skill)).collect(),
        fit: EmFit { log_likelihood: history.last().copied().unwrap_or(0.0), history, converged },
    })
}

struct Coins {
    labels: usize,
    voted: f64,
    per_rater: Vec<f64>,
}

#[derive(Clone)]
struct Estimates {
    skills: Vec<f64>,
    tables: Tables,
}

impl Model for Coins {
    type Estimates = Estimates;

    fn tables<'a>(&self, estimates: &'a Estimates) -> &'a Tables {
        &estimates.tables
    }

    fn maximize(&self, _: &Estimates, expected: &Expected, new: &mut Estimates) {
        set_prior(&mut new.tables.prior, expected, self.labels, self.voted);
        let width = new.tables.width();
        let likelihood = new.tables.likelihood.as_flattened_mut().chunks_exact_mut(self.labels * width);
        for (rater, (skill, likelihood)) in new.skills.iter_mut().zip(likelihood).enumerate() {
            let correct: f64 =
                (0..self.labels).map(|label| expected.correct(rater * self.labels + label, label)).sum();
            // Rounding may raise the sum of posteriors above their number.
            *skill = (correct / self.per_rater[rater].max(1.0)).min(1.0);
            let others = (self.labels - 1).max(1) as f64;
            likelihood.fill(((1.0 - *skill) / others).clamp(FLOOR, 1.0 - FLOOR));
            for (label, row) in likelihood.chunks_exact_mut(width).enumerate() {
                row[label] = skill.clamp(FLOOR, 1.0 - FLOOR);
            }
        }
    }
}
