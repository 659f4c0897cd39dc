//! The database file: recognizing a store, and migrating it to the current version.

use std::path::Path;
use std::time::Duration;

use hype_core::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::sqlite::fault;

/// `HYPE` in ASCII, which SQLite keeps in the file's header. It distinguishes a store from other databases.
const APPLICATION: i64 = 0x4859_5045;

/// The statements that lead from each version to the next, beginning with an empty file.
const MIGRATIONS: [&str; VERSION] = [
    include_str!("v1.sql"),
    include_str!("v2.sql"),
    include_str!("v3.sql"),
    include_str!("v4.sql"),
    include_str!("v5.sql"),
    include_str!("v6.sql"),
];

/// The current version of the tables.
pub(super) const VERSION: usize = 6;

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
        StoreError::Damaged(reason) => StoreError::Damaged(at(reason)),
        StoreError::Unavailable(reason) => StoreError::Unavailable(at(reason)),
        StoreError::Full(reason) => StoreError::Full(at(reason)),
        StoreError::Failed(reason) => StoreError::Failed(at(reason)),
        other => other,
    }
}

/// Opens a store's file, and creates or migrates its tables. Nothing is written to other kinds of files.
pub(super) fn open(path: &Path, create: bool) -> Result<Connection, Refusal> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, create);
    let open = || {
        let mut connection = connect(path, flags)?;
        version(&connection)?;
        configure(&connection)?;
        migrate(&mut connection)?;
        Ok(connection)
    };
    open().map_err(|refusal: Refusal| refusal.at(path))
}

/// Ways to open a file only for reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// While other processes may write to it. Readers of a write-ahead log write marks into a file beside it.
    Shared,
    /// Without write permission, relying on the marks of a program with write permission.
    Marked,
    /// On a read-only medium, as an immutable file.
    Unchanging,
}

/// Opens an existing store file of the current version only for reading.
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

/// The version of the tables in a file on a read-only medium.
pub(super) fn version_of(path: &Path, reading: Reading) -> Result<usize, Refusal> {
    version(&open_reader(path, reading)?).map_err(|refusal| refusal.at(path))
}

/// The URI of a file with which SQLite neither looks for a log beside it nor locks it.
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

/// The version of the file's tables; 0 if it is empty.
fn version(connection: &Connection) -> Result<usize, Refusal> {
    let header = || -> rusqlite::Result<(i64, i64, i64)> {
        Ok((
            connection.pragma_query_value(None, "application_id", |row| row.get(0))?,
            connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?,
        ))
    };
    let header = header().map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            StoreError::Failed("not a store of hype: it is not an SQLite database".into()).into()
        }
        _ => Refusal::from(error),
    })?;
    let refused = match header {
        (0, 0, 0) => return Ok(0),
        (APPLICATION, version, _) => match usize::try_from(version) {
            Ok(version @ 1..) if version <= VERSION => return Ok(version),
            Ok(version @ 1..) => StoreError::Failed(format!(
                "written by a newer hype: its tables have version {version}, and this program knows those up to \
                 {VERSION}"
            )),
            _ => StoreError::Damaged(format!(
                "its tables have the version {version}, which no version of hype writes"
            )),
        },
        _ => StoreError::Failed("not a store of hype: it is another SQLite database".into()),
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

fn migrate(connection: &mut Connection) -> Result<(), Refusal> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again under the lock, as another process may have migrated in the meantime.
    let version = version(&transaction)?;
    if version == VERSION {
        return Ok(());
    }
    for migration in &MIGRATIONS[version..] {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION as i64)?;
    Ok(transaction.commit()?)
}
