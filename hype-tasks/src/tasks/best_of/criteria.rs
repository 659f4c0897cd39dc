//! The keys of questions and the names of measures.

use crate::shared::side_by_side::key;

/// The key of the question without a criterion.
const BEST: &str = "best";

/// The keys of the questions: one for each criterion, or a single one without criteria.
pub(super) fn keys<'a>(criteria: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let keys: Vec<String> = criteria.into_iter().map(key).collect();
    if keys.is_empty() { vec![BEST.to_owned()] } else { keys }
}

/// The names of the measures, in the order of the keys.
pub(super) fn measures(keys: &[String]) -> Vec<String> {
    match keys {
        [_] => vec!["votes".to_owned()],
        several => several.iter().map(|key| format!("votes.{key}")).collect(),
    }
}
