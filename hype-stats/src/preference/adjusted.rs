//! Strengths of models where covariates of their outputs, such as their length, are held equal.

use super::bradley_terry::TOLERANCE;
use super::cells::{Cell, Cells, probabilities};
use super::comparisons::{ComparisonOutcome, Comparisons};
use super::covariance::Covariance;
use super::crossed::{CellVotes, Parameters};
use super::newton::{Likelihood as _, Newton};
use super::scores::scores_of;
use super::settings::{BradleyTerry, Ties};
use crate::StatError;
use crate::clustered::{Clustered, Target};

const NAME: &str = "preference model with covariates";

/// The difference of two values over their sum, from -1 to 1; 0 if both are 0.
///
/// Twice as many words are then as much of a difference in short texts as in long ones.
#[must_use]
pub fn relative_difference(first: f64, second: f64) -> f64 {
    let sum = first + second;
    if sum == 0.0 { 0.0 } else { (first - second) / sum }
}

/// A model of paired comparisons in which covariates of what was compared matter as well.
///
/// # Method
///
/// To the lead θ_a - θ_b of a [`BradleyTerry`] model, Σ β_k z_k is added (Chiang et al. 2024, "Chatbot Arena: an open platform for
/// evaluating LLMs by human preference", with the style control of its leaderboard). z_k is the difference of covariate k between
/// the first output and the second, such as [`relative_difference`], over its standard deviation s_k. Every vote counts from both
/// sides, so that the mean is 0 and s_k the root of the mean square: z is not centred, neither side has a term of its own, and
/// estimates do not depend on which output is named first. β_k is the log odds that one standard deviation adds, and θ compares
/// models where the covariates of their outputs are equal.
///
/// # Examples
///
/// ```
/// use hype_stats::preference::{BradleyTerry, CellVotes, Ties};
/// let cell = |first, second, counts| CellVotes { rater: 0, item: 0, first, second, counts };
/// // Of 40 votes where the first text is longer, 30 are for it; of 40 where the second is, 20.
/// let cells = [cell(0, 1, [30, 10, 0]), cell(0, 1, [20, 20, 0])];
/// let fit = BradleyTerry::new(Ties::Half).fit_adjusted(2, &cells, &[vec![0.4, -0.4]])?;
/// // Log odds of ln 3 and 0: half their sum is the lead, half their difference the effect of length.
/// assert!((fit.theta[0] - fit.theta[1] - 0.5 * 3_f64.ln()).abs() < 1e-9);
/// assert!((fit.beta[0] - 0.5 * 3_f64.ln()).abs() < 1e-9 && (fit.scales[0] - 0.4).abs() < 1e-12);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AdjustedFit {
    /// Natural logarithm of each model's strength where covariates are equal; they sum to zero.
    pub theta: Vec<f64>,
    /// ln ν, the propensity to tie, of Davidson's model.
    pub log_nu: Option<f64>,
    /// The advantage of being shown first, as log odds, if it was fitted.
    pub order_effect: Option<f64>,
    /// The log odds that one standard deviation of each covariate adds.
    pub beta: Vec<f64>,
    /// The standard deviation of each covariate's differences over the votes.
    pub scales: Vec<f64>,
    /// Log-likelihood of the outcomes, in nats, without any penalty; half wins count half.
    pub log_likelihood: f64,
    /// Covariance of strengths if the model holds and votes are independent.
    pub covariance: Covariance,
    ties: Ties,
}

impl BradleyTerry {
    /// Fits the model with covariates to votes. `differences[k][i]` is by how much the first output of cell i exceeds the second in
    /// covariate k, in any unit.
    ///
    /// A ridge is on strengths alone.
    ///
    /// # Errors
    ///
    /// - As [`Self::fit`] of the same votes without covariates, which have to have a finite maximum too.
    /// - [`StatError::Covariate`] if a covariate is equal in all pairs, follows from the models or the covariates before it, or
    ///   decides votes without exception, with others or alone, so that its coefficient is infinite.
    /// - [`StatError::Lengths`] unless every covariate has a value for every cell, [`StatError::NotFinite`] for one that is not
    ///   finite.
    pub fn fit_adjusted(
        &self,
        models: usize,
        cells: &[CellVotes],
        differences: &[Vec<f64>],
    ) -> Result<AdjustedFit, StatError> {
        let mut table = Comparisons::new(models)?;
        for cell in cells {
            for (outcome, count) in ComparisonOutcome::ALL.into_iter().zip(cell.counts) {
                table.push_count(cell.first, cell.second, outcome, count)?;
            }
        }
        self.fit(&table)?;
        let pairs = Cells::new(self, &table)?;
        check_values(cells, differences)?;
        let counts: Vec<[f64; 3]> =
            cells.iter().map(|cell| pairs.effective(cell.counts.map(|count| count as f64))).collect();
        let scales = scales(&counts, differences)?;
        let own = cells.iter().map(|cell| Cell {
            first: cell.first as usize,
            second: cell.second as usize,
            counts: cell.counts.map(|count| count as f64),
        });
        let values = standardised(cells.len(), differences, &scales);
        let cells = pairs.with_covariates(own.collect(), scales.len(), values);
        let first_covariate = cells.first_covariate();
        let refused = |place: usize, reason| {
            let covariate = place.saturating_sub(first_covariate);
            StatError::Covariate { statistic: NAME, covariate, reason }
        };
        let mut search = Newton::new(NAME, &cells, self.ridge());
        if let Some(place) = search.unidentified(&cells, first_covariate) {
            return Err(refused(place, "follows from the models or from another covariate"));
        }
        let climbed = search.climb(&cells, TOLERANCE);
        match (climbed, search.endless(first_covariate)) {
            (Ok(_) | Err(StatError::Degenerate { .. }), Some(place)) => {
                return Err(refused(
                    place,
                    "decides votes without exception, so its coefficient is infinite",
                ));
            }
            (climbed, _) => climbed?,
        };
        let (log_likelihood, covariance) = search.finish(&cells)?;
        let at = |place: Option<usize>| place.map(|place| search.parameters[place]);
        Ok(AdjustedFit {
            theta: search.parameters[..models].to_vec(),
            log_nu: at(cells.tie_parameter()),
            order_effect: at(cells.order_parameter()),
            beta: search.parameters[first_covariate..cells.parameters()].to_vec(),
            scales,
            log_likelihood,
            covariance: Covariance::new(covariance, models, cells.tie_parameter(), cells.order_parameter()),
            ties: self.ties(),
        })
    }
}

