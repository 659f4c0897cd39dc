//! A store in one SQLite file.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use hype_core::plugin::store::{Append, Entries, Erasure, Holders, Identity, Log, Registered};
use hype_core::{Digest, Event, Store, StoreError};
use rusqlite::{Connection, ErrorCode};

use self::copied::Copied;
use self::erasures::Replacement;
use self::file::Reading;
use self::forms::Forms;
use self::presence::Presence;
use self::readers::Readers;
use self::writer::Writer;
use crate::{journal, rows};

mod copied;
mod erasures;
mod file;
mod forms;
mod journals;
mod logs;
mod people;
mod places;
mod presence;
mod readers;
mod writer;

/// Keeps logs in one SQLite file, `study.db` of a study's folder.
///
/// Each event is a row that the database itself refuses to alter or delete, except to erase a session's answers. A row consists of the values of the event's
/// JSON, a reference to a form shared by events of its kind, and a hash that covers the row and the earlier rows of its
/// session. Changes are on disk when a call returns (write-ahead log, `synchronous = FULL`). Concurrent writes share a
/// commit, which a thread of the store executes; they can be awaited on any runtime and do not block it. Reads run on
/// the thread that polls them, without waiting for writers. Any number of processes may open the file at the same time.
///
/// If the file or its write-ahead log is deleted, moved or replaced, every call fails with [`StoreError::Gone`] until the
/// same file is back: what is written to a deleted file is lost when the program ends. (On Windows, open files cannot be
/// deleted.)
///
/// # Examples
/// ```
/// use hype_store::SqliteStore;
/// use hype_core::Store;
///
/// # hype_store::block_on(async {
/// # let folder = tempfile::tempdir().unwrap();
/// let store = SqliteStore::open(folder.path().join("study.db"))?;
/// assert!(store.sessions(None, 10).await?.is_empty());
/// # Ok::<(), hype_core::StoreError>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct SqliteStore {
    // The order of dropping matters: the last connection to close moves the write-ahead log into the file.
    readers: Readers,
    /// `None` if the store is open only for reading.
    writer: Option<Writer>,
    forms: Arc<Forms>,
    /// Removed after its connections are closed.
    _copy: Option<Copied>,
}

