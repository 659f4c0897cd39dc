//! What remains of a session whose answers were erased on request.

use serde::{Deserialize, Serialize};

use crate::model::event::{Event, LogError};
use crate::model::record::{Earned, Ending, Header, SessionRecord};

/// An erased session: what its place, the counts and the payment need, and nothing that the rater answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erased {
    /// When it was erased, in milliseconds since 1970.
    pub unix_ms: u64,
    /// The number of trials that had been answered.
    pub answers: u32,
    /// How the session had ended; `None` if it had not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Money that the rater has earned, if the study pays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earned: Option<Earned>,
    /// Whether the session had filled its place.
    pub filled: bool,
}

impl Erased {
    /// The log that replaces a session's log: its opening, without what the task had learned from others, and the erasure.
    #[must_use]
    pub fn log(record: &SessionRecord, filled: bool, unix_ms: u64) -> [Event; 2] {
        let erased = Self {
            unix_ms,
            answers: record.trials.len() as u32,
            ending: record.outcome.as_ref().map(|outcome| outcome.ending),
            earned: record.outcome.as_ref().and_then(|outcome| outcome.earned),
            filled,
        };
        [Event::Opened(Header { briefing: None, ..record.header.clone() }), Event::Erased(erased)]
    }
}

impl SessionRecord {
    /// Assembles the record of an erased session, which has no answers and no outcome.
    pub(super) fn erased(
        header: Header,
        erased: Erased,
        rest: impl IntoIterator<Item = Event>,
    ) -> Result<Self, LogError> {
        if rest.into_iter().next().is_some() {
            return Err(LogError::OutOfOrder { index: 2 });
        }
        let (trials, disturbed, notes) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { header, trials, disturbed, notes, outcome: None, erased: Some(erased) })
    }
}