impl AdjustedFit {
    /// The number of the coefficient of a covariate among the estimates of [`Self::crossed`].
    #[must_use]
    pub const fn place_of(&self, covariate: usize) -> usize {
        self.theta.len() + self.log_nu.is_some() as usize + self.order_effect.is_some() as usize + covariate
    }

    /// Standard error of the coefficient of a covariate if the model holds and votes are independent.
    ///
    /// # Panics
    ///
    /// For a covariate outside the fit.
    #[must_use]
    pub fn standard_error(&self, covariate: usize) -> f64 {
        assert!(covariate < self.beta.len(), "no such covariate");
        self.covariance.error_at(self.place_of(covariate))
    }

    /// The errors of strengths and coefficients for what a result generalizes to, by the cells and differences that were fitted.
    ///
    /// # Method
    ///
    /// As [`PreferenceFit::crossed`](super::PreferenceFit::crossed).
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] for a model outside the fit, or another number of covariates or values.
    pub fn crossed(
        &self,
        cells: &[CellVotes],
        differences: &[Vec<f64>],
        target: Target,
    ) -> Result<Clustered, StatError> {
        check_values(cells, differences)?;
        if differences.len() != self.beta.len() {
            let (left, right) = (differences.len(), self.beta.len());
            return Err(StatError::Lengths { statistic: NAME, left, right });
        }
        let count = self.beta.len();
        let values = standardised(cells.len(), differences, &self.scales);
        let parameters = Parameters {
            models: self.theta.len(),
            tie: self.log_nu.is_some(),
            order: self.order_effect.is_some(),
            covariates: count,
            leaves_ties_out: self.ties == Ties::LeftOut,
        };
        let order_effect = self.order_effect.unwrap_or(0.0);
        let votes = cells.iter().enumerate().map(|(at, &cell)| (cell, &values[at * count..(at + 1) * count]));
        let contributions = parameters.contributions(votes, |[a, b], values| {
            let added: f64 = values.iter().zip(&self.beta).map(|(value, beta)| value * beta).sum();
            scores_of(probabilities(self.theta[a] - self.theta[b] + order_effect + added, self.log_nu))
        })?;
        Ok(contributions.clustered(target)?.mapped(&self.covariance.dense(), 1.0))
    }
}

/// Refuses covariates that do not have one finite value for each cell.
fn check_values(cells: &[CellVotes], differences: &[Vec<f64>]) -> Result<(), StatError> {
    for values in differences {
        if values.len() != cells.len() {
            return Err(StatError::Lengths { statistic: NAME, left: cells.len(), right: values.len() });
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(StatError::NotFinite { statistic: NAME, index, got: values[index] });
        }
    }
    Ok(())
}

/// The standard deviations of covariates over votes that count from both sides.
fn scales(counts: &[[f64; 3]], differences: &[Vec<f64>]) -> Result<Vec<f64>, StatError> {
    let votes: Vec<f64> = counts.iter().map(|counts| counts.iter().sum()).collect();
    let total: f64 = votes.iter().sum();
    let scale = |(covariate, values): (usize, &Vec<f64>)| {
        let squares: f64 = votes.iter().zip(values).map(|(votes, value)| votes * value * value).sum();
        let constant = StatError::Covariate { statistic: NAME, covariate, reason: "is equal in all pairs" };
        if squares > 0.0 { Ok((squares / total).sqrt()) } else { Err(constant) }
    };
    differences.iter().enumerate().map(scale).collect()
}

/// The values of covariates over their standard deviations, cell by cell.
fn standardised(cells: usize, differences: &[Vec<f64>], scales: &[f64]) -> Vec<f64> {
    let of_cell = |cell: usize| differences.iter().zip(scales).map(move |(all, scale)| all[cell] / scale);
    (0..cells).flat_map(of_cell).collect()
}
