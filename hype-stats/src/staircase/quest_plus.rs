//! QUEST+: a Bayesian staircase for several parameters (Watson 2017).

use super::quest::p_ln_p;
use crate::StatError;
use crate::distributions::normal_sf;

/// The scale of the levels and thresholds of a Weibull function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LevelScale {
    /// The level itself.
    Linear,
    /// Its decimal logarithm.
    Log10,
    /// Twenty times its decimal logarithm.
    Decibel,
}

/// The psychometric function whose parameters are estimated.
///
/// With F one of the forms below, the probability of a correct answer is
/// 1 - lapse - (1 - guess - lapse)(1 - F).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FunctionForm {
    /// 1 - F = exp(-(x / threshold)^slope), with x and threshold on the scale given.
    Weibull(LevelScale),
    /// 1 - F = Q((x - threshold) / slope), Q the normal distribution's upper tail; here `slope` is
    /// its standard deviation.
    CumulativeNormal,
}

/// One point of the parameter grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// Location of the function on the level scale.
    pub threshold: f64,
    /// Steepness, or spread, as the form defines it.
    pub slope: f64,
    /// Probability of a correct answer at the lowest level.
    pub guess: f64,
    /// Probability of a wrong answer at the highest level.
    pub lapse: f64,
}

impl FunctionForm {
    /// Probability of a correct answer at a level.
    #[must_use]
    pub fn probability(self, level: f64, at: &Parameters) -> f64 {
        let &Parameters { threshold, slope, guess, lapse } = at;
        let missed = match self {
            Self::Weibull(scale) => {
                let growth = match scale {
                    LevelScale::Linear => (level / threshold).powf(slope),
                    LevelScale::Log10 => 10_f64.powf(slope * (level - threshold)),
                    LevelScale::Decibel => 10_f64.powf(slope * (level - threshold) / 20.0),
                };
                (-growth).exp()
            }
            Self::CumulativeNormal => normal_sf((level - threshold) / slope),
        };
        1.0 - lapse - (1.0 - guess - lapse) * missed
    }
}

/// The levels that may be shown and the values that each parameter may take.
#[derive(Debug, Clone, PartialEq)]
pub struct Domain {
    /// Levels to choose from, in the order in which ties are broken.
    pub levels: Vec<f64>,
    /// Thresholds.
    pub thresholds: Vec<f64>,
    /// Slopes.
    pub slopes: Vec<f64>,
    /// Guess rates.
    pub guesses: Vec<f64>,
    /// Lapse rates.
    pub lapses: Vec<f64>,
}

/// A level with the expected entropy after its answer.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// Position in [`Domain::levels`].
    pub index: usize,
    /// The level.
    pub level: f64,
    /// Expected entropy of the posterior, in nats.
    pub expected_entropy: f64,
}

/// Entropies closer than this count as tied, as their order depends only on rounding.
const TIED: f64 = 1e-12;

/// The maximum number of cells of levels × parameters.
const MOST_CELLS: usize = 1 << 26;

/// A running QUEST+ procedure.
///
/// # Method
/// Bayes' rule on a grid of parameters. The next level minimises the expected entropy
/// sum over answers r of p(r) H(posterior | r), with H in nats (Watson 2017, section 2). Levels whose
/// expected entropies differ by less than 1e-12 are tied and the first of them is chosen, so that the
/// choice does not depend on rounding.
///
/// # Examples
/// ```
/// use hype_stats::staircase::quest_plus::{Domain, FunctionForm, LevelScale, QuestPlus};
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
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone)]
pub struct QuestPlus {
    levels: Vec<f64>,
    grid: Vec<Parameters>,
    posterior: Vec<f64>,
    /// Probability of a correct answer, a row of the grid for each level.
    correct: Vec<f64>,
}

impl QuestPlus {
    /// Sets up the grid with a uniform prior.
    ///
    /// # Errors
    /// [`StatError::Parameter`] if a list is empty, a value is not finite or out of its range, or the
    /// grid has more than 2^26 cells.
    pub fn new(form: FunctionForm, domain: Domain) -> Result<Self, StatError> {
        let cells = check(form, &domain)?;
        let Domain { levels, thresholds, slopes, guesses, lapses } = domain;
        let mut grid = Vec::with_capacity(cells / levels.len());
        for &threshold in &thresholds {
            for &slope in &slopes {
                for &guess in &guesses {
                    for &lapse in &lapses {
                        grid.push(Parameters { threshold, slope, guess, lapse });
                    }
                }
            }
        }
        let correct =
            levels.iter().flat_map(|&level| grid.iter().map(move |at| form.probability(level, at))).collect();
        let posterior = vec![1.0 / grid.len() as f64; grid.len()];
        Ok(Self { levels, grid, posterior, correct })
    }

