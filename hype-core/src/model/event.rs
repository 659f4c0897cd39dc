//! The events in a session's log.

use serde::{Deserialize, Serialize};

use crate::model::note::{Disturbed, Noted};
use crate::model::record::{AnswerVersion, Answered, Erased, Header, Outcome, SessionRecord};
use crate::model::units::Micros;

/// One entry of a session's log, numbered by its position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Event {
    /// The session was opened.
    Opened(Header),
    /// A trial was answered.
    Answered(Answered),
    /// The rater returned to the trial answered last, and answered it again.
    Corrected(AnswerVersion),
    /// A trial was disturbed, and is shown again.
    Disturbed(Disturbed),
    /// A note on how the session went; it does not affect the session.
    Noted(Noted),
    /// The rater left before the end.
    Left {
        /// Since the session was opened.
        at: Micros,
    },
    /// The session ended; nothing follows.
    Finished(Outcome),
    /// The rater's answers were erased on request. Follows the opening, and nothing follows it.
    Erased(Erased),
}

/// The events are not the log of one session; the log was altered or truncated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The log is empty, or does not begin with the opening of a session.
    #[error("a session's log begins with its opening")]
    NotOpened,
    /// A second opening, or an event after the end.
    #[error("event {index} cannot follow the events before it")]
    OutOfOrder {
        /// The event's position in the log.
        index: usize,
    },
}

impl SessionRecord {
    /// Assembles a session's record from its log, without replaying the task.
    ///
    /// # Errors
    /// If the events are not the log of one session.
    pub fn from_events(events: impl IntoIterator<Item = Event>) -> Result<Self, LogError> {
        let mut events = events.into_iter().enumerate();
        let Some((_, Event::Opened(header))) = events.next() else {
            return Err(LogError::NotOpened);
        };
        let mut record = Self::opened(header);
        let mut left = false;
        for (index, event) in events {
            let ended = record.outcome.is_some() || record.erased.is_some();
            match event {
                Event::Answered(trial) if !ended && !left => record.trials.push(trial),
                Event::Corrected(version) if !ended && !left && record.can_be_corrected(&version) => {
                    record.correct(version);
                }
                Event::Disturbed(disturbed) if !ended && !left => record.disturbed.push(disturbed),
                Event::Noted(noted) if !ended && !left => record.notes.push(noted),
                Event::Left { .. } if !ended && !left => left = true,
                Event::Finished(outcome) if !ended => record.outcome = Some(outcome),
                Event::Erased(erased) if index == 1 => record.erased = Some(erased),
                _ => return Err(LogError::OutOfOrder { index }),
            }
        }
        Ok(record)
    }

    /// The log that replaces the session's log when its answers are erased: the opening, without what the task had learned
    /// from others, and the erasure. `filled` says whether the session filled its place.
    #[must_use]
    pub fn remains(&self, filled: bool, unix_ms: u64) -> [Event; 2] {
        let erased = Erased {
            unix_ms,
            answers: self.trials.iter().filter(|trial| !trial.shown.phase.is_survey()).count() as u32,
            ending: self.outcome.as_ref().map(|outcome| outcome.ending),
            earned: self.earned(),
            filled,
        };
        [Event::Opened(Header { briefing: None, ..self.header.clone() }), Event::Erased(erased)]
    }
}
