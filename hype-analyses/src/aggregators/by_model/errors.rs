//! The estimates of models and their errors, for what results generalize to.

use std::collections::HashMap;

use hype_core::model::findings::{GeneralizeTo, MeanOver};
use hype_stats::StatError;
use hype_stats::clustered::{Clustered, ClusteredVariance, Contributions, Target};
use hype_stats::describe;

use super::sums::ModelSample;
use crate::aggregators::inference::{Difference, target};

/// The share of values by which equal ones may differ after rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Whether values are equal up to the rounding of numbers of this size, from which no error follows.
fn are_equal(values: impl Iterator<Item = f64>, size: f64) -> bool {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    high - low <= ROUNDING * size
}

/// The greatest absolute value.
fn size(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |size, value| value.abs().max(size))
}

/// The estimate of a model: the mean of its raters' means or, where items vary, the mean over raters and items.
pub(in crate::aggregators) fn value(model: &ModelSample, generalize_to: GeneralizeTo) -> f64 {
    let values = match generalize_to {
        GeneralizeTo::Raters => model.rater_means(),
        _ => model.responses.iter().map(|(_, _, cell)| cell.mean()).collect(),
    };
    describe::mean(&values).unwrap_or(f64::NAN)
}

/// Returns the values that these estimates are means over.
pub(super) const fn mean_over(generalize_to: GeneralizeTo) -> MeanOver {
    match generalize_to {
        GeneralizeTo::Raters => MeanOver::Raters,
        GeneralizeTo::RatersAndItems | GeneralizeTo::Items => MeanOver::Answers,
    }
}

/// The variance of the difference of two models' means over raters, with the raters of each model as other people than those
/// of the others: Welch's.
pub(super) fn independent(a: &ModelSample, b: &ModelSample) -> Result<ClusteredVariance, StatError> {
    let (mut variance, mut spread) = (0.0, 0.0);
    for model in [a, b] {
        let means = model.rater_means();
        let error = describe::standard_error(&means)?;
        let values = || means.iter().copied();
        let own = if are_equal(values(), size(values())) { 0.0 } else { error * error };
        variance += own;
        spread += own * own / (model.raters.len() as f64 - 1.0);
    }
    let degrees_of_freedom = if spread > 0.0 {
        variance * variance / spread
    } else {
        (a.raters.len() + b.raters.len()) as f64 - 2.0
    };
    ClusteredVariance::of_error(variance.sqrt(), degrees_of_freedom)
}

/// The errors of all models' estimates.
pub(in crate::aggregators) fn clustered(
    models: &[&ModelSample],
    values: &[f64],
    generalize_to: GeneralizeTo,
) -> Result<Clustered, StatError> {
    let mut contributions = Contributions::new(models.len());
    for (place, (model, value)) in models.iter().zip(values).enumerate() {
        if generalize_to == GeneralizeTo::Raters {
            let count = model.raters.len() as f64;
            let means = || model.raters.iter().map(|(_, cell)| cell.mean());
            let are_equal = are_equal(means(), size(means()));
            for ((rater, _), mean) in model.raters.iter().zip(means()) {
                contributions.push(*rater, 0, place, if are_equal { 0.0 } else { (mean - value) / count });
            }
        } else {
            let count = model.responses.len() as f64;
            let means = || model.responses.iter().map(|(_, _, cell)| cell.mean());
            let are_equal = are_equal(means(), size(means()));
            for ((rater, item, _), mean) in model.responses.iter().zip(means()) {
                contributions.push(
                    *rater,
                    *item,
                    place,
                    if are_equal { 0.0 } else { (mean - value) / count },
                );
            }
        }
    }
    contributions.clustered(target(generalize_to))
}

/// The difference of two models over the raters who judged both, with its error; `None` if there are no such raters.
pub(super) fn shared(a: &ModelSample, b: &ModelSample) -> Option<Difference> {
    let of_b: HashMap<u32, f64> = b.raters.iter().map(|(rater, cell)| (*rater, cell.mean())).collect();
    let differences: Vec<(u32, f64)> =
        a.raters.iter().filter_map(|(rater, cell)| Some((*rater, cell.mean() - of_b.get(rater)?))).collect();
    let size = size(a.raters.iter().chain(&b.raters).map(|(_, cell)| cell.mean()));
    if differences.is_empty() {
        return None;
    }
    let values: Vec<f64> = differences.iter().map(|(_, difference)| *difference).collect();
    let mean = describe::mean(&values).unwrap_or(f64::NAN);
    let mut contributions = Contributions::new(1);
    let are_equal = are_equal(values.iter().copied(), size);
    for (rater, difference) in &differences {
        let deviation = if are_equal { 0.0 } else { difference - mean };
        contributions.push(*rater, 0, 0, deviation / values.len() as f64);
    }
    Some((mean, contributions.clustered(Target::Raters).and_then(|errors| errors.of(0))))
}
