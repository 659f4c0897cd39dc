use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::kernel::{p_ln_p, product, sum, sum_p_ln_p};
use crate::tables::Tables;
use crate::{AdaptiveError, Domain, FunctionForm, Parameters};

/// A level with the expected entropy after its answer.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// Position in [`Domain::levels`].
    pub index: usize,
    /// The level.
    pub level: f64,
    /// Expected entropy of the posterior that was asked for, in nats.
    pub expected_entropy: f64,
}

/// Entropies closer than this count as tied, as their order depends only on rounding.
const TIED: f64 = 1e-12;

/// A running QUEST+ procedure.
///
/// A copy shares the tables of probabilities and has a posterior of its own: the runs of a study cost eight
/// bytes for each point of the grid.
///
/// # Method
/// Bayes' rule on a grid of parameters. The next level minimises the expected entropy
/// sum over answers r of p(r) H(posterior | r), with H in nats (Watson 2017, section 2). Levels whose
/// expected entropies differ by less than 1e-12 are tied and the first of them is chosen, so that the
/// choice does not depend on rounding.
///
/// # Numerics
/// With w the posterior and c the probability of a correct answer at a level, over the grid,
/// sum of w c ln(w c) + w (1 - c) ln(w (1 - c)) = sum of w ln w + sum of w h, where h = c ln c + (1 - c) ln(1 - c) is
/// tabulated once. A level then costs two scalar products, and the logarithms of w are taken once for all levels.
/// [`next_level_for_threshold`](Self::next_level_for_threshold) costs one product, and two logarithms for each threshold.
///
/// # Examples
/// ```
/// use hype_adaptive::{Domain, FunctionForm, LevelScale, QuestPlus};
/// let log_ms: Vec<f64> = (0..11).map(|k| 2.0 + f64::from(k) / 10.0).collect();
/// let mut quest = QuestPlus::new(
///     FunctionForm::Weibull(LevelScale::Log10),
///     Domain {
///         levels: log_ms.clone(),
///         thresholds: log_ms,
///         slopes: vec![1.0, 2.0, 4.0],
///         guesses: vec![0.5],
///         lapses: vec![0.0, 0.04],
///     },
/// )?;
/// let shown = quest.next_level();
/// quest.answer(shown.index, true)?;
/// assert!(quest.mean().threshold < 2.5);
/// # Ok::<(), hype_adaptive::AdaptiveError>(())
/// ```
#[derive(Clone)]
pub struct QuestPlus {
    tables: Arc<Tables>,
    posterior: Vec<f64>,
}

/// Prints the posterior, of up to millions of points, as a digest of its bits (FNV-1a over words).
impl fmt::Debug for QuestPlus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fold = |digest: u64, weight: &f64| (digest ^ weight.to_bits()).wrapping_mul(0x0100_0000_01b3);
        f.debug_struct("QuestPlus")
            .field("levels", &self.tables.levels)
            .field("points", &self.posterior.len())
            .field("posterior", &self.posterior.iter().fold(0xcbf2_9ce4_8422_2325, fold))
            .finish_non_exhaustive()
    }
}

impl PartialEq for QuestPlus {
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.tables, &other.tables) || self.tables == other.tables)
            && self.posterior == other.posterior
    }
}

impl QuestPlus {
    /// Sets up the grid with a uniform prior. Thresholds are the form's locations.
    ///
    /// # Errors
    /// [`AdaptiveError::Parameter`] if a list is empty, a value is not finite or out of its range, or the
    /// grid has more than 2^26 cells.
    pub fn new(form: FunctionForm, domain: Domain) -> Result<Self, AdaptiveError> {
        Tables::new(form, domain, None).map(Self::uniform)
    }

    /// Sets up the grid with a uniform prior. Thresholds are the levels with this probability of a correct answer, lapses
    /// included, whatever the slope and the rates.
    ///
    /// # Errors
    /// As [`new`](Self::new), and if the probability is not over every guess rate and under 1 - every lapse rate.
    pub fn with_threshold_at(
        probability: f64,
        form: FunctionForm,
        domain: Domain,
    ) -> Result<Self, AdaptiveError> {
        Tables::new(form, domain, Some(probability)).map(Self::uniform)
    }

