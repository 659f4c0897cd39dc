//! Events and changes of places as the rows that databases keep.

use hype_core::plugin::store::{Entries, Log};
use hype_core::protocol::places::Occupancy;
use hype_core::{Event, StoreError};

/// The result of an append to a database.
#[derive(Clone)]
pub(crate) enum Appended {
    /// The events were appended, and the log now has this length.
    Now(u64),
    /// The log has a different length than expected. If it already has events at all positions of the append, these are
    /// `present`, and the append may be a repeat.
    Not { found: u64, present: Option<Vec<(i64, String)>> },
    /// The answers of the session were erased.
    Erased,
}

impl Appended {
    /// The length of the log, if the append succeeded now or earlier.
    pub(crate) fn length(self, session: &str, expected: u64, events: &[Event]) -> Result<u64, StoreError> {
        let (found, present) = match self {
            Self::Now(length) => return Ok(length),
            Self::Not { found, present } => (found, present),
            Self::Erased => return Err(StoreError::Erased { session: session.to_owned() }),
        };
        match present {
            Some(present) if parse(session, expected, &present)? == events => Ok(found),
            _ => Err(Log::Session(session).conflict(expected, found)),
        }
    }
}

pub(crate) fn write(events: &[Event]) -> Result<Vec<String>, StoreError> {
    let texts = events.iter().map(serde_json::to_string).collect::<Result<_, _>>();
    texts.map_err(|error| StoreError::failed(format!("an event cannot be written: {error}")).caused_by(error))
}

/// Parses texts with consecutive numbers from `from`.
pub(crate) fn parse(session: &str, from: u64, texts: &[(i64, String)]) -> Result<Vec<Event>, StoreError> {
    (from..).zip(texts).map(|(expected, (number, text))| event(session, expected, *number, text)).collect()
}

/// Parses an event, whose number must be the expected one.
pub(crate) fn event(session: &str, expected: u64, number: i64, text: &str) -> Result<Event, StoreError> {
    if number != integer(expected) {
        return Err(StoreError::damaged(format!("session {session} has no event {expected}")));
    }
    serde_json::from_str(text).map_err(|error| {
        StoreError::damaged(format!("session {session}, event {number} cannot be read: {error}"))
            .caused_by(error)
    })
}

/// The events of a session from a position on, and the length of its log.
pub(crate) fn from_on(mut events: Vec<Event>, from: u64) -> (Entries, u64) {
    let end = events.len();
    let from = usize::try_from(from).unwrap_or(end).min(end);
    (Entries::Events(events.split_off(from)), end as u64)
}

/// A number as a signed 64-bit integer of a database; larger counts and times are clamped.
pub(crate) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The error for an event whose hash does not follow from it and the events before it.
pub(crate) fn altered(session: &str, number: u64) -> StoreError {
    StoreError::damaged(format!(
        "session {session}: the hash of event {number} does not follow from the event and those before it; an event \
         was altered, removed or moved after it was stored. Restore a copy of the store"
    ))
}

/// The error for a session that was opened and has no events.
pub(crate) fn removed(session: &str) -> StoreError {
    StoreError::damaged(format!(
        "session {session}: all of its events were removed, and not by erasing its answers. Restore a copy of the store"
    ))
}

/// Why tables of another version than the own one are refused.
pub(crate) fn other_version(found: i64, own: i64) -> String {
    let by = if found > own { "a newer hype" } else { "an older hype" };
    format!("written by {by}: its tables have version {found}, and this program reads version {own}")
}

/// The name of an occupancy in databases.
pub(crate) fn name(occupancy: Occupancy) -> &'static str {
    match occupancy {
        Occupancy::Free => "free",
        Occupancy::Held => "held",
        Occupancy::Done => "done",
    }
}

/// The occupancy with a name; constraints of the databases admit no other names.
pub(crate) fn occupancy(name: &str) -> Option<Occupancy> {
    [Occupancy::Free, Occupancy::Held, Occupancy::Done].into_iter().find(|one| self::name(*one) == name)
}
