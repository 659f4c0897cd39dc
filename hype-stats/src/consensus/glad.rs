//! GLAD: ability of raters and difficulty of items.

use super::check_cells;
use super::em::{EmFit, LEAST_VOTES, MOST_BLOCKS, change, check_stop, split};
use super::posterior::LabelPosteriors;
use super::votes::LabelVotes;
use crate::StatError;
use crate::describe::{sum, sum_by};
use crate::parallel;

mod item;

use item::{Scratch, Sums};

/// The number of raters whose abilities one thread computes at a time.
const RATERS_AT_ONCE: usize = 256;

/// The priors of [`glad`], and its convergence criteria.
#[derive(Debug, Clone, PartialEq)]
pub struct GladOptions {
    /// Mean of the normal prior on abilities.
    pub ability_mean: f64,
    /// Standard deviation of the normal prior on abilities.
    pub ability_sd: f64,
    /// Mean of the normal prior on the logarithm of easiness, 1 / difficulty.
    pub log_easiness_mean: f64,
    /// Standard deviation of the normal prior on the logarithm of easiness.
    pub log_easiness_sd: f64,
    /// Probability of each true label; `None` if all are equally likely.
    pub class_priors: Option<Vec<f64>>,
    /// Maximum number of iterations, at least 1.
    pub max_iterations: usize,
    /// The fit has converged when an iteration changes no ability and no logarithm of easiness by more
    /// than this, and the objective by no more than this times its magnitude (or this, if that is
    /// below 1).
    pub tolerance: f64,
}

impl Default for GladOptions {
    /// The published priors, normal with mean 1 and standard deviation 1 on both, and equally likely classes; up
    /// to 10,000 iterations to a tolerance of 1e-6.
    fn default() -> Self {
        Self {
            ability_mean: 1.0,
            ability_sd: 1.0,
            log_easiness_mean: 1.0,
            log_easiness_sd: 1.0,
            class_priors: None,
            max_iterations: 10_000,
            tolerance: 1e-6,
        }
    }
}

/// The estimates of GLAD.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Glad {
    /// Posteriors and labels.
    pub consensus: LabelPosteriors,
    /// Ability α of each rater: above 0 better than a guess, below 0 adversarial.
    pub abilities: Vec<f64>,
    /// Difficulty 1/β of each item, above 0.
    pub difficulties: Vec<f64>,
    /// The course of the estimation; its objective is the logarithm of the posterior density.
    pub fit: EmFit,
}