    fn uniform(tables: Tables) -> Self {
        let points = tables.grid.len();
        Self { tables: Arc::new(tables), posterior: vec![1.0 / points as f64; points] }
    }

    /// Chooses the level whose answer is expected to tell most about all parameters.
    #[must_use]
    pub fn next_level(&self) -> Choice {
        let total = sum(&self.posterior);
        let mut choice = self.least(|index| self.gain(index, total));
        choice.expected_entropy -= sum_p_ln_p(&self.posterior);
        choice
    }

    /// Chooses the level whose answer is expected to tell most about the threshold.
    ///
    /// # Method
    /// The expected entropy of the threshold's marginal posterior: the other parameters are a nuisance, and trials are not
    /// spent on them unless they help to know the threshold (Prins 2013, "The psi-marginal adaptive method", Journal of
    /// Vision 13(7):3). Ties are those of [`next_level`](Self::next_level).
    #[must_use]
    pub fn next_level_for_threshold(&self) -> Choice {
        let marginal: Vec<f64> = self.threshold_posterior().map(|(_, weight)| weight).collect();
        let total = sum(&marginal);
        self.least(|index| self.threshold_entropy(index, &marginal, total))
    }

    /// The first level for which this is the least, within [`TIED`].
    fn least(&self, expected: impl Fn(usize) -> f64) -> Choice {
        let entropies: Vec<f64> = (0..self.tables.levels.len()).map(expected).collect();
        let least = entropies.iter().copied().fold(f64::INFINITY, f64::min);
        let index = entropies.iter().position(|entropy| entropy - least < TIED).unwrap_or(0);
        Choice { index, level: self.tables.levels[index], expected_entropy: entropies[index] }
    }

    /// Records the answer to the level at `index` of [`Domain::levels`].
    ///
    /// # Errors
    /// [`AdaptiveError::Parameter`] if there is no such level, and [`AdaptiveError::Impossible`] if no point of
    /// the grid could have given this answer; nothing changes then.
    pub fn answer(&mut self, index: usize, correct: bool) -> Result<(), AdaptiveError> {
        if index >= self.tables.levels.len() {
            return Err(AdaptiveError::Parameter {
                parameter: "index",
                expected: "the position of a level",
                got: index as f64,
            });
        }
        let chances = self.tables.correct(index);
        let updated: Vec<f64> = self
            .posterior
            .iter()
            .zip(chances)
            .map(|(weight, chance)| weight * if correct { *chance } else { 1.0 - chance })
            .collect();
        let total = sum(&updated);
        if !(total.is_finite() && total > 0.0) {
            return Err(AdaptiveError::Impossible);
        }
        self.posterior = updated;
        self.divide(total);
        Ok(())
    }

    /// Mean of each parameter over the posterior.
    #[must_use]
    pub fn mean(&self) -> Parameters {
        Parameters {
            threshold: self.expectation(|at| at.threshold),
            slope: self.expectation(|at| at.slope),
            guess: self.expectation(|at| at.guess),
            lapse: self.expectation(|at| at.lapse),
        }
    }

    /// Mean of a function of the parameters over the posterior.
    fn expectation(&self, of: impl Fn(&Parameters) -> f64) -> f64 {
        self.posterior().map(|(at, weight)| of(at) * weight).sum()
    }

    /// The point of the grid with the largest posterior, the first if tied.
    #[must_use]
    pub fn mode(&self) -> Parameters {
        let mut best = 0;
        for (index, weight) in self.posterior.iter().enumerate() {
            if *weight > self.posterior[best] {
                best = index;
            }
        }
        self.tables.grid[best]
    }

    /// Each point of the grid with its posterior probability.
    pub fn posterior(&self) -> impl Iterator<Item = (&Parameters, f64)> {
        self.tables.grid.iter().zip(self.posterior.iter().copied())
    }

    /// Each threshold of the domain with its posterior probability.
    pub fn threshold_posterior(&self) -> impl Iterator<Item = (f64, f64)> {
        let of_threshold = self.tables.of_threshold;
        let thresholds = self.tables.grid.iter().step_by(of_threshold).map(|at| at.threshold);
        thresholds.zip(self.posterior.chunks(of_threshold).map(sum))
    }