    /// Replaces the posterior by a prior that is proportional to `weight`.
    ///
    /// # Errors
    /// [`StatError::Parameter`] if a weight is negative or not finite, or all are zero.
    pub fn with_prior(mut self, weight: impl Fn(&Parameters) -> f64) -> Result<Self, StatError> {
        let expected = "finite and not negative, with a positive sum";
        let weights: Vec<f64> = self.grid.iter().map(weight).collect();
        let total: f64 = weights.iter().sum();
        let bad = weights.iter().copied().find(|w| !(w.is_finite() && *w >= 0.0));
        if let Some(got) = bad.or_else(|| (!(total.is_finite() && total > 0.0)).then_some(total)) {
            return Err(StatError::Parameter { parameter: "prior weight", expected, got });
        }
        self.posterior = weights.into_iter().map(|weight| weight / total).collect();
        Ok(self)
    }

    /// Chooses the level of the next trial.
    #[must_use]
    pub fn next_level(&self) -> Choice {
        let entropies: Vec<f64> = (0..self.levels.len()).map(|i| self.expected_entropy(i)).collect();
        let least = entropies.iter().copied().fold(f64::INFINITY, f64::min);
        let index = entropies.iter().position(|entropy| entropy - least < TIED).unwrap_or(0);
        Choice { index, level: self.levels[index], expected_entropy: entropies[index] }
    }

    /// Records the answer to the level at `index` of [`Domain::levels`].
    ///
    /// # Errors
    /// [`StatError::Parameter`] if there is no such level, and [`StatError::Degenerate`] if no point of
    /// the grid could have given this answer; nothing changes then.
    pub fn answer(&mut self, index: usize, correct: bool) -> Result<(), StatError> {
        if index >= self.levels.len() {
            return Err(StatError::Parameter {
                parameter: "index",
                expected: "the position of a level",
                got: index as f64,
            });
        }
        let updated: Vec<f64> = self
            .posterior
            .iter()
            .zip(self.row(index))
            .map(|(weight, chance)| weight * if correct { *chance } else { 1.0 - chance })
            .collect();
        let total: f64 = updated.iter().sum();
        if !(total.is_finite() && total > 0.0) {
            return Err(StatError::Degenerate {
                statistic: "the QUEST+ posterior",
                reason: "no point of the grid could have given these answers",
            });
        }
        self.posterior = updated.into_iter().map(|weight| weight / total).collect();
        Ok(())
    }

    /// Mean of each parameter over the posterior.
    #[must_use]
    pub fn mean(&self) -> Parameters {
        let over = |value: fn(&Parameters) -> f64| -> f64 {
            self.grid.iter().zip(&self.posterior).map(|(at, weight)| value(at) * weight).sum()
        };
        Parameters {
            threshold: over(|at| at.threshold),
            slope: over(|at| at.slope),
            guess: over(|at| at.guess),
            lapse: over(|at| at.lapse),
        }
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
        self.grid[best]
    }

    /// Each point of the grid with its posterior probability.
    pub fn posterior(&self) -> impl Iterator<Item = (&Parameters, f64)> {
        self.grid.iter().zip(self.posterior.iter().copied())
    }

    /// Entropy of the posterior, in nats.
    #[must_use]
    pub fn entropy(&self) -> f64 {
        -self.posterior.iter().map(|&weight| p_ln_p(weight)).sum::<f64>()
    }

    fn row(&self, index: usize) -> &[f64] {
        &self.correct[index * self.grid.len()..][..self.grid.len()]
    }

    /// Uses p(r) H(posterior | r) = p(r) ln p(r) - sum of w ln w over the joint weights w.
    fn expected_entropy(&self, index: usize) -> f64 {
        let mut right = 0.0;
        let mut wrong = 0.0;
        let mut joint = 0.0;
        for (weight, chance) in self.posterior.iter().zip(self.row(index)) {
            let if_right = weight * chance;
            let if_wrong = weight * (1.0 - chance);
            right += if_right;
            wrong += if_wrong;
            joint += p_ln_p(if_right) + p_ln_p(if_wrong);
        }
        p_ln_p(right) + p_ln_p(wrong) - joint
    }
}

