//! The numbered logs of a study as a whole.

use hype_core::StoreError;
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::chain::Chain;
use crate::journal::{self, EntryText, Journal};
use crate::rows::integer;
use crate::sqlite::{SqliteStore, fault};

impl SqliteStore {
    /// Appends an entry if the log has `number` entries. Returns whether the entry with this number is the given one then.
    pub(super) async fn append_to_journal<T: Serialize + Sync>(
        &self,
        journal: &'static Journal<T>,
        number: u64,
        entry: &T,
    ) -> Result<bool, StoreError> {
        let text = journal.write(entry)?;
        let append = move |connection: &Connection| append(connection, journal, number, &text).map_err(fault);
        self.writer()?.write(append).await
    }

    /// The entries of a log from a number on.
    pub(super) fn journal<T: DeserializeOwned>(
        &self,
        journal: &Journal<T>,
        from: u64,
    ) -> Result<Vec<T>, StoreError> {
        self.readers.read(|connection| {
            let rows = texts(connection, journal, from).map_err(fault)?;
            journal.read(from, &rows)
        })
    }
}

fn append<T>(
    connection: &Connection,
    journal: &Journal<T>,
    number: u64,
    text: &str,
) -> rusqlite::Result<bool> {
    let Journal { table, column, .. } = journal;
    let select = format!("SELECT number, chain FROM {table} ORDER BY number DESC LIMIT 1");
    let last = connection.prepare_cached(&select)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)));
    let last: Option<(i64, i64)> = last.optional()?;
    if last.map_or(0, |(last, _)| last.unsigned_abs() + 1) == number {
        let before = last.map_or_else(|| journal.begin(), |(_, chain)| Chain::from_integer(chain));
        let insert = format!("INSERT INTO {table} (number, {column}, chain) VALUES (?1, ?2, ?3)");
        let chain = journal::link(before, text).to_integer();
        connection.prepare_cached(&insert)?.execute(params![integer(number), text, chain])?;
        return Ok(true);
    }
    let select = format!("SELECT {column} FROM {table} WHERE number = ?1");
    let found = connection.prepare_cached(&select)?.query_row([integer(number)], |row| row.get(0));
    let found: Option<String> = found.optional()?;
    Ok(found.as_deref() == Some(text))
}

/// The entries from a number on, and the one before.
fn texts<T>(connection: &Connection, journal: &Journal<T>, from: u64) -> rusqlite::Result<Vec<EntryText>> {
    let mut select = connection.prepare_cached(&journal.select_from("?1"))?;
    let rows = select.query_map([integer(from.saturating_sub(1))], |row| {
        Ok(EntryText { number: row.get(0)?, text: row.get(1)?, chain: row.get(2)? })
    });
    rows?.collect()
}
