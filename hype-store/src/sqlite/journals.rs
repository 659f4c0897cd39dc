//! The numbered logs of a study as a whole.

use hype_core::StoreError;
use hype_core::plugin::store::{Entries, Logged};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::chain::Chain;
use crate::journal::{self, EntryText, Head, Journal};
use crate::rows::integer;
use crate::sqlite::file::has_head;
use crate::sqlite::{SqliteStore, fault};

impl SqliteStore {
    /// Appends an entry if the log has `expected` entries. Returns the position after it.
    pub(super) async fn append_to_journal<T: Logged + Serialize>(
        &self,
        journal: &'static Journal<T>,
        entry: &T,
        expected: u64,
    ) -> Result<u64, StoreError> {
        let text = journal::write(entry)?;
        let append =
            move |connection: &Connection| append(connection, journal, &text, expected).map_err(fault);
        self.writer()?.write(append).await?.map_err(|found| T::LOG.conflict(expected, found))
    }
}

/// The entries of a log from a number on, and the number for the next call.
pub(super) fn read<T: Logged + DeserializeOwned>(
    connection: &Connection,
    journal: &Journal<T>,
    from: u64,
    entries: fn(Vec<T>) -> Entries,
) -> Result<(Entries, u64), StoreError> {
    let head = head(connection, journal).map_err(fault)?;
    let found = journal.read(from, &texts(connection, journal, from).map_err(fault)?, head)?;
    let end = from + found.len() as u64;
    Ok((entries(found), end))
}

/// The end of a log, if the store keeps it.
fn head<T>(connection: &Connection, journal: &Journal<T>) -> rusqlite::Result<Option<Head>> {
    let Some(table) = journal.head else { return Ok(None) };
    if !has_head(connection)? {
        return Ok(None);
    }
    let select = format!("SELECT entries, chain FROM {table}");
    let head = connection
        .prepare_cached(&select)?
        .query_row([], |row| Ok(Head { entries: row.get(0)?, chain: row.get(1)? }));
    head.optional()
}

/// Appends a text if the log has `expected` entries, or finds it there. Returns the position after it, or else the log's
/// length.
fn append<T>(
    connection: &Connection,
    journal: &Journal<T>,
    text: &str,
    expected: u64,
) -> rusqlite::Result<Result<u64, u64>> {
    let Journal { table, column, .. } = journal;
    let select = format!("SELECT number, chain FROM {table} ORDER BY number DESC LIMIT 1");
    let last = connection.prepare_cached(&select)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)));
    let last: Option<(i64, i64)> = last.optional()?;
    let found = last.map_or(0, |(last, _)| last.unsigned_abs() + 1);
    if found == expected {
        let before = last.map_or_else(|| journal.begin(), |(_, chain)| Chain::from_integer(chain));
        let insert = format!("INSERT INTO {table} (number, {column}, chain) VALUES (?1, ?2, ?3)");
        let chain = journal::link(before, text).to_integer();
        connection.prepare_cached(&insert)?.execute(params![integer(expected), text, chain])?;
        return Ok(Ok(expected + 1));
    }
    let select = format!("SELECT {column} FROM {table} WHERE number = ?1");
    let there = connection.prepare_cached(&select)?.query_row([integer(expected)], |row| row.get(0));
    let there: Option<String> = there.optional()?;
    Ok(if there.as_deref() == Some(text) { Ok(expected + 1) } else { Err(found) })
}

/// The entries from a number on, and the one before.
fn texts<T>(connection: &Connection, journal: &Journal<T>, from: u64) -> rusqlite::Result<Vec<EntryText>> {
    let mut select = connection.prepare_cached(&journal.select_from("?1"))?;
    let rows = select.query_map([integer(from.saturating_sub(1))], |row| {
        Ok(EntryText { number: row.get(0)?, text: row.get(1)?, chain: row.get(2)? })
    });
    rows?.collect()
}
