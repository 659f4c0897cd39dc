//! Shared by the aggregators that estimate strengths of models.

use std::sync::Arc;

use hype_core::NumberBounds;
use hype_stats::StatError;
use hype_stats::clustered::Clustered;
use hype_stats::describe::quantile;

/// Penalties on the sum of squared strengths.
pub(super) const RIDGE: NumberBounds = NumberBounds::positive(f64::INFINITY, 0.1);

/// More raters are told by quantiles, and by how many.
const MOST_SINGLE: usize = 60;
const QUANTILES: usize = 20;

/// What raters stand for in an estimate, in ascending order: see [`Estimate`](hype_core::model::findings::Estimate). Empty where
/// errors are not those of raters.
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
    let named = |groups: &[Vec<usize>]| -> Vec<String> {
        groups
            .iter()
            .map(|group| few(group.iter().map(|&model| models[model].to_string()).collect(), ", "))
            .collect()
    };
    match error {
        StatError::Disconnected { groups, .. } => {
            format!("these groups were never compared with each other: {}", few(named(groups), " | "))
        }
        StatError::Separated { groups, .. } => format!(
            "each of these groups never lost to those after it, so that its lead has no finite estimate: {}; `ridge` \
             gives finite ones",
            few(named(groups), " > ")
        ),
        other => other.to_string(),
    }
}

/// Names with a separator between them, cut after the first ten.
fn few(mut names: Vec<String>, separator: &str) -> String {
    const MOST: usize = 10;
    let more = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    let listed = names.join(separator);
    if more > 0 { format!("{listed} and {more} more") } else { listed }
}
