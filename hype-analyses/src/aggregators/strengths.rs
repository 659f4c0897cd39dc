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
            .map(|group| group.iter().map(|&model| &*models[model]).collect::<Vec<_>>().join(", "))
            .collect()
    };
    match error {
        StatError::Disconnected { groups, .. } => {
            format!("these groups were never compared with each other: {}", named(groups).join(" | "))
        }
        StatError::Separated { groups, .. } => format!(
            "each of these groups never lost to those after it, so that its lead has no finite estimate: {}; `ridge` \
             gives finite ones",
            named(groups).join(" > ")
        ),
        other => other.to_string(),
    }
}
