//! The file: telling a store from other files, and bringing it to this version's tables.

use std::path::Path;
use std::time::Duration;

use hype_core::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::sqlite::fault;

/// `HYPE` in ASCII: SQLite keeps it in the file's header, which distinguishes a store from other databases.
const APPLICATION: i64 = 0x4859_5045;

/// What makes each version from the one before it, from an empty file on.
const MIGRATIONS: [&str; VERSION] = [include_str!("v1.sql"), include_str!("v2.sql"), include_str!("v3.sql")];

/// This version of the tables.
pub(super) const VERSION: usize = 3;

/// How long a write waits for another process's.
const PATIENCE: Duration = Duration::from_secs(5);

/// How much of the file the connection that writes keeps in memory, in KiB: the last pages of some thousand sessions.
const CACHE: i64 = 16 * 1024;

/// How many pages the write-ahead log holds before they are moved into the file: about 64 MiB.
const CHECKPOINT: i64 = 16_000;

/// How many statements a connection keeps compiled: more than there are.
const STATEMENTS: usize = 64;

/// A file cannot be opened.
pub(super) struct Refusal {
    pub(super) error: StoreError,
    /// Whether the reason is that nothing can be written there.
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

/// An error with the file that it happened at.
pub(super) fn located(path: &Path, error: StoreError) -> StoreError {
    let at = |reason: String| format!("{}: {reason}", path.display());
    match error {
        StoreError::Damaged(reason) => StoreError::Damaged(at(reason)),
        StoreError::Unavailable(reason) => StoreError::Unavailable(at(reason)),
        StoreError::Failed(reason) => StoreError::Failed(at(reason)),
        other => other,
    }
}

/// Opens a store's file, and makes or migrates its tables. Nothing is written to a file of something else.
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

/// How a file is opened for reading alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// While others may write to it. A reader of a write-ahead log writes marks into a file beside it.
    Shared,
    /// Without permission to write, by the marks of a program that has it.
    Marked,
    /// On a read-only medium, as a file that nobody changes.
    Unchanging,
}

/// Opens a store's file, which is there and migrated, for reading alone.
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

/// The version of a file's tables on a medium that cannot be written to.
pub(super) fn version_of(path: &Path, reading: Reading) -> Result<usize, Refusal> {
    version(&open_reader(path, reading)?).map_err(|refusal| refusal.at(path))
}

/// The file at a path as a URI by which SQLite neither looks for a log beside it nor locks it.
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
    // Otherwise a statement is compiled again for each new value that a plan could depend on.
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
            _ => StoreError::Damaged(format!("its tables have the version {version}, which no hype writes")),
        },
        _ => StoreError::Failed("not a store of hype: it is a database of something else".into()),
    };
    Err(refused.into())
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // On macOS, where fsync alone leaves data in the drive's cache.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    // With many raters at once each answer goes to another page of the file: room for the pages that are written to
    // again and again, and several answers on each before it is moved from the log into the file.
    connection.pragma_update(None, "cache_size", -CACHE)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT)?;
    // What is forgotten is overwritten.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "foreign_keys", true)
}

fn migrate(connection: &mut Connection) -> Result<(), Refusal> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Asked again under the lock, as another process may have migrated in between.
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