fn check(form: FunctionForm, domain: &Domain) -> Result<usize, StatError> {
    let lists = [
        ("levels", &domain.levels),
        ("thresholds", &domain.thresholds),
        ("slopes", &domain.slopes),
        ("guesses", &domain.guesses),
        ("lapses", &domain.lapses),
    ];
    let refuse = |parameter, expected, got| Err(StatError::Parameter { parameter, expected, got });
    let mut cells: usize = 1;
    for (parameter, values) in lists {
        if values.is_empty() {
            return refuse(parameter, "at least one value", 0.0);
        }
        if let Some(&got) = values.iter().find(|value| !value.is_finite()) {
            return refuse(parameter, "finite", got);
        }
        cells = cells.saturating_mul(values.len());
    }
    if cells > MOST_CELLS {
        return refuse("domain", "at most 2^26 cells of levels and parameters", cells as f64);
    }
    if let Some(&got) = domain.slopes.iter().find(|slope| **slope <= 0.0) {
        return refuse("slopes", "over 0", got);
    }
    if let Some(&got) = domain.guesses.iter().find(|guess| !(0.0..1.0).contains(*guess)) {
        return refuse("guesses", "in [0, 1)", got);
    }
    let highest = domain.guesses.iter().copied().fold(0.0, f64::max);
    if let Some(&got) = domain.lapses.iter().find(|lapse| !(0.0..1.0 - highest).contains(*lapse)) {
        return refuse("lapses", "at least 0 and under 1 - guess", got);
    }
    if form == FunctionForm::Weibull(LevelScale::Linear) {
        if let Some(&got) = domain.levels.iter().find(|level| **level < 0.0) {
            return refuse("levels", "at least 0 on a linear scale", got);
        }
        if let Some(&got) = domain.thresholds.iter().find(|threshold| **threshold <= 0.0) {
            return refuse("thresholds", "over 0 on a linear scale", got);
        }
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_expected_entropy_is_that_of_the_two_posteriors() {
        let quest = QuestPlus::new(FunctionForm::Weibull(LevelScale::Log10), domain()).unwrap();
        for index in 0..3 {
            let chance: f64 = quest.row(index).iter().sum::<f64>() / 2.0;
            let mut expected = 0.0;
            for (correct, weight) in [(true, chance), (false, 1.0 - chance)] {
                let mut after = quest.clone();
                after.answer(index, correct).unwrap();
                expected += weight * after.entropy();
            }
            assert!((quest.expected_entropy(index) - expected).abs() < 1e-14);
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
    fn forms_agree_across_scales() {
        let at = |threshold| Parameters { threshold, slope: 3.5, guess: 0.5, lapse: 0.02 };
        let linear = FunctionForm::Weibull(LevelScale::Linear).probability(200.0, &at(350.0));
        let log = FunctionForm::Weibull(LevelScale::Log10).probability(200_f64.log10(), &at(350_f64.log10()));
        let decibel = FunctionForm::Weibull(LevelScale::Decibel)
            .probability(20.0 * 200_f64.log10(), &at(20.0 * 350_f64.log10()));
        assert!((linear - log).abs() < 1e-13 && (linear - decibel).abs() < 1e-13);
        let half = FunctionForm::CumulativeNormal.probability(350.0, &at(350.0));
        assert!((half - (0.5 + 0.48 / 2.0)).abs() < 1e-12);
    }

    #[test]
    fn priors_and_nonsense_are_checked() {
        let form = FunctionForm::Weibull(LevelScale::Log10);
        let sure = QuestPlus::new(form, domain())
            .and_then(|quest| quest.with_prior(|at| f64::from(at.threshold > 1.0)))
            .unwrap();
        assert_eq!(sure.mean().threshold, 1.5);
        assert_eq!(sure.next_level().index, 0);
        let quest = QuestPlus::new(form, domain()).unwrap();
        assert!(quest.clone().with_prior(|_| 0.0).is_err());
        assert!(quest.clone().with_prior(|_| f64::NAN).is_err());
        assert!(quest.clone().answer(3, true).is_err());
        let bad = [
            Domain { levels: Vec::new(), ..domain() },
            Domain { slopes: vec![0.0], ..domain() },
            Domain { thresholds: vec![f64::NAN], ..domain() },
            Domain { lapses: vec![0.5], ..domain() },
            Domain { guesses: vec![1.0], ..domain() },
            Domain { levels: vec![0.0; 1 << 26], ..domain() },
        ];
        for domain in bad {
            assert!(QuestPlus::new(form, domain).is_err());
        }
    }
}
