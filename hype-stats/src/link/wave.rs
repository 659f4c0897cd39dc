//! The estimates of a wave, and what each of its raters contributes to them.

use super::NAME;
use crate::StatError;

/// The estimates of one wave, with their covariance from its raters.
#[derive(Debug, Clone)]
pub struct Wave {
    pub(super) models: Vec<u32>,
    pub(super) estimates: Vec<f64>,
    /// Ascending numbers of people.
    people: Vec<u32>,
    /// One row for each of them.
    contributions: Vec<f64>,
    covariance: Vec<f64>,
}

impl Wave {
    /// Takes the estimates of models, and for each person what the answers contribute to them: of a mean of n people's values
    /// the person's deviation over n, of strengths the inverse information times the score
    /// ([`Clustered::of_raters`](crate::clustered::Clustered::of_raters)). People with the same number in several waves are the
    /// same.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] unless there is one estimate for each model and one row for each person, [`StatError::TooFew`] for
    /// fewer than two people or models, [`StatError::NotFinite`] for values that are not, and [`StatError::Degenerate`] for a
    /// model or a person that is named twice.
    pub fn new(
        models: &[u32],
        estimates: &[f64],
        people: &[u32],
        contributions: &[f64],
    ) -> Result<Self, StatError> {
        let size = models.len();
        for (left, right) in [(size, estimates.len()), (size * people.len(), contributions.len())] {
            if left != right {
                return Err(StatError::Lengths { statistic: NAME, left, right });
            }
        }
        for (of, got) in [("models", size), ("raters", people.len())] {
            if got < 2 {
                return Err(StatError::TooFew { statistic: NAME, needed: 2, of, got });
            }
        }
        for values in [estimates, contributions] {
            if let Some(index) = values.iter().position(|value| !value.is_finite()) {
                return Err(StatError::NotFinite { statistic: NAME, index, got: values[index] });
            }
        }
        let mut order: Vec<usize> = (0..people.len()).collect();
        order.sort_by_key(|&at| people[at]);
        let mut by_model: Vec<usize> = (0..size).collect();
        by_model.sort_by_key(|&at| models[at]);
        let rows: Vec<f64> = order
            .iter()
            .flat_map(|&person| by_model.iter().map(move |&model| person * size + model))
            .map(|place| contributions[place])
            .collect();
        let people: Vec<u32> = order.iter().map(|&at| people[at]).collect();
        let models: Vec<u32> = by_model.iter().map(|&at| models[at]).collect();
        if people.windows(2).chain(models.windows(2)).any(|pair| pair[0] == pair[1]) {
            return Err(StatError::Degenerate {
                statistic: NAME,
                reason: "a model or a rater is named twice in a wave",
            });
        }
        let mut wave = Self {
            estimates: by_model.iter().map(|&at| estimates[at]).collect(),
            models,
            people,
            contributions: rows,
            covariance: Vec::new(),
        };
        wave.covariance = wave.shared(&wave).unwrap_or_default();
        // An offset of all estimates is free: adding a constant changes no result; it makes the covariance of strengths,
        // which sum to zero, one of full rank.
        let diagonal: f64 = (0..size).map(|at| wave.covariance(at, at)).sum::<f64>() / size as f64;
        wave.covariance.iter_mut().for_each(|cell| *cell += diagonal);
        // Where raters contribute equally to all models, the rest is determined as far as numbers go.
        (0..size).for_each(|at| wave.covariance[at * size + at] += 1e-9 * diagonal);
        Ok(wave)
    }

    /// Adds variances of the models, in the order of [`Self::models`], that contributions do not show, as where all votes about a
    /// model say the same.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] unless there is one for each model, and [`StatError::NotFinite`] for values that are not.
    pub fn with_more(mut self, variances: &[f64]) -> Result<Self, StatError> {
        let size = self.models.len();
        if variances.len() != size {
            return Err(StatError::Lengths { statistic: NAME, left: variances.len(), right: size });
        }
        if let Some(index) = variances.iter().position(|value| !value.is_finite()) {
            return Err(StatError::NotFinite { statistic: NAME, index, got: variances[index] });
        }
        variances.iter().enumerate().for_each(|(at, more)| self.covariance[at * size + at] += more);
        Ok(self)
    }

    /// The models, in ascending order of their numbers.
    #[must_use]
    pub fn models(&self) -> &[u32] {
        &self.models
    }

    /// The number of raters.
    #[must_use]
    pub const fn raters(&self) -> usize {
        self.people.len()
    }

    pub(super) fn covariance(&self, row: usize, column: usize) -> f64 {
        self.covariance[row * self.models.len() + column]
    }

    /// The mean sampling variance of a model's distance from the mean of all.
    pub(super) fn typical_variance(&self) -> f64 {
        let size = self.models.len() as f64;
        let trace: f64 = (0..self.models.len()).map(|at| self.covariance(at, at)).sum();
        (trace / size - self.covariance.iter().sum::<f64>() / (size * size)).max(0.0)
    }

    /// The covariance of the estimates of two waves from the people who took part in both, by rows of this one; `None` if there
    /// are none.
    pub(super) fn shared(&self, other: &Self) -> Option<Vec<f64>> {
        let (rows, columns) = (self.models.len(), other.models.len());
        let mut sums = vec![0.0; rows * columns];
        let (mut left, mut right, mut met) = (0, 0, false);
        while left < self.people.len() && right < other.people.len() {
            match self.people[left].cmp(&other.people[right]) {
                std::cmp::Ordering::Less => left += 1,
                std::cmp::Ordering::Greater => right += 1,
                std::cmp::Ordering::Equal => {
                    met = true;
                    let own = &self.contributions[left * rows..(left + 1) * rows];
                    let others = &other.contributions[right * columns..(right + 1) * columns];
                    for (sums, value) in sums.chunks_exact_mut(columns).zip(own) {
                        sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += value * other);
                    }
                    left += 1;
                    right += 1;
                }
            }
        }
        let factor = |wave: &Self| (wave.people.len() as f64 / (wave.people.len() as f64 - 1.0)).sqrt();
        let factor = factor(self) * factor(other);
        sums.iter_mut().for_each(|sum| *sum *= factor);
        met.then_some(sums)
    }
}
