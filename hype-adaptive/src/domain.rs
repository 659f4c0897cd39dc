use alloc::vec::Vec;

use crate::{AdaptiveError, FunctionForm, LevelScale, Parameters};

/// The largest number of cells of levels × parameters.
const MOST_CELLS: usize = 1 << 26;

/// Numbers from one bound to the other, both included, in equal ratios: the bounds themselves if there are only two.
///
/// # Examples
/// ```
/// let levels = hype_adaptive::equal_ratios(100.0, 1_600.0, 5);
/// assert_eq!(levels, [100.0, 200.0, 400.0, 800.0, 1_600.0]);
/// ```
#[must_use]
pub fn equal_ratios(from: f64, to: f64, number: u32) -> Vec<f64> {
    let last = number.saturating_sub(1);
    (0..number)
        .map(|step| match step {
            0 => from,
            step if step == last => to,
            step => from * libm::pow(to / from, f64::from(step) / f64::from(last)),
        })
        .collect()
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

impl Domain {
    /// All combinations of the parameters, thresholds changing slowest and lapse rates fastest.
    pub(crate) fn grid(&self) -> Vec<Parameters> {
        let mut grid = Vec::new();
        for &threshold in &self.thresholds {
            for &slope in &self.slopes {
                for &guess in &self.guesses {
                    for &lapse in &self.lapses {
                        grid.push(Parameters { threshold, slope, guess, lapse });
                    }
                }
            }
        }
        grid
    }

    pub(crate) fn check(&self, form: FunctionForm) -> Result<(), AdaptiveError> {
        let lists = [
            ("levels", &self.levels),
            ("thresholds", &self.thresholds),
            ("slopes", &self.slopes),
            ("guesses", &self.guesses),
            ("lapses", &self.lapses),
        ];
        let refuse = |parameter, expected, got| Err(AdaptiveError::Parameter { parameter, expected, got });
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
        if let Some(&got) = self.slopes.iter().find(|slope| **slope <= 0.0) {
            return refuse("slopes", "over 0", got);
        }
        if let Some(&got) = self.guesses.iter().find(|guess| !(0.0..1.0).contains(*guess)) {
            return refuse("guesses", "in [0, 1)", got);
        }
        let highest = self.guesses.iter().copied().fold(0.0, f64::max);
        if let Some(&got) = self.lapses.iter().find(|lapse| !(0.0..1.0 - highest).contains(*lapse)) {
            return refuse("lapses", "at least 0 and under 1 - guess", got);
        }
        let linear = [FunctionForm::Weibull(LevelScale::Linear), FunctionForm::Logistic(LevelScale::Linear)];
        if linear.contains(&form) {
            if let Some(&got) = self.levels.iter().find(|level| **level < 0.0) {
                return refuse("levels", "at least 0 on a linear scale", got);
            }
            if let Some(&got) = self.thresholds.iter().find(|threshold| **threshold <= 0.0) {
                return refuse("thresholds", "over 0 on a linear scale", got);
            }
        }
        Ok(())
    }
}
