//! The logs of sessions.

use std::sync::Arc;

use hype_core::{Event, StoreError};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::chain::{self, Chain};
use crate::rows::{self, Appended, altered, integer};
use crate::sqlite::fault;
use crate::sqlite::forms::{Entry, FORMS_AT_MOST, Forms, KnownForm, PLAIN};

/// The keys of a session's entries begin at its id times this number.
const SESSION: i64 = 1 << 32;

/// The number of events in the log of an erased session.
const REMAINS: u64 = 2;

/// Forms that an append found in or added to the store, with their ids.
pub(super) type Learned = Vec<(i64, Arc<KnownForm>)>;

/// Appends entries if the log holds `expected` events.
pub(super) fn append(
    connection: &Connection,
    forms: &Forms,
    session: &str,
    expected: u64,
    entries: &[Entry],
) -> Result<(Appended, Learned), StoreError> {
    let id = id(connection, session).map_err(fault)?;
    let (found, chain) = match id {
        Some(id) => end(connection, id, session).map_err(fault)?,
        None => (0, Chain::of(session)),
    };
    // An erased log has as many events as some others, but takes none.
    if let Some(id) = id
        && (found != expected || found == REMAINS)
        && erased_chain(connection, id).map_err(fault)?.is_some()
    {
        return Ok((Appended::Erased, Learned::new()));
    }
    if found == expected {
        let mut learned = Learned::new();
        if !entries.is_empty() {
            learned = insert(connection, id, session, expected, chain, entries).map_err(fault)?;
        }
        return Ok((Appended::Now(found + entries.len() as u64), learned));
    }
    let present = match id {
        Some(id) if found >= expected.saturating_add(entries.len() as u64) => {
            let mut texts = Vec::with_capacity(entries.len());
            each_text(connection, forms, id, session, |number, text| {
                if number >= integer(expected) && texts.len() < entries.len() {
                    texts.push((number, text.to_owned()));
                }
                Ok(())
            })?;
            Some(texts)
        }
        _ => None,
    };
    Ok((Appended::Not { found, present }, Learned::new()))
}

/// The hash of the last event that was erased from a session; `None` if it was not erased.
pub(super) fn erased_chain(connection: &Connection, id: i64) -> rusqlite::Result<Option<Chain>> {
    let mut select = connection.prepare_cached("SELECT chain FROM erasures WHERE session = ?1")?;
    select.query_row([id], |row| row.get(0).map(Chain::from_integer)).optional()
}

/// The length of a session's log, and the hash of its last event.
pub(super) fn end(connection: &Connection, id: i64, session: &str) -> rusqlite::Result<(u64, Chain)> {
    let mut last = connection.prepare_cached(
        "SELECT entry, chain FROM entries WHERE entry BETWEEN ?1 AND ?2 ORDER BY entry DESC LIMIT 1",
    )?;
    let end = last.query_row(keys_of(id), |row| {
        let entry: i64 = row.get(0)?;
        Ok(((entry % SESSION).unsigned_abs() + 1, Chain::from_integer(row.get(1)?)))
    });
    Ok(end.optional()?.unwrap_or_else(|| (0, Chain::of(session))))
}

/// The first and the last key that an entry of a session can have.
pub(super) fn keys_of(id: i64) -> [i64; 2] {
    [id * SESSION, id * SESSION + (SESSION - 1)]
}