    /// Entropy of the posterior, in nats.
    #[must_use]
    pub fn entropy(&self) -> f64 {
        -sum_p_ln_p(&self.posterior)
    }

    fn divide(&mut self, total: f64) {
        for weight in &mut self.posterior {
            *weight /= total;
        }
    }

    /// The expected entropy after the answer to a level, less the present entropy: p(r) H(posterior | r) is p(r) ln p(r)
    /// less the sum of j ln j over the joint weights j.
    fn gain(&self, index: usize, total: f64) -> f64 {
        let (right, certainty) = self.tables.expected(index, &self.posterior);
        p_ln_p(right) + p_ln_p(total - right) - certainty
    }

    /// The expected entropy of the threshold after the answer to a level, from its marginal posterior.
    fn threshold_entropy(&self, index: usize, marginal: &[f64], total: f64) -> f64 {
        let of_threshold = self.tables.of_threshold;
        let chances = self.tables.correct(index).chunks(of_threshold);
        let (mut all_right, mut joint) = (0.0, 0.0);
        for ((weights, chances), weight) in self.posterior.chunks(of_threshold).zip(chances).zip(marginal) {
            let right = product(weights, chances);
            all_right += right;
            joint += p_ln_p(right) + p_ln_p(weight - right);
        }
        p_ln_p(all_right) + p_ln_p(total - all_right) - joint
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::LevelScale;

    fn domain() -> Domain {
        Domain {
            levels: vec![0.0, 1.0, 2.0],
            thresholds: vec![0.5, 1.5],
            slopes: vec![1.0],
            guesses: vec![0.5],
            lapses: vec![0.0],
        }
    }

    #[test]
    fn answers_find_the_true_point() {
        let mut quest = QuestPlus::new(FunctionForm::CumulativeNormal, domain()).unwrap();
        let truth = Parameters { threshold: 1.5, slope: 1.0, guess: 0.5, lapse: 0.0 };
        for trial in 0..400 {
            let choice = quest.next_level();
            let chance = FunctionForm::CumulativeNormal.probability(choice.level, &truth);
            let correct = f64::from(trial * 61 % 100) / 100.0 < chance;
            quest.answer(choice.index, correct).unwrap();
        }
        assert_eq!(quest.mode().threshold, 1.5);
        assert!(quest.mean().threshold > 1.4);
    }

    #[test]
    fn impossible_answers_change_nothing() {
        // Both thresholds are certain at 1e9, where no answer is wrong.
        let levels = vec![1e9];
        let form = FunctionForm::Weibull(LevelScale::Linear);
        let mut quest = QuestPlus::new(form, Domain { levels, ..domain() }).unwrap();
        let before = quest.clone();
        assert_eq!(quest.answer(0, false), Err(AdaptiveError::Impossible));
        assert_eq!(quest, before);
    }

    #[test]
    fn bad_arguments_are_refused() {
        let form = FunctionForm::Weibull(LevelScale::Linear);
        let quest = QuestPlus::new(form, domain()).unwrap();
        assert!(quest.clone().answer(3, true).is_err());
        assert!(QuestPlus::with_threshold_at(0.75, form, domain()).is_ok());
        for probability in [0.5, 1.0, f64::NAN] {
            assert!(QuestPlus::with_threshold_at(probability, form, domain()).is_err());
        }
        let bad = [
            Domain { levels: Vec::new(), ..domain() },
            Domain { slopes: vec![0.0], ..domain() },
            Domain { thresholds: vec![f64::NAN], ..domain() },
            Domain { thresholds: vec![0.0], ..domain() },
            Domain { levels: vec![-1.0], ..domain() },
            Domain { lapses: vec![0.5], ..domain() },
            Domain { guesses: vec![1.0], ..domain() },
            Domain { levels: vec![0.0; 1 << 26], ..domain() },
        ];
        for domain in bad {
            assert!(QuestPlus::new(form, domain).is_err());
        }
    }
}
