//! The database file: recognizing a store, and creating its tables.

use std::path::Path;
use std::time::Duration;

use hype_core::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::rows;
use crate::sqlite::fault;

/// `HYPE` in ASCII, which SQLite keeps in the file's header. It distinguishes a store from other databases.
const APPLICATION: i64 = 0x4859_5045;

/// The tables of a store.
const SCHEMA: &str = include_str!("schema.sql");

/// The end of the ledger, which stores that 0.1.0 created do not have.
const HEAD: &str = include_str!("head.sql");

/// The version of the tables.
const VERSION: i64 = 6;

/// The time for which a write waits for a write of another process.
const PATIENCE: Duration = Duration::from_secs(5);

/// The page cache of the writing connection in KiB, enough for the last pages of some thousand sessions.
const CACHE: i64 = 16 * 1024;

/// The number of pages in the write-ahead log before they are moved into the file, about 64 MiB.
const CHECKPOINT: i64 = 16_000;

/// The number of compiled statements that a connection caches, which is more than there are.
const STATEMENTS: usize = 64;

/// A file cannot be opened.
pub(super) struct Refusal {
    pub(super) error: StoreError,
    /// Whether the reason is that the place is not writable.
    pub(super) is_read_only: bool,
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        let is_read_only = matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
        );
        Self { error: fault(error), is_read_only }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self { error, is_read_only: false }
    }
}

impl From<Refusal> for StoreError {
    fn from(refusal: Refusal) -> Self {
        refusal.error
    }
}

impl Refusal {
    fn at(self, path: &Path) -> Self {
        let error = located(path, self.error);
        Self { error, ..self }
    }
}

/// Adds the path of the file to an error.
pub(super) fn located(path: &Path, error: StoreError) -> StoreError {
    let at = |reason: String| format!("{}: {reason}", path.display());
    match error {
        StoreError::Damaged { reason, source } => StoreError::Damaged { reason: at(reason), source },
        StoreError::Unavailable { reason, source } => StoreError::Unavailable { reason: at(reason), source },
        StoreError::Full { reason, source } => StoreError::Full { reason: at(reason), source },
        StoreError::Failed { reason, source } => StoreError::Failed { reason: at(reason), source },
        other => other,
    }
}

/// Opens a store's file, and creates its tables if it is empty. Nothing is written to other kinds of files.
pub(super) fn open(path: &Path, create: bool) -> Result<Connection, Refusal> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, create);
    let open = || {
        let mut connection = connect(path, flags)?;
        is_empty(&connection)?;
        configure(&connection)?;
        create_tables(&mut connection)?;
        Ok(connection)
    };
    open().map_err(|refusal: Refusal| refusal.at(path))
}

/// Ways to open a file only for reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// While other processes may write to it. Readers of a write-ahead log write marks into a file next to it.
    Shared,
    /// Without write permission, relying on the marks of a program with write permission.
    Marked,
    /// On a read-only medium, as an immutable file.
    Unchanging,
}

/// Opens an existing store file only for reading.
pub(super) fn open_reader(path: &Path, reading: Reading) -> Result<Connection, Refusal> {
    let open = || {
        let connection = match reading {
            Reading::Shared => connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?,
            Reading::Marked => connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
            Reading::Unchanging => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
                connect(Path::new(&unchanging(path)), flags)?
            }
        };
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    };
    open().map_err(|refusal: Refusal| refusal.at(path))
}

/// Whether a file on a read-only medium has no tables yet.
pub(super) fn is_empty_at(path: &Path, reading: Reading) -> Result<bool, Refusal> {
    is_empty(&open_reader(path, reading)?).map_err(|refusal| refusal.at(path))
}

/// The URI of a file with which SQLite neither looks for a log next to it nor locks it.
fn unchanging(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri + "?immutable=1"
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, Refusal> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Otherwise a statement is recompiled for each new parameter value that a query plan could depend on.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Whether the file has no tables yet. Other files than stores of this version are refused.
fn is_empty(connection: &Connection) -> Result<bool, Refusal> {
    let header = || -> rusqlite::Result<(i64, i64, i64)> {
        Ok((
            connection.pragma_query_value(None, "application_id", |row| row.get(0))?,
            connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?,
        ))
    };
    let header = header().map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            StoreError::failed("not a store of hype: it is not an SQLite database".into()).into()
        }
        _ => Refusal::from(error),
    })?;
    let refused = match header {
        (0, 0, 0) => return Ok(true),
        (APPLICATION, VERSION, _) => return Ok(false),
        (APPLICATION, version, _) if version < 1 => StoreError::damaged(format!(
            "its tables have the version {version}, which no version of hype writes"
        )),
        (APPLICATION, version, _) => StoreError::failed(rows::other_version(version, VERSION)),
        _ => StoreError::failed("not a store of hype: it is another SQLite database".into()),
    };
    Err(refused.into())
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // For macOS, where fsync leaves data in the drive's cache.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    // With many concurrent raters, each answer goes to a different page of the file. These settings keep the pages in
    // memory and collect several answers on each page before it is moved from the log into the file.
    connection.pragma_update(None, "cache_size", -CACHE)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT)?;
    // Forgotten data are overwritten.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// Whether the store keeps the end of its ledger.
pub(super) fn has_head(connection: &Connection) -> rusqlite::Result<bool> {
    let select = "SELECT count(*) FROM sqlite_schema WHERE name = 'ledger_head'";
    connection.prepare_cached(select)?.query_row([], |row| row.get(0)).map(|found: i64| found > 0)
}

fn create_tables(connection: &mut Connection) -> Result<(), Refusal> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Asked again under the lock, as another process may have created them in the meantime.
    if !is_empty(&transaction)? {
        if !has_head(&transaction)? {
            transaction.execute_batch(HEAD)?;
        }
        return Ok(transaction.commit()?);
    }
    transaction.execute_batch(SCHEMA)?;
    transaction.execute_batch(HEAD)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    Ok(transaction.commit()?)
}
