//! What readers of the findings have to know about the end of the collection.

use crate::model::findings::{Note, StoppingFindings};
use crate::words::counted;

/// A note on a collection that the stopping rule has ended.
pub(super) fn note(stopping: &StoppingFindings) -> Option<Note> {
    let at = stopping.stopped_at?;
    let of_each = if stopping.per_model { " of each model" } else { "" };
    let mut text = format!(
        "the stopping rule ended the collection at the look at {}{of_each}, where {} were planned: the intervals and tests of its \
         looks allow for that, and those of the estimates do not",
        counted(at, "rater"),
        stopping.planned
    );
    if stopping.beyond > 0 {
        text += &format!(
            "; {} at later places finished as well and {} in the estimates, not in the decision",
            counted(stopping.beyond, "rater"),
            if stopping.beyond == 1 { "is" } else { "are" }
        );
    }
    Some(Note::warning("stopped", text))
}
