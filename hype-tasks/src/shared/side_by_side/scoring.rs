//! What rubrics of these tasks say when they cannot score.

use hype_core::{Answered, ScoreError, SessionRecord};

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
