//! The maximization step of MACE, and its objective.

use statrs::function::gamma::{digamma, ln_gamma};

use super::MaceOptions;
use crate::StatError;
use crate::consensus::em::{Expected, LEAST, Model, Tables};
use crate::consensus::votes::LabelVotes;

/// Weights of raters: probabilities, or the exponential of expected logarithms of probabilities.
#[derive(Clone)]
pub(super) struct Estimates {
    /// For knowing the label, by rater.
    pub(super) knowing: Vec<f64>,
    /// For guessing, by rater.
    pub(super) guessing: Vec<f64>,
    /// For the labels guessed, by row.
    pub(super) strategy: Vec<f64>,
    /// Expected counts including those of the priors, which determine the weights: knowing and
    /// guessing.
    states: Vec<[f64; 2]>,
    /// The same for the labels guessed.
    guesses: Vec<f64>,
    pub(super) tables: Tables,
}

impl Estimates {
    /// Every rater knows as often as it guesses, and guesses uniformly.
    pub(super) fn even(votes: &LabelVotes, tables: Tables) -> Self {
        Self {
            knowing: vec![0.5; votes.raters()],
            guessing: vec![0.5; votes.raters()],
            strategy: vec![1.0 / votes.labels() as f64; votes.row_count()],
            states: vec![[1.0; 2]; votes.raters()],
            guesses: vec![1.0; votes.row_count()],
            tables,
        }
    }

    /// Sets the likelihoods to the weights.
    pub(super) fn set_tables(&mut self, labels: usize) {
        let width = self.tables.width();
        let rows = self.tables.likelihood.as_flattened_mut().chunks_exact_mut(width);
        for (place, (row, share)) in rows.zip(&self.strategy).enumerate() {
            let (rater, label) = (place / labels, place % labels);
            // Expected logarithms under weak priors are unbounded below.
            let guessed = (self.guessing[rater] * share).max(LEAST);
            row.fill(guessed);
            row[label] = guessed + self.knowing[rater];
        }
    }
}

/// The model: numbers of votes, and priors as counts.
pub(super) struct Guessing {
    labels: usize,
    counts: Vec<u32>,
    /// Counts added to knowing and guessing, and to each label guessed.
    prior: ([f64; 2], f64),
}

impl Guessing {
    pub(super) fn new(votes: &LabelVotes, options: &MaceOptions) -> Result<Self, StatError> {
        for got in [options.knowing, options.guessing, options.strategy] {
            if !(got >= 1e-3 && got.is_finite()) {
                let expected = "finite and at least 1e-3";
                return Err(StatError::Parameter { parameter: "parameter of a prior", expected, got });
            }
        }
        let prior = ([options.knowing, options.guessing], options.strategy);
        Ok(Self { labels: votes.labels(), counts: votes.row_counts(), prior })
    }

    /// Probabilities of knowing and of the labels guessed, and the resulting tables.
    pub(super) fn means(&self, mut estimates: Estimates) -> (Vec<f64>, Vec<f64>, Tables) {
        let strategies = estimates.strategy.chunks_exact_mut(self.labels);
        for (rater, (strategy, guesses)) in
            strategies.zip(estimates.guesses.chunks_exact(self.labels)).enumerate()
        {
            let [knowing, guessing] = estimates.states[rater];
            estimates.knowing[rater] = knowing / (knowing + guessing);
            estimates.guessing[rater] = guessing / (knowing + guessing);
            shares(guesses, strategy);
        }
        estimates.set_tables(self.labels);
        (estimates.knowing, estimates.strategy, estimates.tables)
    }
}

impl Model for Guessing {
    type Estimates = Estimates;

    fn tables<'a>(&self, estimates: &'a Estimates) -> &'a Tables {
        &estimates.tables
    }

    fn maximize(&self, old: &Estimates, expected: &Expected, new: &mut Estimates) {
        for (rater, counts) in self.counts.chunks_exact(self.labels).enumerate() {
            let rows = rater * self.labels..(rater + 1) * self.labels;
            let (states, guesses) = (&mut new.states[rater], &mut new.guesses[rows.clone()]);
            *states = self.prior.0;
            for (label, (&count, guesses)) in counts.iter().zip(&mut *guesses).enumerate() {
                let row = rows.start + label;
                let correct = old.tables.likelihood.as_flattened()[row * old.tables.width() + label];
                let known = expected.correct(row, label) * (old.knowing[rater] / correct);
                let guessed = (f64::from(count) - known).max(0.0);
                states[0] += known;
                states[1] += guessed;
                *guesses = self.prior.1 + guessed;
            }
            let mut weights = [0.0; 2];
            expected_logarithms(states, &mut weights);
            expected_logarithms(guesses, &mut new.strategy[rows]);
            [new.knowing[rater], new.guessing[rater]] = weights;
        }
        new.set_tables(self.labels);
    }

    fn objective(&self, estimates: &Estimates, log_likelihood: f64) -> f64 {
        let (state, guess) = self.prior;
        let guess_prior = vec![guess; self.labels];
        let mut prior = 0.0;
        for (states, guesses) in estimates.states.iter().zip(estimates.guesses.chunks_exact(self.labels)) {
            prior += -divergence(states, &state) - divergence(guesses, &guess_prior);
        }
        log_likelihood + prior
    }
}

fn shares(counts: &[f64], shares: &mut [f64]) {
    let total: f64 = counts.iter().sum();
    shares.iter_mut().zip(counts).for_each(|(share, count)| *share = count / total);
}

/// exp E ln p for a Dirichlet distribution of p with these parameters.
fn expected_logarithms(parameters: &[f64], weights: &mut [f64]) {
    let total = digamma(parameters.iter().sum());
    weights
        .iter_mut()
        .zip(parameters)
        .for_each(|(weight, &parameter)| *weight = (digamma(parameter) - total).exp());
}

/// Kullback-Leibler divergence of two Dirichlet distributions.
fn divergence(posterior: &[f64], prior: &[f64]) -> f64 {
    let (all, all_prior): (f64, f64) = (posterior.iter().sum(), prior.iter().sum());
    let total = digamma(all);
    let terms = posterior
        .iter()
        .zip(prior)
        .map(|(&own, &prior)| (own - prior) * (digamma(own) - total) - ln_gamma(own) + ln_gamma(prior));
    terms.sum::<f64>() + ln_gamma(all) - ln_gamma(all_prior)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divergence_of_beta_distributions() {
        // Beta(2, 1) against the uniform: ln 2 + ∫ 2x ln x dx = ln 2 - 1/2.
        assert!((divergence(&[2.0, 1.0], &[1.0, 1.0]) - (2_f64.ln() - 0.5)).abs() < 1e-12);
        assert!(divergence(&[3.5, 0.5, 2.0], &[3.5, 0.5, 2.0]).abs() < 1e-12);
    }

    #[test]
    fn expected_logarithms_of_beta_distributions() {
        // E ln p is ψ(2) - ψ(3) = -1/2 for Beta(2, 1), and ψ(1) - ψ(3) = -3/2 for 1 - p.
        let mut weights = [0.0; 2];
        expected_logarithms(&[2.0, 1.0], &mut weights);
        assert!((weights[0].ln() + 0.5).abs() < 1e-12 && (weights[1].ln() + 1.5).abs() < 1e-12);
    }
}
