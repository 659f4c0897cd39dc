//! The measures that some aggregators recognize by name.

pub(crate) use hype_core::model::score::{GRADE, PREFERENCE};
use hype_core::{Diagnostics, Measure};

/// The name of ranks: `rank`, or `rank.` and a criterion.
pub(super) const RANK: &str = "rank";

/// The unit of measures that lie between 0 and 1.
pub(crate) const PROPORTION: &str = "proportion";

/// The unit of measures that are times.
pub(crate) const TIME: &str = "ms";

/// Whether a measure is a vote between two models.
pub(crate) fn is_preference(measure: &Measure) -> bool {
    is_of(measure, PREFERENCE)
}

/// Whether a measure is a grade between two models, rather than a vote.
pub(crate) fn is_grade(measure: &Measure) -> bool {
    is_of(measure, GRADE)
}

/// Whether a measure is a rank.
pub(super) fn is_rank(measure: &Measure) -> bool {
    is_of(measure, RANK)
}

fn is_of(measure: &Measure, name: &str) -> bool {
    measure.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Checks that there are votes to aggregate.
pub(super) fn check_votes(kind: &str, measures: &[Measure], at: &mut Diagnostics) {
    if !measures.iter().any(is_preference) {
        at.error(
            "wrong-aggregator",
            format!("the aggregator {kind} needs votes between models, `{PREFERENCE}`"),
        )
        .help("the task and rubric `contrast` give them; use `by_model` for other scores");
    }
}

/// Checks that the first measure to report, the one chosen or the rubric's first, has values of single models.
pub(super) fn check_rated(kind: &str, chosen: Option<&str>, measures: &[Measure], at: &mut Diagnostics) {
    let is_chosen = |measure: &&Measure| chosen.is_none_or(|chosen| *measure.name == *chosen);
    if measures.iter().find(is_chosen).is_some_and(|first| is_preference(first) || is_grade(first)) {
        at.error(
            "wrong-aggregator",
            format!("the rubric compares models, which the aggregator {kind} cannot analyse"),
        )
        .help("use `contrast` for votes and `grades` for grades, or leave `aggregate` out");
    }
}
