//! Restricted maximum likelihood for crossed random effects.

mod layout;

use layout::{Evaluation, Layout};

use super::{EstimationMethod, ModelMean, NAME, Responses, Source, VarianceComponents, difference, shared};
use crate::StatError;
use crate::minimum::{Minimum, Sought, minimize, solve};

const SOUGHT: Sought = Sought { statistic: NAME, reason: "the effects leave no residual" };
/// A standard deviation, in units of its natural scale, below which the bound of 0 is tried.
const NEAR_ZERO: f64 = 0.1;
/// A rise of the criterion that is due to rounding.
const SLACK: f64 = 1e-8;

/// Estimates variance components by restricted maximum likelihood, for any missing cells.
///
/// # Method
///
/// Patterson and Thompson (1971). With Λ the standard deviations of the random effects over that of
/// the residual, the criterion -2 ln L_R = ln det(ΛZᵀZΛ + I) + ln det(Xᵀ V⁻¹ X) + (N - p)\[1 + ln(2π
/// r² / (N - p))\] (Bates et al. 2015, "Fitting linear mixed-effects models using lme4", equation 41)
/// is minimized over Λ alone. Zero is not a boundary for it, as the criterion is even in each standard
/// deviation, so Newton's method runs without constraints. For balanced designs the estimates
/// are those of [`super::mean_squares`] if none of these is negative.
///
/// Means are the generalized least squares estimates, their standard errors those at the estimated
/// components, and the degrees of freedom Satterthwaite's: 2 v² / Var(v) with the variance of v by the
/// delta method from the curvature of the criterion (Kuznetsova, Brockhoff and Christensen 2017).
/// Components at zero are taken as known in it. With few raters or items standard errors are
/// somewhat too small.
///
/// # Errors
///
/// [`StatError::Degenerate`] if raters or items cannot be distinguished from models or the residual, if all
/// responses to each model are equal, or if the effects leave no residual;
/// [`StatError::Parameter`] if the smaller of raters and items has more than 2,000 levels with its
/// interactions with models; [`StatError::NoConvergence`] if the criterion still falls after
/// 200 steps.
///
/// # Numerics
///
/// The effects of the more numerous of raters and items are eliminated level by level; the rest is a
/// dense matrix, whose factor takes a time that grows with the cube of its levels.
pub fn restricted_maximum_likelihood(responses: &Responses) -> Result<VarianceComponents, StatError> {
    let degenerate = |reason| StatError::Degenerate { statistic: NAME, reason };
    let terms = responses.terms()?;
    let layout = Layout::new(responses, &terms)?;
    if layout.variance() <= 0.0 {
        return Err(degenerate("all responses to each model are equal"));
    }
    let mut scratch = layout.scratch();
    let mut criterion = |active: &[bool], point: &[f64]| -> Option<f64> {
        let mut rest = point.iter();
        let all: Vec<f64> = active
            .iter()
            .map(|active| if *active { rest.next().copied().unwrap_or(0.0) } else { 0.0 })
            .collect();
        layout.evaluate(&all, &mut scratch).map(|found| found.criterion)
    };
    let mut active = vec![true; terms.len()];
    let mut found = minimize(SOUGHT, layout.start(), &mut |point| criterion(&active, point))?;
    // Standard deviations that fit equally well at zero are set to zero, and the others are estimated
    // again.
    for _ in 0..terms.len() {
        let mut places = (0..active.len()).filter(|place| active[*place]).enumerate();
        let zero = places.find(|&(inner, _)| {
            let mut at_zero = found.point.clone();
            at_zero[inner] = 0.0;
            found.point[inner].abs() < NEAR_ZERO
                && criterion(&active, &at_zero).is_some_and(|value| value <= found.value + SLACK)
        });
        let Some((inner, place)) = zero else { break };
        active[place] = false;
        let mut rest = found.point.clone();
        rest.remove(inner);
        found = minimize(SOUGHT, rest, &mut |point| criterion(&active, point))?;
    }
    finish(responses, &layout, &active, &found)
}

