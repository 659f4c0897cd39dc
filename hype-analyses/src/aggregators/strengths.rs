//! Shared by the aggregators that estimate strengths of models.

use std::sync::Arc;

use hype_core::NumberBounds;
use hype_core::words::cut;
use hype_stats::StatError;
use hype_stats::clustered::Clustered;
use hype_stats::describe::quantile;

/// Penalties on the sum of squared strengths.
pub(super) const RIDGE: NumberBounds = NumberBounds::positive(f64::INFINITY, 0.1);

/// More raters are told by quantiles, and by how many.
const MOST_SINGLE: usize = 60;
const QUANTILES: usize = 20;

/// How many groups of models a message has, and how many models of each.
const MOST_GROUPS: usize = 5;
const MOST_IN_GROUP: usize = 5;

/// Returns the pseudo-values of raters in ascending order. Empty where errors are not those of raters. See
/// [`Estimate`](hype_core::model::findings::Estimate).
pub(super) fn pseudo_values(value: f64, errors: Option<&Clustered>, model: usize) -> Vec<f64> {
    let Some(added) = errors.and_then(|errors| errors.of_raters(model)) else { return Vec::new() };
    let raters = added.len() as f64;
    let mut all: Vec<f64> = added.into_iter().map(|own| value + raters * own).collect();
    all.sort_by(f64::total_cmp);
    if all.len() <= MOST_SINGLE {
        return all;
    }
    let places = (0..QUANTILES).map(|place| (place as f64 + 0.5) / QUANTILES as f64);
    places.filter_map(|place| quantile(&all, place).ok()).collect()
}

/// The reason why there are no strengths, with the groups of models that have no common scale.
pub(super) fn explain(error: &StatError, models: &[Arc<str>]) -> String {
    let named = |groups: &[Vec<usize>], separator| {
        let group = |group: &Vec<usize>| cut(group.iter().map(|&model| &models[model]), MOST_IN_GROUP, ", ");
        cut(groups.iter().map(group), MOST_GROUPS, separator)
    };
    match error {
        StatError::Disconnected { groups, .. } => {
            format!("these groups were never compared with each other: {}", named(groups, " | "))
        }
        StatError::Separated { groups, .. } => format!(
            "each of these groups never lost to those after it, and its lead has no finite estimate: {}; `ridge` \
             gives finite ones",
            named(groups, " > ")
        ),
        other => other.to_string(),
    }
}