/// The events of a session, whose hashes are verified.
pub(super) fn load(connection: &Connection, forms: &Forms, session: &str) -> Result<Vec<Event>, StoreError> {
    let mut events = Vec::new();
    if let Some(id) = id(connection, session).map_err(fault)? {
        each_text(connection, forms, id, session, |number, text| {
            events.push(rows::event(session, events.len() as u64, number, text)?);
            Ok(())
        })?;
        if events.is_empty() {
            return Err(rows::removed(session));
        }
    }
    Ok(events)
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

pub(super) fn id(connection: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    let mut select = connection.prepare_cached("SELECT id FROM sessions WHERE name = ?1")?;
    select.query_row([name], |row| row.get(0)).optional()
}

/// Verifies the hashes of all events of a session and passes their numbers and texts to `each`.
fn each_text(
    connection: &Connection,
    forms: &Forms,
    id: i64,
    session: &str,
    mut each: impl FnMut(i64, &str) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let without_form = chain::form("");
    let before = erased_chain(connection, id).map_err(fault)?;
    let mut link = before.map_or_else(|| Chain::of(session), Chain::erased);
    let mut select = connection
        .prepare_cached(
            "SELECT entry, form, \"values\", chain FROM entries WHERE entry BETWEEN ?1 AND ?2 ORDER BY entry",
        )
        .map_err(fault)?;
    let mut rows = select.query(keys_of(id)).map_err(fault)?;
    // Most events have the form of the event before.
    let mut current: Option<(i64, Arc<KnownForm>)> = None;
    let mut joined = Vec::new();
    while let Some(row) = rows.next().map_err(fault)? {
        let read = || Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get_ref(2)?.as_blob()?, row.get(3)?));
        let (entry, form, values, chain): (i64, i64, &[u8], i64) = read().map_err(fault)?;
        let number = entry % SESSION;
        let unreadable = |reason: &str| {
            StoreError::damaged(format!("session {session}, event {number} cannot be read: {reason}"))
        };
        let (hash, text) = if form == PLAIN {
            (without_form, Some(values))
        } else {
            if current.as_ref().is_none_or(|(id, _)| *id != form) {
                current = known(connection, forms, form)?.map(|known| (form, known));
            }
            let (_, form) = current.as_ref().ok_or_else(|| unreadable("its form is missing"))?;
            joined.clear();
            (form.hash, form.join(values, &mut joined).map(|()| joined.as_slice()))
        };
        link = link.then(&hash, values);
        if link != Chain::from_integer(chain) {
            return Err(altered(session, number.unsigned_abs()));
        }
        let text = text.and_then(|text| std::str::from_utf8(text).ok());
        each(number, text.ok_or_else(|| unreadable("its values do not match its form"))?)?;
    }
    Ok(())
}

/// The form with an id; `None` if the store has no such form.
fn known(connection: &Connection, forms: &Forms, id: i64) -> Result<Option<Arc<KnownForm>>, StoreError> {
    if let Some(form) = forms.find(id) {
        return Ok(Some(form));
    }
    let mut select = connection.prepare_cached("SELECT form FROM forms WHERE id = ?1").map_err(fault)?;
    let text: Option<String> = select.query_row([id], |row| row.get(0)).optional().map_err(fault)?;
    Ok(text.map(|text| {
        let form = Arc::new(KnownForm::new(text));
        forms.learn(id, &form);
        form
    }))
}

pub(super) fn insert(
    connection: &Connection,
    id: Option<i64>,
    session: &str,
    from: u64,
    mut chain: Chain,
    entries: &[Entry],
) -> rusqlite::Result<Learned> {
    let id = match id {
        Some(id) => id,
        None => connection.prepare_cached("INSERT INTO sessions (name) VALUES (?1)")?.insert([session])?,
    };
    let mut insert = connection
        .prepare_cached("INSERT INTO entries (entry, form, \"values\", chain) VALUES (?1, ?2, ?3, ?4)")?;
    let mut learned = Learned::new();
    for (number, entry) in (from..).zip(entries) {
        let key = id * SESSION + integer(number);
        let form = match entry.id {
            Some(form) => form,
            None => form_id(connection, &entry.form.text)?,
        };
        if form == PLAIN {
            // The split text can be joined again.
            let mut text = Vec::new();
            let joined = entry.form.join(&entry.values, &mut text);
            debug_assert!(joined.is_some(), "a split text is joined");
            chain = chain.then(&chain::form(""), &text);
            insert.execute(params![key, form, text, chain.to_integer()])?;
            continue;
        }
        if entry.id.is_none() {
            learned.push((form, Arc::clone(&entry.form)));
        }
        chain = chain.then(&entry.form.hash, &entry.values);
        insert.execute(params![key, form, entry.values, chain.to_integer()])?;
    }
    Ok(learned)
}

/// The id of a form, which is added to the store if it is new and there is room.
fn form_id(connection: &Connection, form: &str) -> rusqlite::Result<i64> {
    let mut select = connection.prepare_cached("SELECT id FROM forms WHERE form = ?1")?;
    if let Some(id) = select.query_row([form], |row| row.get(0)).optional()? {
        return Ok(id);
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO forms (form) SELECT ?1 WHERE (SELECT coalesce(max(id), 0) FROM forms) < ?2 RETURNING id",
    )?;
    Ok(insert.query_row(params![form, FORMS_AT_MOST], |row| row.get(0)).optional()?.unwrap_or(PLAIN))
}
