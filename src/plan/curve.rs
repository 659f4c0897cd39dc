//! How intervals would have narrowed: the curve of the HYPE paper's figure 4, from collected data.

use std::sync::Arc;

use hype_core::study::analysis::visit_scores;
use hype_core::{Measure, Store, Study};
use hype_stats::StatError;
use hype_stats::describe::population_standard_deviation;
use hype_stats::power::percentile_width;
use schemars::JsonSchema;
use serde::Serialize;

use super::PlanError;
use super::sample::Sample;

/// The level of the intervals.
const LEVEL: f64 = 0.95;

/// Widths of bootstrap intervals against the number of raters.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "A curve of interval widths of hype")]
#[non_exhaustive]
pub struct Curve {
    /// The measure.
    pub measure: Measure,
    /// The level of the intervals.
    pub level: f64,
    /// The models, in the order of the sessions.
    pub models: Vec<CurveModel>,
    /// One row for each number of raters.
    pub rows: Vec<CurveRow>,
}

/// The raters of one model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CurveModel {
    /// The model.
    pub model: Arc<str>,
    /// Raters who were collected.
    pub raters: u64,
    /// The standard deviation of their values, with n in place of n - 1, as resampling has it.
    pub sd: f64,
}

/// The widths at one number of raters.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CurveRow {
    /// Raters of each model.
    pub raters: u32,
    /// The width of each model's interval from end to end, in the order of the models.
    pub widths: Vec<f64>,
}

impl Curve {
    /// The curve of the values of each model's raters.
    ///
    /// # Method
    /// A percentile bootstrap of n of the raters has the width 2 z s / √n, where s is the standard deviation of the values with n in
    /// place of n - 1. It falls as 1/√n and has no end.
    ///
    /// # Errors
    /// [`StatError`] for a model whose values do not differ, or for fewer than two raters.
    pub fn of(
        measure: &Measure,
        values: impl IntoIterator<Item = (Arc<str>, Vec<f64>)>,
        raters: &[u32],
    ) -> Result<Self, StatError> {
        let models = values
            .into_iter()
            .map(|(model, values)| {
                let sd = population_standard_deviation(&values)?;
                Ok(CurveModel { model, raters: values.len() as u64, sd })
            })
            .collect::<Result<Vec<_>, StatError>>()?;
        let rows = raters
            .iter()
            .map(|&raters| {
                let width = |one: &CurveModel| match one.sd {
                    sd if sd > 0.0 => percentile_width(sd, f64::from(raters), LEVEL),
                    _ => Ok(0.0),
                };
                Ok(CurveRow { raters, widths: models.iter().map(width).collect::<Result<_, _>>()? })
            })
            .collect::<Result<_, StatError>>()?;
        Ok(Self { measure: measure.clone(), level: LEVEL, models, rows })
    }
}

/// The curve of a collected study, for the study's score or another measure.
///
/// # Errors
/// If there is no such measure, the store fails, or nothing was collected.
pub fn curve(
    study: &Study,
    store: &dyn Store,
    measure: Option<&str>,
    raters: &[u32],
) -> Result<Curve, PlanError> {
    let measures = study.rubric().measures();
    let wanted = match measure {
        Some(name) => measures.iter().find(|one| &*one.name == name),
        None => measures.first(),
    };
    let unknown = || PlanError::unknown_measure(measure.unwrap_or_default(), &measures);
    let measure = wanted.ok_or_else(unknown)?;
    let (mut sample, mut has_pairs) = (Sample::default(), false);
    crate::block_on(visit_scores(study, store, |record, scores| {
        sample.add(study, record, scores, &measure.name);
        has_pairs |= scores.rows().any(|row| *row.measure == *measure.name && !row.against.is_empty());
        scores.clear_rows();
        true
    }))?;
    if sample.rater_means().next().is_none() {
        if has_pairs {
            return Err(PlanError::Pairs { measure: measure.name.to_string() });
        }
        let model = "any model".to_owned();
        return Err(PlanError::TooFewValues { measure: measure.name.to_string(), model });
    }
    Ok(Curve::of(measure, sample.rater_means(), raters)?)
}
