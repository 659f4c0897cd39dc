//! Reading connections, in addition to the writing one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hype_core::StoreError;
use rusqlite::Connection;

use crate::sqlite::fault;
use crate::sqlite::file::{self, Reading};
use crate::sqlite::presence::Presence;

/// The maximum number of idle connections.
const IDLE: usize = 4;

/// Reads without waiting for writers or for other readers.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    reading: Reading,
    /// `None` for files that are open only for reading.
    presence: Option<Arc<Presence>>,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    /// Opens the first connection to an existing store file.
    pub(super) fn open(
        path: &Path,
        reading: Reading,
        presence: Option<Arc<Presence>>,
    ) -> Result<Self, StoreError> {
        // Later connections open the same file even if the working directory has changed.
        let path = path.canonicalize().map_err(|error| {
            StoreError::failed(format!("{} cannot be reopened: {error}", path.display())).caused_by(error)
        })?;
        let first = file::open_reader(&path, reading)?;
        Ok(Self { path, reading, presence, idle: Mutex::new(vec![first]) })
    }

    /// Runs `read` with its own connection, in one transaction: what it reads is of one moment, and the file is locked
    /// once instead of for each statement.
    ///
    /// Fails if the file is gone: callers consider what they read durable.
    pub(super) fn read<R>(
        &self,
        read: impl FnOnce(&Connection) -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        self.presence.as_ref().map_or(Ok(()), |presence| presence.check())?;
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => file::open_reader(&self.path, self.reading)?,
        };
        let execute = |statement| {
            let executed =
                connection.prepare_cached(statement).and_then(|mut statement| statement.execute([]));
            executed.map_err(|error| file::located(&self.path, fault(error)))
        };
        execute("BEGIN")?;
        let result = read(&connection).map_err(|error| file::located(&self.path, error));
        execute("ROLLBACK")?;
        let mut idle = self.idle();
        if idle.len() < IDLE {
            idle.push(connection);
        }
        result
    }

    /// No panic can leave the list in an inconsistent state, so a poisoned lock is safe to use.
    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
