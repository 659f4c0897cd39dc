//! A store in one SQLite file.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use hype_core::store::{Claim, Lease};
use hype_core::{Digest, Event, Micros, Store, StoreError};
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Transaction, TransactionBehavior, params};

use crate::claims::{self, Held};

mod file;

/// Keeps logs in one SQLite file, `study.db` of a study's folder.
///
/// Each event is a row of JSON text that the database itself refuses to alter or delete. An append is one
/// transaction, on the disk when it returns: write-ahead log, `synchronous = FULL`. Any number of processes may
/// open the file at the same time.
///
/// # Examples
/// ```
/// use hype_backends::SqliteStore;
/// use hype_core::Store;
///
/// # pollster::block_on(async {
/// # let folder = tempfile::tempdir().unwrap();
/// let store = SqliteStore::open(folder.path().join("study.db"))?;
/// assert!(store.sessions(None, 10).await?.is_empty());
/// # Ok::<(), hype_core::StoreError>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct SqliteStore {
    connection: Mutex<Connection>,
}

impl SqliteStore {
    /// Opens a store's file, or makes it if there is none.
    ///
    /// # Errors
    /// If the file cannot be opened, is no store of hype, was written by a newer version, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Ok(Self { connection: Mutex::new(file::open(path.as_ref(), true)?) })
    }

    /// Opens a store's file that has to be there.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if there is no such file.
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Ok(Self { connection: Mutex::new(file::open(path.as_ref(), false)?) })
    }

    /// A panic in between has rolled its transaction back, so a poisoned lock is as good as a sound one.
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` in a transaction that nobody else writes beside, and commits it if `work` succeeds.
    fn write<R>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        let mut connection = self.connection();
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
        let result = work(&transaction)?;
        transaction.commit().map_err(fault)?;
        Ok(result)
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn bind(&self, study: Digest) -> Result<(), StoreError> {
        let wanted = study.to_string();
        let found: String = self.write(|transaction| {
            let insert = "INSERT INTO study (only_row, digest) VALUES (0, ?1) ON CONFLICT DO NOTHING";
            transaction.execute(insert, [&wanted]).map_err(fault)?;
            transaction.query_row("SELECT digest FROM study", [], |row| row.get(0)).map_err(fault)
        })?;
        if found == wanted {
            return Ok(());
        }
        Err(StoreError::AnotherStudy { found, wanted })
    }

    async fn append(&self, session: &str, expected: u64, events: &[Event]) -> Result<u64, StoreError> {
        let texts = events.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>();
        let texts =
            texts.map_err(|error| StoreError::Failed(format!("an event cannot be written: {error}")))?;
        self.write(|transaction| {
            let id = session_id(transaction, session).map_err(fault)?;
            let found = match id {
                Some(id) => length(transaction, id).map_err(fault)?,
                None => 0,
            };
            if found == expected {
                if !events.is_empty() {
                    insert(transaction, id, session, expected, &texts).map_err(fault)?;
                }
                return Ok(found + texts.len() as u64);
            }
            let repeated = match id {
                Some(id) if found >= expected.saturating_add(events.len() as u64) => {
                    let kept = texts_of(transaction, id, expected, events.len()).map_err(fault)?;
                    parse(session, expected, &kept)? == events
                }
                _ => false,
            };
            if repeated {
                return Ok(found);
            }
            Err(StoreError::Conflict { session: session.to_owned(), expected, found })
        })
    }

    async fn load(&self, session: &str) -> Result<Vec<Event>, StoreError> {
        let kept = {
            let connection = self.connection();
            match session_id(&connection, session).map_err(fault)? {
                Some(id) => texts_of(&connection, id, 0, usize::MAX).map_err(fault)?,
                None => Vec::new(),
            }
        };
        parse(session, 0, &kept)
    }

    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let connection = self.connection();
        let select = match after {
            Some(_) => "SELECT name FROM sessions WHERE name > ?1 ORDER BY name LIMIT ?2",
            None => "SELECT name FROM sessions WHERE name >= ?1 ORDER BY name LIMIT ?2",
        };
        let names = || -> rusqlite::Result<Vec<String>> {
            let mut statement = connection.prepare_cached(select)?;
            let rows = statement
                .query_map(params![after.unwrap_or_default(), integer(limit as u64)], |row| row.get(0))?;
            rows.collect()
        };
        names().map_err(fault)
    }

    async fn claim(&self, lease: &Lease<'_>) -> Result<Claim, StoreError> {
        self.write(|transaction| {
            let held = held(transaction, lease.place).map_err(fault)?;
            let (claim, held) = claims::claim(held.as_ref(), lease);
            if let Some(held) = held {
                let upsert = "INSERT INTO claims (place, holder, until, done) VALUES (?1, ?2, ?3, 0) \
                              ON CONFLICT DO UPDATE SET holder = excluded.holder, until = excluded.until";
                let row = params![lease.place, held.holder, integer(held.until.0)];
                transaction.execute(upsert, row).map_err(fault)?;
            }
            Ok(claim)
        })
    }

    async fn release(&self, place: u32, holder: &str, done: bool) -> Result<(), StoreError> {
        self.write(|transaction| {
            if claims::may_release(held(transaction, place).map_err(fault)?.as_ref(), holder) {
                let change = if done {
                    "UPDATE claims SET done = 1 WHERE place = ?1"
                } else {
                    "DELETE FROM claims WHERE place = ?1"
                };
                transaction.execute(change, [place]).map_err(fault)?;
            }
            Ok(())
        })
    }
}

fn session_id(connection: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
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
    transaction: &Transaction<'_>,
    id: Option<i64>,
    session: &str,
    from: u64,
    texts: &[String],
) -> rusqlite::Result<()> {
    let id = match id {
        Some(id) => id,
        None => transaction.prepare_cached("INSERT INTO sessions (name) VALUES (?1)")?.insert([session])?,
    };
    let mut insert =
        transaction.prepare_cached("INSERT INTO events (session, number, event) VALUES (?1, ?2, ?3)")?;
    for (number, text) in (from..).zip(texts) {
        insert.execute(params![id, integer(number), text])?;
    }
    Ok(())
}

fn parse(session: &str, from: u64, kept: &[(i64, String)]) -> Result<Vec<Event>, StoreError> {
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

fn held(connection: &Connection, place: u32) -> rusqlite::Result<Option<Held>> {
    let mut select = connection.prepare_cached("SELECT holder, until, done FROM claims WHERE place = ?1")?;
    select
        .query_row([place], |row| {
            let until: i64 = row.get(1)?;
            Ok(Held { holder: row.get(0)?, until: Micros(until.unsigned_abs()), done: row.get(2)? })
        })
        .optional()
}

/// SQLite's integers have 63 bits and a sign; a count or a time beyond them is as good as the largest.
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[expect(clippy::needless_pass_by_value, reason = "for use with map_err")]
fn fault(error: rusqlite::Error) -> StoreError {
    let text = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            StoreError::Unavailable(text)
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged(text),
        Some(_) => StoreError::Failed(text),
        None if matches!(
            error,
            rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
        ) =>
        {
            StoreError::Damaged(text)
        }
        None => StoreError::Failed(text),
    }
}
