//! Multi-annotator competence estimation: raters who know the label or guess by habit.

use super::em::{EmFit, EmOptions, Engine, Model, Tables, check_stop, climb};
use super::posterior::LabelPosteriors;
use super::votes::LabelVotes;
use crate::StatError;
use crate::bootstrap::draws::Draws;

mod model;

use model::{Estimates, Guessing};

/// The options of [`mace`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaceOptions {
    /// Parameter of the Beta prior on knowing the label, at least 1e-3.
    pub knowing: f64,
    /// Parameter of the Beta prior on guessing, at least 1e-3.
    pub guessing: f64,
    /// Parameter of the symmetric Dirichlet prior on the labels that are guessed, at least 1e-3.
    pub strategy: f64,
    /// Number of starts, at least 1; the first one is uniform, the others are random.
    pub restarts: usize,
    /// Maximum number of iterations of each start, at least 1.
    pub iterations_each: usize,
    /// Maximum number of iterations of the best start, which is continued until it converges.
    pub max_iterations: usize,
    /// Convergence as for [`EmOptions::tolerance`].
    pub tolerance: f64,
    /// Seed of the random starts.
    pub seed: u64,
}

impl Default for MaceOptions {
    /// The published settings: variational Bayes with Beta(0.5, 0.5) and Dirichlet(10), 10 starts of
    /// 50 iterations; the best start is then continued for up to 10,000, to a tolerance of 1e-12.
    fn default() -> Self {
        Self {
            knowing: 0.5,
            guessing: 0.5,
            strategy: 10.0,
            restarts: 10,
            iterations_each: 50,
            max_iterations: 10_000,
            tolerance: 1e-12,
            seed: 0,
        }
    }
}

/// The estimates of the model of multi-annotator competence.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Mace {
    /// Posteriors and labels.
    pub consensus: LabelPosteriors,
    /// Probability θ that each rater knows the label and does not guess; for a rater without votes the
    /// prior mean.
    pub competences: Vec<f64>,
    /// The course of the estimation, for the best start.
    pub fit: EmFit,
    /// The best start, 0 for the uniform one.
    pub best_start: usize,
    labels: usize,
    strategies: Vec<f64>,
}

impl Mace {
    /// The probabilities ξ of the labels that a rater gives when guessing; empty for an unknown one.
    #[must_use]
    pub fn strategy(&self, rater: usize) -> &[f64] {
        self.strategies.chunks_exact(self.labels).nth(rater).unwrap_or_default()
    }
}

/// Estimates the true labels, and for each rater how often it knows them and what it guesses otherwise.
///
/// # Method
///
/// Hovy, Berg-Kirkpatrick, Vaswani and Hovy (2013), "Learning whom to trust with MACE": every label is
/// equally likely to be true; a rater knows it with probability θ, and otherwise guesses a label with
/// the probabilities ξ, whatever the truth. Variational Bayes, which the paper found to be better than expectation and
/// maximization, maximizes the bound on the log-likelihood under the priors (Beal 2003); estimates are posterior means. The
/// history holds that objective.
///
/// The objective has several maxima. The first start has θ = 1/2 and uniform strategies, which is
/// nearly equivalent to the shares of the votes. Every other start draws (θ, 1 - θ) and ξ as uniform
/// numbers in 1..1.5 over their sum, from the random stream numbered by the start. The start with the
/// greatest objective after its iterations, the first of equal ones, is continued to its maximum.
///
/// # Errors
///
/// [`StatError::Parameter`] for options outside their range, and for tables of more than 2^29 cells (raters times labels squared, items
/// times labels).
///
/// # Examples
///
/// ```
/// use hype_stats::consensus::{MaceOptions, LabelVotes, mace};
/// // The last rater says 0 whatever is shown.
/// let (mut items, mut raters, mut labels) = (vec![], vec![], vec![]);
/// for item in 0..30 {
///     for rater in 0..4 {
///         items.push(item);
///         raters.push(rater);
///         labels.push(if rater == 3 { 0 } else { item % 3 });
///     }
/// }
/// let votes = LabelVotes::from_columns(&items, &raters, &labels)?;
/// let found = mace(&votes, MaceOptions::default())?;
/// assert!(found.competences[0] > 0.9 && found.competences[3] < 0.1);
/// assert!(found.strategy(3)[0] > 0.5);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn mace(votes: &LabelVotes, options: MaceOptions) -> Result<Mace, StatError> {
    let model = Guessing::new(votes, &options)?;
    check_stop(options.iterations_each.min(options.max_iterations), options.tolerance)?;
    if options.restarts == 0 {
        return Err(StatError::Parameter { parameter: "restarts", expected: "at least 1", got: 0.0 });
    }
    let blank = Estimates::even(votes, Tables::uniform(votes)?);
    let mut engine = Engine::new(votes, &blank.tables);
    let limit = |max_iterations| EmOptions { max_iterations, tolerance: options.tolerance };
    let mut best: Option<Run> = None;
    for start in 0..options.restarts {
        let mut from = blank.clone();
        if start > 0 {
            randomize(&mut from, votes.labels(), options.seed, start);
        }
        from.set_tables(votes.labels());
        let mut estimates = blank.clone();
        model.maximize(&from, engine.expect(&from.tables), &mut estimates);
        let mut history = Vec::new();
        let each = limit(options.iterations_each.min(options.max_iterations));
        let converged = climb(&model, &mut engine, &mut estimates, each, &mut history);
        let run = Run { start, estimates, history, converged };
        if best.as_ref().is_none_or(|best| run.objective() > best.objective()) {
            best = Some(run);
        }
    }
    let Some(mut best) = best else {
        return Err(StatError::TooFew { statistic: "MACE", needed: 1, of: "restarts", got: 0 });
    };
    if !best.converged && best.history.len() < options.max_iterations {
        // The last iteration is repeated, from the same estimates.
        best.history.pop();
        let rest = limit(options.max_iterations);
        best.converged = climb(&model, &mut engine, &mut best.estimates, rest, &mut best.history);
    }
    let consensus = LabelPosteriors::new(votes, engine.posteriors(&best.estimates.tables)?);
    let (competences, strategies, means) = model.means(best.estimates);
    let log_likelihood = engine.expect(&means).log_likelihood;
    Ok(Mace {
        consensus,
        competences,
        strategies,
        labels: votes.labels(),
        fit: EmFit { log_likelihood, history: best.history, converged: best.converged },
        best_start: best.start,
    })
}

/// One start and its result.
struct Run {
    start: usize,
    estimates: Estimates,
    history: Vec<f64>,
    converged: bool,
}

impl Run {
    fn objective(&self) -> f64 {
        self.history.last().copied().unwrap_or(f64::NEG_INFINITY)
    }
}

/// Draws the parameters of a start.
fn randomize(estimates: &mut Estimates, labels: usize, seed: u64, start: usize) {
    let mut draws = Draws::new(seed, start as u64);
    let strategies = estimates.strategy.chunks_exact_mut(labels);
    let raters = estimates.knowing.iter_mut().zip(&mut estimates.guessing).zip(strategies);
    for ((knowing, guessing), strategy) in raters {
        let pair = [1.0 + 0.5 * draws.unit(), 1.0 + 0.5 * draws.unit()];
        *knowing = pair[0] / (pair[0] + pair[1]);
        *guessing = pair[1] / (pair[0] + pair[1]);
        strategy.fill_with(|| 1.0 + 0.5 * draws.unit());
        let total: f64 = strategy.iter().sum();
        strategy.iter_mut().for_each(|share| *share /= total);
    }
}
