//! What rubrics of these tasks say when they cannot score.

use hype_core::{Answered, Diagnostics, ErasedTask, ScoreError, SessionRecord};

/// Tells that a rubric cannot score a task.
pub(crate) fn wrong_task(rubric: &str, task: &dyn ErasedTask, at: &mut Diagnostics) {
    at.error("wrong-rubric", format!("the rubric {rubric} cannot score the task {}", task.typetag_name()))
        .help("leave out `rubric` to take the task's own");
}

/// A trial of which the log lacks something.
pub(crate) fn score_error(session: &SessionRecord, answered: &Answered, question: &str) -> ScoreError {
    ScoreError {
        rater: session.header.rater.to_string(),
        trial: answered.trial,
        reason: format!(
            "the log has no images with an answer to `{question}` for this trial of the main phase"
        ),
    }
}