impl SqliteStore {
    /// Opens a store's file, and creates it if it does not exist.
    ///
    /// # Errors
    /// If the file cannot be opened, is not a store of hype, was written by another version, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::start(path.as_ref(), file::open(path.as_ref(), true)?)
    }

    /// Opens an existing store file.
    ///
    /// # Errors
    /// See [`open`](Self::open); also if the file does not exist.
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::start(path.as_ref(), file::open(path.as_ref(), false)?)
    }

    /// Opens an existing store file only for reading, possibly on a read-only medium. If a file on such a medium has
    /// no tables yet or a pending write-ahead log, it is copied to the system's folder for
    /// temporary files and read there.
    ///
    /// # Errors
    /// See [`open_existing`](Self::open_existing); also if the file can neither be read in place nor copied.
    pub fn open_to_read(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let refused = match file::open(path, false) {
            Ok(connection) => return Self::start(path, connection),
            Err(refusal) if refusal.is_read_only && path.is_file() => refusal.error,
            Err(refusal) => return Err(refusal.error),
        };
        for reading in [Reading::Marked, Reading::Unchanging] {
            // A log next to the file contains events that the file lacks.
            if reading == Reading::Unchanging && copied::has_log(path) {
                continue;
            }
            match file::is_empty_at(path, reading) {
                Ok(false) => {
                    let readers = Readers::open(path, reading, None)?;
                    return Ok(Self { readers, writer: None, forms: Arc::default(), _copy: None });
                }
                Ok(true) => break,
                Err(refusal) if refusal.is_read_only => {}
                Err(refusal) => return Err(refusal.error),
            }
        }
        let copy = Copied::of(path).map_err(|error| {
            StoreError::failed(format!(
                "{refused}; nor can it be copied to be read elsewhere: {error}. Copy the study's folder to a disk that \
                 can be written to and read it there"
            ))
            .caused_by(error)
        })?;
        Self::read_copy(copy)
    }

    /// Reads a private copy.
    fn read_copy(copy: Copied) -> Result<Self, StoreError> {
        // Creates missing tables and, as nothing else has the file open, moves the log into it.
        drop(file::open(copy.path(), false)?);
        let readers = Readers::open(copy.path(), Reading::Shared, None)?;
        Ok(Self { readers, writer: None, forms: Arc::default(), _copy: Some(copy) })
    }

    /// Copies a store's file as it is at one moment into a new file, while others may write to it, and checks the copy.
    ///
    /// # Errors
    /// If the file cannot be opened or is damaged, the new file exists, or the disk fails.
    pub fn back_up(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), StoreError> {
        let (from, to) = (from.as_ref(), to.as_ref());
        let name = to.to_str().ok_or_else(|| {
            StoreError::failed(format!("{}: the path of a copy has to be Unicode", to.display()))
        })?;
        let store = file::open_reader(from, file::Reading::Shared)
            .or_else(|_| file::open_reader(from, file::Reading::Marked))?;
        // Nothing is written to the store itself; the new file is.
        store.pragma_update(None, "query_only", false).map_err(fault)?;
        store.execute("VACUUM INTO ?1", [name]).map_err(|error| file::located(from, fault(error)))?;
        let copy = file::open_reader(to, file::Reading::Shared)?;
        let found: String = copy
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .map_err(|error| file::located(to, fault(error)))?;
        if found != "ok" {
            return Err(file::located(to, StoreError::damaged(found)));
        }
        drop(copy);
        let synced = std::fs::File::open(to).and_then(|file| file.sync_all());
        synced.map_err(|error| StoreError::failed(format!("{}: {error}", to.display())).caused_by(error))
    }

    fn start(path: &Path, connection: rusqlite::Connection) -> Result<Self, StoreError> {
        let presence = Arc::new(Presence::of(path)?);
        let readers = Readers::open(path, Reading::Shared, Some(Arc::clone(&presence)))?;
        let writer = Some(Writer::start(connection, path, presence)?);
        Ok(Self { readers, writer, forms: Arc::default(), _copy: None })
    }

    fn writer(&self) -> Result<&Writer, StoreError> {
        self.writer
            .as_ref()
            .ok_or_else(|| StoreError::failed("the store is open only for reading".to_owned()))
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn bind(&self, study: Digest) -> Result<(), StoreError> {
        let wanted = study.to_string();
        let digest = wanted.clone();
        let bind = move |connection: &rusqlite::Connection| -> rusqlite::Result<String> {
            let insert = "INSERT INTO study (only_row, digest) VALUES (0, ?1) ON CONFLICT DO NOTHING";
            connection.execute(insert, [digest])?;
            connection.query_row("SELECT digest FROM study", [], |row| row.get(0))
        };
        let found = self.writer()?.write(move |connection| bind(connection).map_err(fault)).await?;
        if found == wanted {
            return Ok(());
        }
        Err(StoreError::AnotherStudy { found, wanted })
    }

    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        self.writer()?.write(move |connection| people::secret(connection, fresh).map_err(fault)).await
    }

    async fn append(&self, entries: Append<'_>, expected: u64) -> Result<u64, StoreError> {
        match entries {
            Append::Events(session, events) => self.append_to_session(session, events, expected).await,
            Append::Place(change) => {
                let change = change.clone();
                let append = move |connection: &Connection| places::change(connection, &change, expected);
                self.writer()?.write(append).await
            }
            Append::Action(action) => self.append_to_journal(&journal::ACTIONS, action, expected).await,
            Append::Ledger(entry) => self.append_to_journal(&journal::LEDGER, entry, expected).await,
        }
    }

    async fn read(&self, log: Log<'_>, from: u64) -> Result<(Entries, u64), StoreError> {
        self.readers.read(|connection| match log {
            Log::Session(session) => {
                let events = logs::load(connection, &self.forms, session)?;
                Ok(rows::from_on(events, from))
            }
            Log::Places => {
                let (changes, end) = places::changes(connection, from).map_err(fault)?;
                Ok((Entries::Places(changes), end))
            }
            Log::Actions => journals::read(connection, &journal::ACTIONS, from, Entries::Actions),
            Log::Ledger => journals::read(connection, &journal::LEDGER, from, Entries::Ledger),
        })
    }

    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.readers.read(|connection| logs::sessions(connection, after, limit).map_err(fault))
    }

    async fn erase(&self, erasures: &[Erasure]) -> Result<(), StoreError> {
        let replacement = |erasure: &Erasure| -> Result<_, StoreError> {
            let texts = rows::write(&erasure.remains)?;
            let entries = texts.iter().map(|text| self.forms.entry(text)).collect();
            Ok(Replacement { session: erasure.session.clone(), expected: erasure.expected, entries })
        };
        let replacements = erasures.iter().map(replacement).collect::<Result<Vec<_>, _>>()?;
        let erase = self.writer()?.write(move |connection| erasures::erase(connection, &replacements));
        for (id, form) in erase.await? {
            self.forms.learn(id, &form);
        }
        Ok(())
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        self.writer()?.alone(erasures::scrub).await
    }

    async fn register(
        &self,
        identity: Identity<'_>,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError> {
        let ((names, name), holder) = (people::names(identity), holder.to_owned());
        let (name, sealed) = (name.to_owned(), sealed.map(<[u8]>::to_vec));
        let register = self.writer()?.write(move |connection| {
            names.register(connection, &name, &holder, sealed.as_deref()).map_err(fault)
        });
        register.await
    }

    async fn holder(&self, identity: Identity<'_>) -> Result<Option<String>, StoreError> {
        let (names, name) = people::names(identity);
        self.readers.read(|connection| names.holder(connection, name).map_err(fault))
    }

    async fn sealed(&self, holders: Holders<'_>) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.readers.read(|connection| people::sealed(connection, holders).map_err(fault))
    }

    async fn reseal(&self, holder: &str, sealed: &[u8]) -> Result<(), StoreError> {
        let (holder, sealed) = (holder.to_owned(), sealed.to_vec());
        let reseal =
            move |connection: &Connection| people::reseal(connection, &holder, &sealed).map_err(fault);
        self.writer()?.write(reseal).await
    }

    async fn forget(&self, holder: &str) -> Result<(), StoreError> {
        let holder = holder.to_owned();
        self.writer()?.erase(move |connection| people::forget(connection, &holder).map_err(fault)).await
    }
}

impl SqliteStore {
    async fn append_to_session(
        &self,
        session: &str,
        events: &[Event],
        expected: u64,
    ) -> Result<u64, StoreError> {
        let texts = rows::write(events)?;
        let entries: Vec<_> = texts.iter().map(|text| self.forms.entry(text)).collect();
        let (name, forms) = (session.to_owned(), Arc::clone(&self.forms));
        let append = self
            .writer()?
            .write(move |connection| logs::append(connection, &forms, &name, expected, &entries));
        let (appended, learned) = append.await?;
        for (id, form) in learned {
            self.forms.learn(id, &form);
        }
        appended.length(session, expected, events)
    }
}

fn fault(error: rusqlite::Error) -> StoreError {
    let text = error.to_string();
    let fault = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            StoreError::unavailable(text)
        }
        Some(ErrorCode::DiskFull) => StoreError::full(format!("no space left on the disk ({text})")),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::damaged(text),
        Some(_) => StoreError::failed(text),
        None if matches!(
            error,
            rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
        ) =>
        {
            StoreError::damaged(text)
        }
        None => StoreError::failed(text),
    };
    fault.caused_by(error)
}
