//! Events as the texts that databases keep.

use hype_core::{Event, StoreError};

/// What a database made of an append.
#[derive(Clone)]
pub(crate) enum Appended {
    /// The texts are there now, and the log holds so many.
    Now(u64),
    /// The log holds another number of texts than expected. Where it holds texts with all the numbers that were to
    /// be appended, they are `kept`: the append may be a repeat.
    Not { found: u64, kept: Option<Vec<(i64, String)>> },
}

impl Appended {
    /// The length of the log, if the append has succeeded now or before.
    pub(crate) fn length(self, session: &str, expected: u64, events: &[Event]) -> Result<u64, StoreError> {
        let (found, kept) = match self {
            Self::Now(length) => return Ok(length),
            Self::Not { found, kept } => (found, kept),
        };
        match kept {
            Some(kept) if parse(session, expected, &kept)? == events => Ok(found),
            _ => Err(StoreError::Conflict { session: session.to_owned(), expected, found }),
        }
    }
}

pub(crate) fn write(events: &[Event]) -> Result<Vec<String>, StoreError> {
    let texts = events.iter().map(serde_json::to_string).collect::<Result<_, _>>();
    texts.map_err(|error| StoreError::Failed(format!("an event cannot be written: {error}")))
}

/// Reads texts that have the numbers from one on.
pub(crate) fn parse(session: &str, from: u64, kept: &[(i64, String)]) -> Result<Vec<Event>, StoreError> {
    (from..)
        .zip(kept)
        .map(|(expected, (number, text))| {
            if *number != integer(expected) {
                return Err(StoreError::Damaged(format!("session {session} lacks event {expected}")));
            }
            serde_json::from_str(text).map_err(|error| {
                StoreError::Damaged(format!("session {session}, event {number} cannot be read: {error}"))
            })
        })
        .collect()
}

/// Databases' integers have 63 bits and a sign; a count or a time beyond them is as good as the largest.
pub(crate) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