fn finish(
    responses: &Responses,
    layout: &Layout,
    active: &[bool],
    found: &Minimum,
) -> Result<VarianceComponents, StatError> {
    let mut scratch = layout.scratch();
    let mut at = |point: &[f64]| {
        let mut rest = point.iter();
        let all: Vec<f64> = active
            .iter()
            .map(|active| if *active { rest.next().copied().unwrap_or(0.0) } else { 0.0 })
            .collect();
        layout.evaluate(&all, &mut scratch).map(|evaluation| (all, evaluation))
    };
    let (point, best) = at(&found.point).ok_or(SOUGHT.undefined())?;
    let ratios = layout.ratios(&point);
    let estimates =
        layout.sources().zip(&ratios).map(|(source, ratio)| (source, ratio * best.residual, None));
    let components = shared(estimates.chain([(Source::Residual, best.residual, None)]));
    // Slopes of the covariance of the means along the criterion's own parameters.
    let mut slopes: Vec<Vec<Vec<f64>>> = Vec::new();
    for place in 0..found.point.len() {
        let step = 1e-4 * found.point[place].abs().max(1.0);
        let mut side = |sign: f64| {
            let mut moved = found.point.clone();
            moved[place] += sign * step;
            at(&moved).map(|(_, evaluation)| evaluation.covariance())
        };
        let (Some(above), Some(below)) = (side(1.0), side(-1.0)) else { return Err(SOUGHT.undefined()) };
        let rows = above.iter().zip(&below);
        slopes.push(
            rows.map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b) / (2.0 * step)).collect()).collect(),
        );
    }
    let covariance = best.covariance();
    let error = |contrast: &dyn Fn(&[Vec<f64>]) -> f64| -> (f64, Option<f64>) {
        let variance = contrast(&covariance).max(0.0);
        let slope: Vec<f64> = slopes.iter().map(|matrix| contrast(matrix)).collect();
        // The criterion is -2 ln L, so its inverse curvature is half the covariance.
        let along = solve(found.hessian.clone(), slope.clone())
            .map(|direction| 2.0 * direction.iter().zip(&slope).map(|(a, b)| a * b).sum::<f64>());
        let degrees = along.map(|along| {
            2.0 * variance * variance / (along + 2.0 * variance * variance / layout.residual_degrees())
        });
        (variance.sqrt(), degrees.filter(|degrees| variance > 0.0 && degrees.is_finite()))
    };
    let counts = layout.model_counts();
    let models: Vec<ModelMean> = responses
        .models
        .iter()
        .enumerate()
        .map(|(place, &model)| {
            let (standard_error, degrees_of_freedom) = error(&|matrix| matrix[place][place]);
            let (mean, count) = (best.means[place], counts[place]);
            ModelMean { model, count, mean, standard_error, degrees_of_freedom }
        })
        .collect();
    let mut differences = Vec::new();
    for (i, first) in models.iter().enumerate() {
        for (j, second) in models.iter().enumerate().skip(i + 1) {
            let (standard_error, degrees) =
                error(&|matrix| matrix[i][i] + matrix[j][j] - matrix[i][j] - matrix[j][i]);
            differences.push(difference((first, second), standard_error, degrees)?);
        }
    }
    Ok(VarianceComponents {
        method: EstimationMethod::RestrictedMaximumLikelihood,
        components,
        models,
        differences,
        quasi_f: None,
        responses: responses.len(),
        raters: responses.raters.len(),
        items: responses.items.len(),
    })
}

impl Evaluation {
    /// Covariance matrix of the means.
    fn covariance(&self) -> Vec<Vec<f64>> {
        let scaled = |row: &Vec<f64>| row.iter().map(|entry| entry * self.residual).collect();
        self.relative_covariance.iter().map(scaled).collect()
    }
}