/// Estimates the true labels, the ability of raters and the difficulty of items.
///
/// # Method
///
/// Whitehill, Ruvolo, Wu, Bergsma and Movellan (2009), "Whose vote should count more": a rater of
/// ability α names the true label of an item of difficulty 1/β with probability σ(α β), σ being the
/// logistic function, and each of the K - 1 others with (1 - σ(α β)) / (K - 1). α and ln β have normal
/// priors. The objective is the logarithm of the posterior density of α and ln β, truth summed out and
/// without the constants of the priors.
///
/// It is maximized by expectation and conditional maximization (Meng and Rubin 1993). Each iteration
/// computes the items' posteriors, updates each ln β, computes the posteriors again, and updates each α.
/// Instead of a gradient step, whose length would have to be searched, both use the quadratic lower
/// bound of ln σ that touches it at the present α β (Jaakkola and Jordan 2000): its maximum for α has a
/// closed form, its maximum for ln β is found by safeguarded Newton steps without further use of the
/// votes. No iteration can lower the objective. The search begins at the prior means. The limit is a
/// local maximum.
///
/// Raters without votes and items without votes stay at the prior means. With a single label all stay
/// there, as nothing can be learnt.
///
/// # Errors
///
/// [`StatError::Parameter`] for options outside their range, and if items times labels exceed 2^29;
/// [`StatError::Lengths`] unless there is one class prior for each label.
///
/// # Examples
///
/// ```
/// use hype_stats::consensus::{GladOptions, LabelVotes, glad};
/// // Five raters agree on items 0 to 8; the last of them is alone on each; item 9 divides them.
/// let (mut items, mut raters, mut labels) = (vec![], vec![], vec![]);
/// for item in 0..10_u32 {
///     for rater in 0..5_u32 {
///         items.push(item);
///         raters.push(rater);
///         labels.push(if item == 9 { rater % 2 } else { (item + rater / 4) % 2 });
///     }
/// }
/// let votes = LabelVotes::from_columns(&items, &raters, &labels)?;
/// let found = glad(&votes, &GladOptions::default())?;
/// assert!(found.fit.converged);
/// assert!(found.abilities[4] < found.abilities[0]);
/// assert!(found.difficulties[9] > found.difficulties[0]);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn glad(votes: &LabelVotes, options: &GladOptions) -> Result<Glad, StatError> {
    let assumed = Assumptions::new(votes, options)?;
    let (items, raters, labels) = (votes.items(), votes.raters(), votes.labels());
    let mut posteriors = vec![0.0; check_cells("number of items times number of labels", &[items, labels])?];
    let mut now = State {
        abilities: vec![assumed.ability.mean; raters],
        log_easiness: vec![assumed.easiness.mean; items],
    };
    let mut next = now.clone();
    let mut climber = Climber::new(votes, &assumed);
    let (mut log_likelihood, mut history, mut converged) = (0.0, Vec::new(), false);
    // Each round returns the objective of the previous round's estimates.
    for round in 0..=options.max_iterations {
        log_likelihood = climber.step(&now, &mut next);
        if round > 0 {
            let objective = log_likelihood + assumed.log_prior(&now);
            let gain = history.last().map_or(f64::INFINITY, |last: &f64| (objective - last).abs());
            history.push(objective);
            if gain <= options.tolerance * objective.abs().max(1.0) && now.change(&next) <= options.tolerance
            {
                converged = true;
            }
        }
        if converged || round == options.max_iterations {
            break;
        }
        std::mem::swap(&mut now, &mut next);
    }
    climber.posteriors(&now, &mut posteriors);
    Ok(Glad {
        consensus: LabelPosteriors::new(votes, posteriors),
        abilities: now.abilities,
        difficulties: now.log_easiness.into_iter().map(|value| (-value).exp()).collect(),
        fit: EmFit { log_likelihood, history, converged },
    })
}

/// A normal prior.
struct Normal {
    mean: f64,
    /// 1 / variance.
    precision: f64,
}

impl Normal {
    fn new(mean: f64, sd: f64) -> Result<Self, StatError> {
        // Beyond these the products and exponentials of a step could leave the range of doubles.
        if mean.is_nan() || mean.abs() > 10.0 {
            return Err(StatError::Parameter {
                parameter: "prior mean",
                expected: "within -10..=10",
                got: mean,
            });
        }
        if !(1e-6..=10.0).contains(&sd) {
            return Err(StatError::Parameter {
                parameter: "prior standard deviation",
                expected: "within 1e-6..=10",
                got: sd,
            });
        }
        Ok(Self { mean, precision: (sd * sd).recip() })
    }

    /// Logarithm of the density, without its constant.
    fn ln(&self, value: f64) -> f64 {
        -0.5 * self.precision * (value - self.mean).powi(2)
    }
}

/// The priors.
struct Assumptions {
    ability: Normal,
    easiness: Normal,
    /// Logarithms of the class priors.
    classes: Vec<f64>,
    /// ln(K - 1).
    ln_others: f64,
}

