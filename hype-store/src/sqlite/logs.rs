//! The logs of sessions.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::texts::{Appended, integer};

/// Appends the texts of events if the log holds `expected` events.
pub(super) fn append(
    connection: &Connection,
    session: &str,
    expected: u64,
    texts: &[String],
) -> rusqlite::Result<Appended> {
    let id = id(connection, session)?;
    let found = match id {
        Some(id) => length(connection, id)?,
        None => 0,
    };
    if found == expected {
        if !texts.is_empty() {
            insert(connection, id, session, expected, texts)?;
        }
        return Ok(Appended::Now(found + texts.len() as u64));
    }
    let kept = match id {
        Some(id) if found >= expected.saturating_add(texts.len() as u64) => {
            Some(texts_of(connection, id, expected, texts.len())?)
        }
        _ => None,
    };
    Ok(Appended::Not { found, kept })
}

/// The numbers and texts of a session's events.
pub(super) fn load(connection: &Connection, session: &str) -> rusqlite::Result<Vec<(i64, String)>> {
    match id(connection, session)? {
        Some(id) => texts_of(connection, id, 0, usize::MAX),
        None => Ok(Vec::new()),
    }
}

pub(super) fn sessions(
    connection: &Connection,
    after: Option<&str>,
    limit: usize,
) -> rusqlite::Result<Vec<String>> {
    let mut select = connection.prepare_cached(match after {
        Some(_) => "SELECT name FROM sessions WHERE name > ?1 ORDER BY name LIMIT ?2",
        None => "SELECT name FROM sessions WHERE name >= ?1 ORDER BY name LIMIT ?2",
    })?;
    let rows =
        select.query_map(params![after.unwrap_or_default(), integer(limit as u64)], |row| row.get(0))?;
    rows.collect()
}

fn id(connection: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    let mut select = connection.prepare_cached("SELECT id FROM sessions WHERE name = ?1")?;
    select.query_row([name], |row| row.get(0)).optional()
}

fn length(connection: &Connection, id: i64) -> rusqlite::Result<u64> {
    let mut select =
        connection.prepare_cached("SELECT coalesce(max(number) + 1, 0) FROM events WHERE session = ?1")?;
    let length: i64 = select.query_row([id], |row| row.get(0))?;
    Ok(length.unsigned_abs())
}

/// The numbers and texts of at most `limit` events from one on.
fn texts_of(
    connection: &Connection,
    id: i64,
    from: u64,
    limit: usize,
) -> rusqlite::Result<Vec<(i64, String)>> {
    let mut select = connection.prepare_cached(
        "SELECT number, event FROM events WHERE session = ?1 AND number >= ?2 ORDER BY number LIMIT ?3",
    )?;
    let rows =
        select.query_map([id, integer(from), integer(limit as u64)], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

fn insert(
    connection: &Connection,
    id: Option<i64>,
    session: &str,
    from: u64,
    texts: &[String],
) -> rusqlite::Result<()> {
    let id = match id {
        Some(id) => id,
        None => connection.prepare_cached("INSERT INTO sessions (name) VALUES (?1)")?.insert([session])?,
    };
    let mut insert =
        connection.prepare_cached("INSERT INTO events (session, number, event) VALUES (?1, ?2, ?3)")?;
    for (number, text) in (from..).zip(texts) {
        insert.execute(params![id, integer(number), text])?;
    }
    Ok(())
}
