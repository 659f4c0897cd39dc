//! Notes for readers of the findings about the end of the collection.

use crate::model::findings::{MeasureFindings, Note, StoppingFindings};
use crate::words::counted;

/// The share of studies of equal models in which a test at the level of 5 % finds a difference at one of twelve equally spaced looks.
pub const FALSE_ALARMS_OF_TWELVE_LOOKS: f64 = 0.21;

/// A note on a collection that the stopping rule has ended.
pub(super) fn note(stopping: &StoppingFindings) -> Option<Note> {
    let at = stopping.stopped_at?;
    let of_each = if stopping.per_model { " of each model" } else { "" };
    let mut text = format!(
        "the stopping rule ended the collection at {}{of_each} of {} planned: intervals and tests of its looks allow for that, \
         those of estimates do not: report the former",
        counted(at, "rater"),
        stopping.planned
    );
    if stopping.beyond > 0 {
        text += &format!("; {} at later places count in estimates alone", counted(stopping.beyond, "rater"),);
    }
    Some(Note::precision("stopped", text))
}

/// A warning about tests of a study with open places and without a stopping rule.
pub(super) fn peeked(open: u32, measures: &[MeasureFindings]) -> Option<Note> {
    let is_tested = |found: &MeasureFindings| {
        !found.tests.is_empty()
            || !found.comparisons.is_empty()
            || found.against_reference.is_some()
            || found.against_real.is_some()
    };
    if open == 0 || !measures.iter().any(is_tested) {
        return None;
    }
    let text = format!(
        "{} of the plan {} open: without a stopping rule, tests looked at twelve times while a study runs find differences that \
         are not there in {:.0}% of studies; wait for all",
        counted(open, "place"),
        if open == 1 { "is" } else { "are" },
        100.0 * FALSE_ALARMS_OF_TWELVE_LOOKS
    );
    Some(Note::precision("peeked", text))
}
