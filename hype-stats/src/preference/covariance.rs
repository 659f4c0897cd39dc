//! Covariances of strengths.

use super::matrix::Symmetric;
use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::distributions::{check_level, normal_quantile};

/// Covariance of estimated strengths that sum to zero, and of the other parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Covariance {
    cells: Symmetric,
    models: usize,
    tie: Option<usize>,
    order: Option<usize>,
}

impl Covariance {
    pub(super) const fn new(
        cells: Symmetric,
        models: usize,
        tie: Option<usize>,
        order: Option<usize>,
    ) -> Self {
        Self { cells, models, tie, order }
    }

    /// Number of models.
    #[must_use]
    pub const fn models(&self) -> usize {
        self.models
    }

    /// Covariance of the strengths of two models; the variance for one model twice.
    ///
    /// # Panics
    ///
    /// For a model outside the fit.
    #[must_use]
    pub fn of(&self, a: usize, b: usize) -> f64 {
        assert!(a < self.models && b < self.models, "no such model");
        self.cells.at(a, b)
    }

    /// Standard error of a model's θ.
    ///
    /// # Panics
    ///
    /// For a model outside the fit.
    #[must_use]
    pub fn standard_error(&self, model: usize) -> f64 {
        root(self.of(model, model))
    }

    /// Standard errors of all θ.
    #[must_use]
    pub fn standard_errors(&self) -> Vec<f64> {
        (0..self.models).map(|model| self.standard_error(model)).collect()
    }

    /// Standard error of the difference of two models' θ.
    ///
    /// # Panics
    ///
    /// For a model outside the fit.
    #[must_use]
    pub fn difference(&self, a: usize, b: usize) -> f64 {
        root(self.of(a, a) + self.of(b, b) - 2.0 * self.of(a, b))
    }

    /// Standard error of the effect of the order, if the model has it.
    #[must_use]
    pub fn order_effect(&self) -> Option<f64> {
        self.order.map(|place| self.error_at(place))
    }

    /// Standard error of the parameter at a place.
    pub(super) fn error_at(&self, place: usize) -> f64 {
        root(self.cells.at(place, place))
    }

    /// All cells, by rows.
    pub(super) fn dense(&self) -> Vec<f64> {
        self.cells.dense()
    }

    pub(super) fn intervals(&self, theta: &[f64], level: f64) -> Result<Vec<IntervalEstimate>, StatError> {
        check_level(level)?;
        if theta.len() != self.models {
            return Err(StatError::Lengths {
                statistic: "Wald intervals",
                left: theta.len(),
                right: self.models,
            });
        }
        let z = -normal_quantile(0.5 * (1.0 - level))?;
        Ok(theta
            .iter()
            .zip(self.standard_errors())
            .map(|(theta, error)| IntervalEstimate {
                lower: theta - z * error,
                upper: theta + z * error,
                level,
            })
            .collect())
    }
}

/// Root of a variance that rounding may have put below zero.
fn root(variance: f64) -> f64 {
    variance.max(0.0).sqrt()
}
