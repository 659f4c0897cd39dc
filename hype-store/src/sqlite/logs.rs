//! The logs of sessions.

use std::sync::Arc;

use hype_core::{Event, StoreError};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::chain::{self, Chain};
use crate::rows::{self, Appended, altered, integer};
use crate::sqlite::fault;
use crate::sqlite::forms::{Entry, FORMS_AT_MOST, Forms, KnownForm, PLAIN};

/// The keys of a session's entries begin at its id times this number.
pub(super) const SESSION: i64 = 1 << 32;

/// The number of events in the log of an erased session.
const REMAINS: u64 = 2;

/// Forms that an append found in or added to the store, with their ids.
pub(super) type Learned = Vec<(i64, Arc<KnownForm>)>;

/// The last event of a session's log.
struct Last {
    number: i64,
    /// `None` if it was written without a hash.
    chain: Option<Chain>,
}

/// Appends entries if the log holds `expected` events.
pub(super) fn append(
    connection: &Connection,
    forms: &Forms,
    session: &str,
    expected: u64,
    entries: &[Entry],
) -> Result<(Appended, Learned), StoreError> {
    let id = id(connection, session).map_err(fault)?;
    let last = match id {
        Some(id) => last(connection, id).map_err(fault)?,
        None => None,
    };
    let found = last.as_ref().map_or(0, |last| last.number.unsigned_abs() + 1);
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
            let chain = match (id, last) {
                (Some(id), Some(last)) => chain_of(connection, id, session, &last).map_err(fault)?,
                _ => Chain::of(session),
            };
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
    match last(connection, id)? {
        Some(last) => Ok((last.number.unsigned_abs() + 1, chain_of(connection, id, session, &last)?)),
        None => Ok((0, Chain::of(session))),
    }
}

/// The hash of a session's last event, computed if it was written without one.
fn chain_of(connection: &Connection, id: i64, session: &str, last: &Last) -> rusqlite::Result<Chain> {
    match last.chain {
        Some(chain) => Ok(chain),
        None => plain_chain(connection, id, session),
    }
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

/// The number of sessions without any hashed event.
pub(super) fn unchained(connection: &Connection) -> rusqlite::Result<u64> {
    let mut count = connection.prepare_cached(
        "SELECT count(*) FROM sessions WHERE EXISTS (SELECT 1 FROM events WHERE session = sessions.id) \
         AND NOT EXISTS (SELECT 1 FROM entries WHERE entry BETWEEN sessions.id << 32 AND (sessions.id << 32) + 4294967295)",
    )?;
    count.query_row([], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
}

pub(super) fn id(connection: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    let mut select = connection.prepare_cached("SELECT id FROM sessions WHERE name = ?1")?;
    select.query_row([name], |row| row.get(0)).optional()
}

fn last(connection: &Connection, id: i64) -> rusqlite::Result<Option<Last>> {
    let mut entries = connection.prepare_cached(
        "SELECT entry, chain FROM entries WHERE entry BETWEEN ?1 AND ?2 ORDER BY entry DESC LIMIT 1",
    )?;
    let last = entries.query_row([id * SESSION, id * SESSION + (SESSION - 1)], |row| {
        let (entry, chain): (i64, i64) = (row.get(0)?, row.get(1)?);
        Ok(Last { number: entry % SESSION, chain: Some(Chain::from_integer(chain)) })
    });
    if let Some(last) = last.optional()? {
        return Ok(Some(last));
    }
    let mut events = connection.prepare_cached("SELECT max(number) FROM events WHERE session = ?1")?;
    let number: Option<i64> = events.query_row([id], |row| row.get(0))?;
    Ok(number.map(|number| Last { number, chain: None }))
}

/// The numbers and texts of events that were written before entries were introduced.
fn plain(connection: &Connection, id: i64) -> rusqlite::Result<Vec<(i64, String)>> {
    let mut select =
        connection.prepare_cached("SELECT number, event FROM events WHERE session = ?1 ORDER BY number")?;
    let rows = select.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

fn plain_chain(connection: &Connection, id: i64, session: &str) -> rusqlite::Result<Chain> {
    let (texts, form) = (plain(connection, id)?, chain::form(""));
    Ok(texts.iter().fold(Chain::of(session), |chain, (_, text)| chain.then(&form, text.as_bytes())))
}

/// Verifies the hashes of all events of a session and passes their numbers and texts to `each`.
fn each_text(
    connection: &Connection,
    forms: &Forms,
    id: i64,
    session: &str,
    mut each: impl FnMut(i64, &str) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let plain = plain(connection, id).map_err(fault)?;
    for (number, text) in &plain {
        each(*number, text)?;
    }
    let without_form = chain::form("");
    let before = erased_chain(connection, id).map_err(fault)?;
    let mut link = before.map_or_else(|| Chain::of(session), Chain::erased);
    let mut select = connection
        .prepare_cached(
            "SELECT entry, form, \"values\", chain FROM entries WHERE entry BETWEEN ?1 AND ?2 ORDER BY entry",
        )
        .map_err(fault)?;
    let mut rows = select.query([id * SESSION, id * SESSION + (SESSION - 1)]).map_err(fault)?;
    let mut first = true;
    // Most events have the form of the event before.
    let mut current: Option<(i64, Arc<KnownForm>)> = None;
    let mut joined = Vec::new();
    while let Some(row) = rows.next().map_err(fault)? {
        if std::mem::take(&mut first) {
            link = plain.iter().fold(link, |link, (_, text)| link.then(&without_form, text.as_bytes()));
        }
        let read = || Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get_ref(2)?.as_blob()?, row.get(3)?));
        let (entry, form, values, chain): (i64, i64, &[u8], i64) = read().map_err(fault)?;
        let number = entry % SESSION;
        let unreadable = |reason: &str| {
            StoreError::Damaged(format!("session {session}, event {number} cannot be read: {reason}"))
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
