//! Dawid and Skene's model: a confusion matrix for each rater.

use super::em::{EmFit, EmOptions, Engine, Expected, Group, Model, Tables, climb};
use super::posterior::LabelPosteriors;
use super::votes::LabelVotes;
use crate::StatError;
use crate::parallel;

/// Minimum expected count and minimum class prior.
pub(super) const FLOOR: f64 = 1e-10;

/// The number of raters whose tables one thread fills at a time.
const RATERS_AT_ONCE: usize = 64;

/// The estimates of Dawid and Skene's model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DawidSkene {
    /// Posteriors and labels.
    pub consensus: LabelPosteriors,
    /// Probability of each true label.
    pub class_priors: Vec<f64>,
    /// The course of the estimation; its objective is the log-likelihood.
    pub fit: EmFit,
    confusion: Vec<f64>,
}

impl DawidSkene {
    /// The probabilities of a rater's labels if a label is true; empty for unknown ones.
    ///
    /// They are equal if the rater has no votes on such items.
    #[must_use]
    pub fn confusion(&self, rater: usize, truth: usize) -> &[f64] {
        let labels = self.class_priors.len();
        if truth >= labels {
            return &[];
        }
        let row = rater.saturating_mul(labels).saturating_add(truth);
        self.confusion.chunks_exact(labels).nth(row).unwrap_or_default()
    }
}

/// Estimates the true labels, and for each rater the probability of each label given the true one.
///
/// # Method
///
/// Dawid and Skene (1979), "Maximum likelihood estimation of observer error-rates using the EM
/// algorithm": votes are independent given the true label. Starting with the shares of the votes as
/// posteriors, each iteration computes class priors and confusion matrices from the posteriors (their
/// equations 2.3 and 2.4), then posteriors from those (2.5). Expected counts and class priors are
/// floored at 1e-10: no vote is impossible; without floors the log-likelihood would never fall,
/// with them it may by about 1e-10 for each vote. A class that no vote ever names has a prior of 1e-10.
/// The limit is a local maximum.
///
/// The history holds the log-likelihood of the class priors and confusion matrices of each iteration.
///
/// # Errors
///
/// [`StatError::Parameter`] for options outside their range, and for tables of more than 2^29 cells
/// (raters times labels squared, items times labels).
///
/// # Numerics
///
/// A hundred thousand items take a few milliseconds for an iteration: the probabilities of an item's
/// votes are multiplied with separate powers of two, and one logarithm is computed for thousands of
/// items.
///
/// # Examples
///
/// ```
/// use hype_stats::consensus::{EmOptions, LabelVotes, dawid_skene};
/// let items = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3];
/// let raters = [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2];
/// let labels = [0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0];
/// let votes = LabelVotes::from_columns(&items, &raters, &labels)?;
/// let found = dawid_skene(&votes, EmOptions::default())?;
/// assert!(found.fit.converged);
/// assert_eq!(found.consensus.labels(), [Some(0), Some(1), Some(0), Some(1)]);
/// assert!((found.confusion(2, 0)[1] - 0.5).abs() < 1e-6);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn dawid_skene(votes: &LabelVotes, options: EmOptions) -> Result<DawidSkene, StatError> {
    options.check()?;
    let labels = votes.labels();
    let blank = Tables::uniform(votes)?;
    let mut engine = Engine::new(votes, &blank);
    let model = Confusions { labels, voted: engine.voted };
    let mut tables = blank.clone();
    model.maximize(&blank, engine.expect_shares(), &mut tables);
    let mut history = Vec::new();
    let converged = climb(&model, &mut engine, &mut tables, options, &mut history);
    Ok(DawidSkene {
        consensus: LabelPosteriors::new(votes, engine.posteriors(&tables)?),
        class_priors: tables.class_priors(labels),
        fit: EmFit { log_likelihood: history.last().copied().unwrap_or(0.0), history, converged },
        confusion: by_truth(&tables, labels),
    })
}

/// The likelihoods as rows of labels for each rater and truth.
fn by_truth(tables: &Tables, labels: usize) -> Vec<f64> {
    let likelihood = tables.likelihood.as_flattened();
    let width = tables.width();
    let mut confusion = Vec::with_capacity(likelihood.len() / width * labels);
    for rater in likelihood.chunks_exact(labels * width) {
        for truth in 0..labels {
            confusion.extend(rater.chunks_exact(width).map(|row| row[truth]));
        }
    }
    confusion
}

struct Confusions {
    labels: usize,
    voted: f64,
}

impl Model for Confusions {
    type Estimates = Tables;

    fn tables<'a>(&self, estimates: &'a Tables) -> &'a Tables {
        estimates
    }

    fn maximize(&self, _: &Tables, expected: &Expected, new: &mut Tables) {
        set_prior(&mut new.prior, expected, self.labels, self.voted);
        let rows = self.labels * new.groups;
        let groups = new.groups;
        let rater = |likelihood: &mut [Group], counts: &[Group]| {
            for group in 0..groups {
                let column = || (group..rows).step_by(groups);
                let mut totals = Group::default();
                for counts in column().map(|row| &counts[row]) {
                    for (total, count) in totals.iter_mut().zip(counts) {
                        *total += count.max(FLOOR);
                    }
                }
                for row in column() {
                    likelihood[row] = std::array::from_fn(|lane| counts[row][lane].max(FLOOR) / totals[lane]);
                }
            }
        };
        let several = RATERS_AT_ONCE * rows;
        parallel::for_each_of(new.likelihood.chunks_mut(several), |chunk, likelihood| {
            let counts = expected.counts[chunk * several..].chunks_exact(rows);
            for (likelihood, counts) in likelihood.chunks_exact_mut(rows).zip(counts) {
                rater(likelihood, counts);
            }
        });
    }
}

/// Sets the class prior to the mean posterior of the items with votes.
pub(super) fn set_prior(prior: &mut [Group], expected: &Expected, labels: usize, voted: f64) {
    let classes = &expected.classes.as_flattened()[..labels];
    for (prior, class) in prior.as_flattened_mut().iter_mut().zip(classes) {
        *prior = (class / voted).max(FLOOR);
    }
}
