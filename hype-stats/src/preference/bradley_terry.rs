//! Bradley and Terry's model, with Davidson's ties and an effect of the order.

use super::cells::Cells;
use super::clustered::{ClusteredComparisons, Summands};
use super::comparisons::Comparisons;
use super::covariance::Covariance;
use super::newton::{Likelihood, Newton};
use super::replicates::{Replicates, replicate};
use super::settings::{BradleyTerry, Ties};
use crate::StatError;
use crate::bootstrap::{IntervalEstimate, Resamples};

/// The tolerance of a fit: the error of strengths is the square of the last step.
pub(super) const TOLERANCE: f64 = 1e-9;
/// The tolerance of a fit to a resample.
const RESAMPLE_TOLERANCE: f64 = 1e-5;

/// A fitted model of paired comparisons.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PreferenceFit {
    /// Natural logarithm of each model's strength; they sum to zero.
    pub theta: Vec<f64>,
    /// ln ν, the propensity to tie, of Davidson's model.
    pub log_nu: Option<f64>,
    /// The advantage of being shown first, as log odds against an equal model, if it was fitted.
    pub order_effect: Option<f64>,
    /// Log-likelihood of the outcomes, in nats, without any penalty; half wins count half.
    pub log_likelihood: f64,
    /// Twice the difference in log-likelihood from a model with free shares for every pair.
    pub deviance: f64,
    /// Free shares of that model minus parameters of this one; at least 0.
    pub degrees_of_freedom: usize,
    /// Covariance of the estimates if the model holds: the pseudo-inverse of the information.
    pub covariance: Covariance,
    model: BradleyTerry,
}

impl BradleyTerry {
    /// Fits the model to a table.
    ///
    /// # Errors
    ///
    /// - [`StatError::Disconnected`] and [`StatError::Separated`] if the likelihood has no finite
    ///   maximum because of groups that never met, or never lost, which the error lists; ties count
    ///   as wins of both, unless they are ignored. A ridge makes strengths finite for any groups.
    /// - [`StatError::Degenerate`] if the tie parameter or the effect of the order has no finite
    ///   estimate, or if the effect of the order is asked of a table that does not have the order.
    /// - [`StatError::TooFew`] without comparisons.
    pub fn fit(&self, table: &Comparisons) -> Result<PreferenceFit, StatError> {
        let cells = Cells::new(self, table)?;
        cells.check(self)?;
        let mut search = Newton::new(self.name(), &cells, self.ridge());
        search.climb(&cells, TOLERANCE)?;
        let (log_likelihood, covariance) = search.finish(&cells)?;
        let (saturated, shares) = cells.saturated();
        let at = |place: Option<usize>| place.map(|place| search.parameters[place]);
        Ok(PreferenceFit {
            theta: search.parameters[..table.models()].to_vec(),
            log_nu: at(cells.tie_parameter()),
            order_effect: at(cells.order_parameter()),
            log_likelihood,
            deviance: (2.0 * (saturated - log_likelihood)).max(0.0),
            degrees_of_freedom: shares.saturating_sub(cells.parameters() - 1),
            covariance: Covariance::new(
                covariance,
                table.models(),
                cells.tie_parameter(),
                cells.order_parameter(),
            ),
            model: *self,
        })
    }

    /// Fits the model repeatedly to clusters, such as raters, drawn with replacement.
    ///
    /// # Method
    ///
    /// As many clusters are drawn as have comparisons that the model uses, each with all of them
    /// (Field and Welsh 2007). A resample whose likelihood has no finite maximum has no strengths,
    /// and is counted as degenerate.
    ///
    /// # Errors
    ///
    /// As [`Self::fit`] for the data themselves; [`StatError::TooFew`] for fewer than two clusters or
    /// resamples; [`StatError::Lengths`] or [`StatError::Parameter`] for given indices that do not
    /// fit.
    pub fn bootstrap(
        &self,
        votes: &ClusteredComparisons,
        resamples: Resamples<'_>,
    ) -> Result<Replicates, StatError> {
        let estimate = self.fit(votes.table())?;
        let cells = Cells::new(self, votes.table())?;
        let slots = cells.slots();
        let clusters = Summands::new(&votes.compact(|place| slots.slot_of(place)));
        let parameters = estimate.parameters();
        let search = Newton::new(self.name(), &cells, self.ridge());
        let slots = 3 * cells.cells.len();
        let start = || (cells.clone(), search.clone(), vec![0; slots], vec![0; slots]);
        replicate(estimate.theta, clusters.len(), resamples, start, |state, drawn, row| {
            let (cells, search, singles, counts) = state;
            clusters.add_up(drawn, singles, counts);
            for (cell, counts) in cells.cells.iter_mut().zip(counts.as_chunks::<3>().0) {
                cell.counts = counts.map(|count| count as f64);
            }
            cells.check(self)?;
            search.parameters.copy_from_slice(&parameters);
            search.climb(&*cells, RESAMPLE_TOLERANCE)?;
            row.copy_from_slice(&search.parameters[..row.len()]);
            Ok(())
        })
    }
}

impl PreferenceFit {
    pub(super) const fn ties(&self) -> Ties {
        self.model.ties()
    }

    /// Strengths, followed by the other parameters of the model.
    pub(super) fn parameters(&self) -> Vec<f64> {
        self.theta.iter().copied().chain(self.log_nu).chain(self.order_effect).collect()
    }

    /// Probabilities that the first of two models is preferred, that the second is, and of a tie.
    ///
    /// With an effect of the order the first model is the one shown first. Without Davidson's ties
    /// the third probability is 0.
    ///
    /// # Panics
    ///
    /// For a model outside the fit.
    #[must_use]
    pub fn probabilities(&self, first: usize, second: usize) -> [f64; 3] {
        let lead = self.theta[first] - self.theta[second] + self.order_effect.unwrap_or(0.0);
        super::cells::probabilities(lead, self.log_nu)
    }

    /// Intervals θ ∓ z standard error of all models, with standard errors from the given covariance.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0..1, [`StatError::Lengths`] for a covariance of
    /// another number of models.
    pub fn intervals(&self, covariance: &Covariance, level: f64) -> Result<Vec<IntervalEstimate>, StatError> {
        covariance.intervals(&self.theta, level)
    }
}
