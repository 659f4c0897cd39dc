//! Replay: a session's state from its log.

use crate::model::digest::Digest;
use crate::model::event::Event;
use crate::model::record::Header;
use crate::protocol::chance::GENERATOR;
use crate::study::Study;
use crate::study::session::{Accepted, Rejected, Session, SessionError, Step};

/// A log cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The log does not begin with an opening.
    #[error("the log does not begin with the opening of a session")]
    NotOpened,
    /// The session belongs to another study. The operator has to use the spec and the stimuli of the original study.
    #[error("the session belongs to study {}, not to {}", .found.short(), .wanted.short())]
    AnotherStudy {
        /// The digest in the log.
        found: Digest,
        /// The digest of the study at hand.
        wanted: Digest,
    },
    /// The session was recorded with another version of the task or of the generator. The operator has to use the
    /// program that recorded it; its stored result can still be read.
    #[error("the session was recorded by {found}; this program has {wanted} and would replay it differently")]
    AnotherVersion {
        /// The version that the log names.
        found: String,
        /// The version that this program has.
        wanted: String,
    },
    /// The session cannot be opened.
    #[error(transparent)]
    Open(#[from] SessionError),
    /// An event of the log would be rejected.
    #[error("event {index}: {source}")]
    Rejected {
        /// The event's position in the log.
        index: usize,
        /// Why.
        source: Rejected,
    },
    /// The log differs from its replay: it was altered, or the task is not pure.
    #[error("event {index} differs from its replay: the log was altered, or the task is not pure")]
    Diverged {
        /// The event's position in the log.
        index: usize,
    },
}

impl Session {
    /// Replays a session's log, and compares every event with the task's output.
    ///
    /// A log that stops between the last answer and the end is accepted; the missing end is in [`step`](Self::step), and
    /// [`events`](Self::events) counts what the log holds.
    ///
    /// # Errors
    /// If the log belongs to another study or version, or does not follow from the task.
    pub fn replay(study: &Study, events: impl IntoIterator<Item = Event>) -> Result<Self, ReplayError> {
        let mut events = events.into_iter().enumerate().peekable();
        let Some((_, Event::Opened(header))) = events.next() else {
            return Err(ReplayError::NotOpened);
        };
        let mut session = Self::reopen(study, header)?;
        while let Some((index, event)) = events.next() {
            if matches!(event, Event::Finished(_) | Event::Opened(_)) {
                return session.check_end(index, &event, events.next().map(|(after, _)| after));
            }
            let recorded = match session.handle_event(&event) {
                Ok(Accepted::Recorded(recorded)) => recorded,
                Ok(Accepted::Repeated) => return Err(ReplayError::Diverged { index }),
                Err(source) => return Err(ReplayError::Rejected { index, source }),
            };
            if recorded.event != event {
                return Err(ReplayError::Diverged { index });
            }
            if let Some(finished) = recorded.finished {
                match events.next() {
                    None => session.events -= 1,
                    Some((_, Event::Finished(stored))) if stored == finished => {}
                    Some((index, _)) => return Err(ReplayError::Diverged { index }),
                }
                if let Some((index, _)) = events.next() {
                    return Err(ReplayError::Rejected { index, source: Rejected::Over });
                }
            }
        }
        Ok(session)
    }

    /// An end without an answer before it is valid only for a session without trials.
    fn check_end(mut self, index: usize, event: &Event, after: Option<usize>) -> Result<Self, ReplayError> {
        match (&self.current, event) {
            (Step::Finished(outcome), Event::Finished(stored)) if outcome == stored => {}
            _ => return Err(ReplayError::Diverged { index }),
        }
        if let Some(index) = after {
            return Err(ReplayError::Rejected { index, source: Rejected::Over });
        }
        self.events = 2;
        Ok(self)
    }

    fn reopen(study: &Study, header: Header) -> Result<Self, ReplayError> {
        if header.study != study.digest() {
            return Err(ReplayError::AnotherStudy { found: header.study, wanted: study.digest() });
        }
        let task = study.task();
        let wanted = (task.typetag_name(), task.version(), GENERATOR);
        if (&*header.task, header.task_version, &*header.generator) != wanted {
            return Err(ReplayError::AnotherVersion {
                found: format!("{} version {} with {}", header.task, header.task_version, header.generator),
                wanted: format!("{} version {} with {}", wanted.0, wanted.1, wanted.2),
            });
        }
        if header.place != study.place(header.place.number) {
            return Err(ReplayError::Diverged { index: 0 });
        }
        let mut session = Self::begin(study, header)?;
        session.events = 1;
        Ok(session)
    }
}
