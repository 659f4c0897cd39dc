//! Events and changes of places as the rows that databases keep.

use hype_core::protocol::places::Occupancy;
use hype_core::{Event, StoreError};

/// The outcome of an append to a database.
#[derive(Clone)]
pub(crate) enum Appended {
    /// The events were appended, and the log holds so many now.
    Now(u64),
    /// The log holds another number of events than expected. Where it has events with all the numbers that were to
    /// be appended, they are the `present` ones: the append may be a repeat.
    Not { found: u64, present: Option<Vec<(i64, String)>> },
}

impl Appended {
    /// The length of the log, if the append has succeeded now or before.
    pub(crate) fn length(self, session: &str, expected: u64, events: &[Event]) -> Result<u64, StoreError> {
        let (found, present) = match self {
            Self::Now(length) => return Ok(length),
            Self::Not { found, present } => (found, present),
        };
        match present {
            Some(present) if parse(session, expected, &present)? == events => Ok(found),
            _ => Err(StoreError::Conflict { session: session.to_owned(), expected, found }),
        }
    }
}

pub(crate) fn write(events: &[Event]) -> Result<Vec<String>, StoreError> {
    let texts = events.iter().map(serde_json::to_string).collect::<Result<_, _>>();
    texts.map_err(|error| StoreError::Failed(format!("an event cannot be written: {error}")))
}

/// Reads texts that have the numbers from one on.
pub(crate) fn parse(session: &str, from: u64, texts: &[(i64, String)]) -> Result<Vec<Event>, StoreError> {
    (from..)
        .zip(texts)
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

/// A number as a database's integer, which has 63 bits and a sign; larger counts and times are cut to the largest.
pub(crate) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// An event's hash is not the one that follows from the event and those before it.
pub(crate) fn altered(session: &str, number: u64) -> StoreError {
    StoreError::Damaged(format!(
        "session {session}: the hash of event {number} does not follow from the event and those before it; an event \
         was altered, removed or moved after it was stored. Restore a copy of the store"
    ))
}

/// What databases call an occupancy.
pub(crate) fn name(occupancy: Occupancy) -> &'static str {
    match occupancy {
        Occupancy::Free => "free",
        Occupancy::Held => "held",
        Occupancy::Done => "done",
    }
}

/// The occupancy of a name; the databases' own checks admit no other.
pub(crate) fn occupancy(name: &str) -> Option<Occupancy> {
    [Occupancy::Free, Occupancy::Held, Occupancy::Done].into_iter().find(|one| self::name(*one) == name)
}
