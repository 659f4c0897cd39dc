//! The errors of rubrics that score side-by-side tasks.

use hype_core::{Answered, ScoreError, SessionRecord};

/// The error about a trial whose log is incomplete.
pub(crate) fn score_error(session: &SessionRecord, answered: &Answered, question: &str) -> ScoreError {
    ScoreError {
        rater: session.header.rater.to_string(),
        trial: answered.trial,
        reason: format!(
            "the log has no images with an answer to `{question}` for this trial of the main phase"
        ),
    }
}