impl Assumptions {
    fn new(votes: &LabelVotes, options: &GladOptions) -> Result<Self, StatError> {
        check_stop(options.max_iterations, options.tolerance)?;
        let labels = votes.labels();
        let classes = match &options.class_priors {
            None => vec![-(labels as f64).ln(); labels],
            Some(priors) => {
                if priors.len() != labels {
                    return Err(StatError::Lengths { statistic: "GLAD", left: labels, right: priors.len() });
                }
                if let Some(&got) = priors.iter().find(|&&prior| !(prior > 0.0 && prior <= 1.0)) {
                    let (parameter, expected) = ("class prior", "above 0 and at most 1");
                    return Err(StatError::Parameter { parameter, expected, got });
                }
                let total = sum(priors);
                if (total - 1.0).abs() > 1e-9 {
                    let (parameter, expected) = ("sum of class priors", "1");
                    return Err(StatError::Parameter { parameter, expected, got: total });
                }
                priors.iter().map(|prior| prior.ln()).collect()
            }
        };
        Ok(Self {
            ability: Normal::new(options.ability_mean, options.ability_sd)?,
            easiness: Normal::new(options.log_easiness_mean, options.log_easiness_sd)?,
            classes,
            ln_others: ((labels - 1).max(1) as f64).ln(),
        })
    }

    fn log_prior(&self, state: &State) -> f64 {
        sum_by(state.abilities.len(), |rater| self.ability.ln(state.abilities[rater]))
            + sum_by(state.log_easiness.len(), |item| self.easiness.ln(state.log_easiness[item]))
    }
}

/// The estimates.
#[derive(Clone)]
struct State {
    abilities: Vec<f64>,
    log_easiness: Vec<f64>,
}

impl State {
    fn change(&self, other: &Self) -> f64 {
        change(&self.abilities, &other.abilities).max(change(&self.log_easiness, &other.log_easiness))
    }
}

/// Iterates over blocks of items, and adds up the blocks in order.
struct Climber<'a> {
    votes: &'a LabelVotes,
    assumed: &'a Assumptions,
    bounds: Vec<usize>,
    blocks: Vec<Sums>,
}

impl<'a> Climber<'a> {
    fn new(votes: &'a LabelVotes, assumed: &'a Assumptions) -> Self {
        let most = (votes.len() / votes.raters()).min(votes.len() / LEAST_VOTES);
        let bounds = votes.blocks(most.min(MOST_BLOCKS));
        let blocks = vec![Sums::new(votes.raters()); bounds.len() - 1];
        Self { votes, assumed, bounds, blocks }
    }

    /// Sets the next estimates, and returns the log-likelihood of the current ones.
    fn step(&mut self, now: &State, next: &mut State) -> f64 {
        let (votes, assumed) = (self.votes, self.assumed);
        if votes.labels() == 1 {
            next.clone_from(now);
            return 0.0;
        }
        let easiness = split(&mut next.log_easiness, &self.bounds, 1);
        let bounds = &self.bounds;
        parallel::for_each_of(self.blocks.iter_mut().zip(easiness), |index, (sums, easiness)| {
            let mut scratch = Scratch::new(votes.labels());
            sums.clear();
            for (item, easiness) in (bounds[index]..bounds[index + 1]).zip(easiness) {
                *easiness = scratch.step(votes, item, assumed, now, sums);
            }
        });
        parallel::for_each_of(next.abilities.chunks_mut(RATERS_AT_ONCE), |chunk, abilities| {
            for (rater, ability) in (chunk * RATERS_AT_ONCE..).zip(abilities) {
                let Normal { mean, precision } = assumed.ability;
                let sums = self.blocks.iter().map(|block| block.raters[rater]);
                let [above, below] = sums
                    .fold([mean * precision, precision], |[above, below], [linear, square]| {
                        [above + linear, below + square]
                    });
                *ability = above / below;
            }
        });
        let parts: Vec<f64> = self.blocks.iter().map(|block| block.log_likelihood).collect();
        sum(&parts)
    }

    /// Writes the posteriors of all items.
    fn posteriors(&self, state: &State, posteriors: &mut [f64]) {
        let labels = self.votes.labels();
        let parts = split(posteriors, &self.bounds, labels);
        parallel::for_each_of(parts.into_iter(), |index, posteriors| {
            let mut scratch = Scratch::new(labels);
            for (item, posterior) in (self.bounds[index]..).zip(posteriors.chunks_exact_mut(labels)) {
                scratch.load(self.votes, item, state);
                scratch.expect(state.log_easiness[item].exp(), self.assumed);
                posterior.copy_from_slice(&scratch.posterior);
            }
        });
    }
}
