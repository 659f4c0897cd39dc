//! The numbered logs of a study as a whole.

use hype_core::StoreError;
use hype_core::plugin::store::{Entries, Logged};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_postgres::{Error, Row};

use crate::journal::{self, EntryText, Head, Journal};
use crate::postgres::fault::fault;
use crate::postgres::{PostgresStore, all, one};
use crate::rows::integer;

impl PostgresStore {
    /// Appends an entry if the log has `expected` entries. Returns the position after it.
    pub(super) async fn append_to_journal<T: Logged + Serialize>(
        &self,
        journal: &'static Journal<T>,
        entry: &T,
        expected: u64,
    ) -> Result<u64, StoreError> {
        let (table, number, text) = (journal.table, integer(expected), journal::write(entry)?);
        let append = self.run(async move |client| {
            let append = "SELECT append_to_journal($1, $2, $3)";
            one(&client, append, &[&table, &number, &text]).await?.try_get::<_, bool>(0)
        });
        if append.await? {
            return Ok(expected + 1);
        }
        let found = self.count(format!("SELECT coalesce(max(number) + 1, 0) FROM {table}")).await?;
        Err(T::LOG.conflict(expected, found))
    }

    /// The entries of a log from a number on, and the number for the next call.
    pub(super) async fn journal<T: Logged + DeserializeOwned>(
        &self,
        journal: &'static Journal<T>,
        from: u64,
        entries: fn(Vec<T>) -> Entries,
    ) -> Result<(Entries, u64), StoreError> {
        let (select, before) = (journal.select_from("$1"), integer(from.saturating_sub(1)));
        let head = match journal.head {
            Some(table) => {
                let select = format!("SELECT entries, chain FROM {table}");
                self.run(async move |client| all(&client, &select, &[]).await).await?
            }
            None => Vec::new(),
        };
        let head = head.first().map(end).transpose().map_err(fault)?;
        let rows = self.run(async move |client| all(&client, &select, &[&before]).await).await?;
        let rows = rows.iter().map(text).collect::<Result<Vec<_>, Error>>().map_err(fault)?;
        let found = journal.read(from, &rows, head)?;
        let end = from + found.len() as u64;
        Ok((entries(found), end))
    }
}

fn text(row: &Row) -> Result<EntryText, Error> {
    Ok(EntryText { number: row.try_get(0)?, text: row.try_get(1)?, chain: hash(row.try_get(2)?) })
}

fn end(row: &Row) -> Result<Head, Error> {
    Ok(Head { entries: row.try_get(0)?, chain: hash(row.try_get(1)?) })
}

/// A hash of another length is that of no entry.
fn hash(stored: Vec<u8>) -> i64 {
    stored.try_into().map_or(0, i64::from_be_bytes)
}
