//! Shared by the aggregators that estimate strengths of models.

use std::sync::Arc;

use hype_core::NumberBounds;
use hype_stats::StatError;

/// Penalties on the sum of squared strengths.
pub(super) const RIDGE: NumberBounds = NumberBounds::positive(f64::INFINITY, 0.1);

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
