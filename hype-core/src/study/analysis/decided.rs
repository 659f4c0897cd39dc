//! Operators' decisions while a study ran, for readers of the findings.

use crate::model::findings::Note;
use crate::protocol::control::Admission;
use crate::study::Study;
use crate::words::counted;

/// Notes on decisions that the spec does not contain.
pub(super) fn notes(study: &Study) -> Vec<Note> {
    let control = study.control();
    let mut notes = Vec::new();
    let excluded = control.excluded().len();
    if excluded > 0 {
        let text = format!(
            "the operator excluded {} after the study began, in addition to the declared rules: estimates are given with and \
             without them",
            counted(excluded, "rater")
        );
        notes.push(Note::meaning("operator-exclusions", text));
    }
    let extra = control.extra_places();
    if extra > 0 {
        let text = format!("the operator added {} to the plan while the study ran", counted(extra, "place"));
        notes.push(Note::setting("added-places", text));
    }
    if control.admission() == Admission::Closed {
        let text = "the operator closed the study, whether or not its places were filled";
        notes.push(Note::setting("closed", text));
    }
    notes
}
