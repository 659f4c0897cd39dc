//! The file: telling a store from other files, and bringing it to this version's tables.

use std::path::Path;
use std::time::Duration;

use hype_core::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::sqlite::fault;

/// `HYPE` in ASCII: SQLite keeps it in the file's header, by which a store is told from other databases.
const APPLICATION: i64 = 0x4859_5045;

/// What makes each version from the one before it, from an empty file on.
const MIGRATIONS: [&str; 2] = [include_str!("v1.sql"), include_str!("v2.sql")];

/// How long a write waits for another process's.
const PATIENCE: Duration = Duration::from_secs(5);

/// How much of the file the connection that writes keeps in memory, in KiB: the last pages of some thousand sessions.
const CACHE: i64 = 16 * 1024;

/// How many pages the write-ahead log holds before they are moved into the file: about 64 MiB.
const CHECKPOINT: i64 = 16_000;

/// How many statements a connection keeps compiled: more than there are.
const STATEMENTS: usize = 64;

/// Opens a store's file, and makes or migrates its tables. Nothing is written to a file of something else.
pub(super) fn open(path: &Path, create: bool) -> Result<Connection, StoreError> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, create);
    let mut connection = connect(path, flags)?;
    version(&connection, path)?;
    configure(&connection).map_err(fault)?;
    migrate(&mut connection, path)?;
    Ok(connection)
}

/// Opens a store's file, which is there and migrated, for reading alone.
pub(super) fn open_reader(path: &Path) -> Result<Connection, StoreError> {
    // Whoever reads a write-ahead log writes marks beside it, so that the file itself is not opened read-only.
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "query_only", true).map_err(fault)?;
    Ok(connection)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| StoreError::Failed(format!("{} cannot be opened: {error}", path.display())))?;
    connection.busy_timeout(PATIENCE).map_err(fault)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Otherwise a statement is compiled again for each new value that a plan could depend on.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(fault)?;
    Ok(connection)
}

/// The version of the file's tables; 0 if it is empty.
fn version(connection: &Connection, path: &Path) -> Result<usize, StoreError> {
    let header = || -> rusqlite::Result<(i64, i64, i64)> {
        Ok((
            connection.pragma_query_value(None, "application_id", |row| row.get(0))?,
            connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?,
        ))
    };
    let path = path.display();
    let header = header().map_err(|error| match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => {
            StoreError::Failed(format!("{path} is no store of hype: it is no SQLite database"))
        }
        _ => fault(error),
    })?;
    match header {
        (0, 0, 0) => Ok(0),
        (APPLICATION, version, _) => match usize::try_from(version) {
            Ok(version @ 1..) if version <= MIGRATIONS.len() => Ok(version),
            Ok(version @ 1..) => Err(StoreError::Failed(format!(
                "{path} was written by a newer hype: its tables have version {version}, and this program knows \
                 those up to {}",
                MIGRATIONS.len()
            ))),
            _ => Err(StoreError::Damaged(format!("{path} names version {version} of its tables"))),
        },
        _ => {
            Err(StoreError::Failed(format!("{path} is no store of hype: it is a database of something else")))
        }
    }
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

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
    // Asked again under the lock, as another process may have migrated in between.
    let version = version(&transaction, path)?;
    if version == MIGRATIONS.len() {
        return Ok(());
    }
    let apply = || -> rusqlite::Result<()> {
        for migration in &MIGRATIONS[version..] {
            transaction.execute_batch(migration)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64)
    };
    apply().map_err(fault)?;
    transaction.commit().map_err(fault)
}
