//! Sessions whose answers were erased.

use hype_core::StoreError;
use hype_core::plugin::store::Log;
use rusqlite::{Connection, params};

use crate::sqlite::fault;
use crate::sqlite::forms::Entry;
use crate::sqlite::logs::{self, Learned};

/// The erasure of a log, with the entries that replace it.
pub(super) struct Replacement {
    pub(super) session: String,
    pub(super) expected: u64,
    pub(super) entries: Vec<Entry>,
}

/// Replaces logs. Those that were erased before stay as they are.
pub(super) fn erase(connection: &Connection, replacements: &[Replacement]) -> Result<Learned, StoreError> {
    let mut learned = Learned::new();
    for replacement in replacements {
        learned.extend(replace(connection, replacement)?);
    }
    Ok(learned)
}

fn replace(
    connection: &Connection,
    Replacement { session, expected, entries }: &Replacement,
) -> Result<Learned, StoreError> {
    let conflict = |found| Log::Session(session).conflict(*expected, found);
    let Some(id) = logs::id(connection, session).map_err(fault)? else { return Err(conflict(0)) };
    if logs::erased_chain(connection, id).map_err(fault)?.is_some() {
        return Ok(Learned::new());
    }
    let (found, chain) = logs::end(connection, id, session).map_err(fault)?;
    if found != *expected {
        return Err(conflict(found));
    }
    let replace = || {
        connection.execute(
            "INSERT INTO erasures (session, chain, done) VALUES (?1, ?2, 0)",
            params![id, chain.to_integer()],
        )?;
        connection.execute("DELETE FROM entries WHERE entry BETWEEN ?1 AND ?2", logs::keys_of(id))?;
        let learned = logs::insert(connection, Some(id), session, 0, chain.erased(), entries)?;
        connection.execute("UPDATE erasures SET done = 1 WHERE session = ?1", [id])?;
        Ok(learned)
    };
    replace().map_err(fault)
}

/// Rewrites the file without the pages that erased events were on, and empties the write-ahead log.
///
/// Overwriting deleted rows is not enough: when a page is split, copies of its rows can remain in the unused part.
pub(super) fn scrub(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch("VACUUM").map_err(fault)?;
    let busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).map_err(fault)?;
    match busy {
        false => Ok(()),
        true => Err(StoreError::unavailable(
            "what was erased is still in the write-ahead log, as another process reads the file".to_owned(),
        )),
    }
}
