//! The estimates of models and their errors, for what results generalize to.

use hype_core::model::findings::GeneralizeTo;
use hype_stats::StatError;
use hype_stats::clustered::{Clustered, Contributions};
use hype_stats::describe;

use super::sums::ModelSample;
use crate::aggregators::inference::target;

/// The estimate of a model: the mean of its raters' means or, where items vary, the mean over raters and items.
pub(super) fn value(model: &ModelSample, generalize_to: GeneralizeTo) -> f64 {
    let values = match generalize_to {
        GeneralizeTo::Raters => model.rater_means(),
        _ => model.responses.iter().map(|(_, _, cell)| cell.mean()).collect(),
    };
    describe::mean(&values).unwrap_or(f64::NAN)
}

/// The errors of all models' estimates.
pub(super) fn clustered(
    models: &[&ModelSample],
    values: &[f64],
    generalize_to: GeneralizeTo,
) -> Result<Clustered, StatError> {
    let mut contributions = Contributions::new(models.len());
    for (place, (model, value)) in models.iter().zip(values).enumerate() {
        if generalize_to == GeneralizeTo::Raters {
            let count = model.raters.len() as f64;
            for (rater, cell) in &model.raters {
                contributions.push(*rater, 0, place, (cell.mean() - value) / count);
            }
        } else {
            let count = model.responses.len() as f64;
            for (rater, item, cell) in &model.responses {
                contributions.push(*rater, *item, place, (cell.mean() - value) / count);
            }
        }
    }
    contributions.clustered(target(generalize_to))
}
