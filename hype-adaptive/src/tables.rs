use alloc::vec::Vec;

use crate::kernel::{p_ln_p, products};
use crate::{AdaptiveError, Domain, FunctionForm, Parameters};

/// The tables that stay fixed during a run and are shared by all runs of one design.
#[derive(PartialEq)]
pub(crate) struct Tables {
    pub(crate) levels: Vec<f64>,
    pub(crate) grid: Vec<Parameters>,
    /// Points of the grid with one threshold, which are neighbours.
    pub(crate) of_threshold: usize,
    /// Probability of a correct answer, a row of the grid for each level.
    correct: Vec<f64>,
    /// p ln p + (1 - p) ln(1 - p) of the same.
    certainty: Vec<f64>,
}

impl Tables {
    /// Tabulates a domain whose thresholds are locations, or levels with a given probability of a correct answer.
    pub(crate) fn new(
        form: FunctionForm,
        domain: Domain,
        threshold_at: Option<f64>,
    ) -> Result<Self, AdaptiveError> {
        domain.check(form)?;
        let grid = domain.grid();
        let located: Vec<Parameters> = match threshold_at {
            None => grid.clone(),
            Some(probability) => {
                grid.iter().map(|at| form.located(probability, at)).collect::<Option<_>>().ok_or(
                    AdaptiveError::Parameter {
                        parameter: "probability at the threshold",
                        expected: "over every guess rate and under 1 - every lapse rate",
                        got: probability,
                    },
                )?
            }
        };
        let of_threshold = grid.len() / domain.thresholds.len();
        let levels = domain.levels;
        let correct: Vec<f64> = levels
            .iter()
            .flat_map(|&level| located.iter().map(move |at| form.probability(level, at)))
            .collect();
        let certainty = correct.iter().map(|&p| p_ln_p(p) + p_ln_p(1.0 - p)).collect();
        Ok(Self { levels, grid, of_threshold, correct, certainty })
    }

    /// The probabilities of a correct answer at a level, in the order of the grid.
    pub(crate) fn correct(&self, level: usize) -> &[f64] {
        row(&self.correct, level, self.grid.len())
    }

    /// The sums over the grid of weight × probability of a correct answer, and of weight × its certainty.
    pub(crate) fn expected(&self, level: usize, weights: &[f64]) -> (f64, f64) {
        products(weights, self.correct(level), row(&self.certainty, level, self.grid.len()))
    }
}

fn row(table: &[f64], level: usize, length: usize) -> &[f64] {
    &table[level * length..][..length]
}
