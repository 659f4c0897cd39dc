//! A store in one SQLite file.

use std::path::Path;

use async_trait::async_trait;
use hype_core::plugin::store::{Claimed, Registered, Standing, Wish};
use hype_core::{Digest, Event, Micros, Store, StoreError};
use rusqlite::ErrorCode;

use self::readers::Readers;
use self::writer::Writer;
use crate::texts;

mod claims;
mod file;
mod logs;
mod people;
mod readers;
mod writer;

/// Keeps logs in one SQLite file, `study.db` of a study's folder.
///
/// Each event is a row of JSON text that the database itself refuses to alter or delete. What a call has changed is
/// on the disk when it returns: write-ahead log, `synchronous = FULL`. Calls that write at the same time share one
/// commit, which a thread of the store makes; they can be awaited on any runtime, and block none. Calls that read
/// do so on the thread that polls them, without waiting for writers. Any number of processes may open the file at
/// the same time.
///
/// # Examples
/// ```
/// use hype_store::SqliteStore;
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
    // Dropped in this order: the last connection that closes moves the write-ahead log into the file.
    readers: Readers,
    writer: Writer,
}

impl SqliteStore {
    /// Opens a store's file, or makes it if there is none.
    ///
    /// # Errors
    /// If the file cannot be opened, is no store of hype, was written by a newer version, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::start(path.as_ref(), file::open(path.as_ref(), true)?)
    }

    /// Opens a store's file that has to be there.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if there is no such file.
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::start(path.as_ref(), file::open(path.as_ref(), false)?)
    }

    fn start(path: &Path, connection: rusqlite::Connection) -> Result<Self, StoreError> {
        let readers = Readers::open(path)?;
        Ok(Self { writer: Writer::start(connection)?, readers })
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
        let found = self.writer.write(move |connection| bind(connection).map_err(fault)).await?;
        if found == wanted {
            return Ok(());
        }
        Err(StoreError::AnotherStudy { found, wanted })
    }

    async fn append(&self, session: &str, expected: u64, events: &[Event]) -> Result<u64, StoreError> {
        let texts = texts::write(events)?;
        let name = session.to_owned();
        let append = self
            .writer
            .write(move |connection| logs::append(connection, &name, expected, &texts).map_err(fault));
        append.await?.length(session, expected, events)
    }

    async fn load(&self, session: &str) -> Result<Vec<Event>, StoreError> {
        let kept = self.readers.read(|connection| logs::load(connection, session).map_err(fault))?;
        texts::parse(session, 0, &kept)
    }

    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.readers.read(|connection| logs::sessions(connection, after, limit).map_err(fault))
    }

    async fn claim_next(&self, wish: &Wish<'_>) -> Result<Option<Claimed>, StoreError> {
        let holder = wish.holder.to_owned();
        let Wish { holder: _, places, replacements, now, until } = *wish;
        let claim = self.writer.write(move |connection| {
            let wish = Wish { holder: &holder, places, replacements, now, until };
            claims::claim_next(connection, &wish).map_err(fault)
        });
        claim.await
    }

    async fn prolong(&self, place: u32, holder: &str, until: Micros) -> Result<bool, StoreError> {
        let holder = holder.to_owned();
        let prolong = self
            .writer
            .write(move |connection| claims::prolong(connection, place, &holder, until).map_err(fault));
        prolong.await
    }

    async fn release(&self, place: u32, holder: &str, done: bool) -> Result<(), StoreError> {
        let holder = holder.to_owned();
        let release = self
            .writer
            .write(move |connection| claims::release(connection, place, &holder, done).map_err(fault));
        release.await
    }

    async fn standing(&self, now: Micros, replacements: u32) -> Result<Standing, StoreError> {
        self.readers.read(|connection| claims::standing(connection, now, replacements).map_err(fault))
    }

    async fn register(
        &self,
        key: &str,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError> {
        let (key, holder, sealed) = (key.to_owned(), holder.to_owned(), sealed.map(<[u8]>::to_vec));
        let register = self.writer.write(move |connection| {
            people::register(connection, &key, &holder, sealed.as_deref()).map_err(fault)
        });
        register.await
    }

    async fn registered(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.readers.read(|connection| people::registered(connection, key).map_err(fault))
    }

    async fn sealed(&self, holder: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.readers.read(|connection| people::sealed(connection, holder).map_err(fault))
    }

    async fn forget(&self, holder: &str) -> Result<(), StoreError> {
        let holder = holder.to_owned();
        self.writer.erase(move |connection| people::forget(connection, &holder).map_err(fault)).await
    }

    async fn spend(&self, link: &str, holder: &str) -> Result<Registered, StoreError> {
        let (link, holder) = (link.to_owned(), holder.to_owned());
        self.writer.write(move |connection| people::spend(connection, &link, &holder).map_err(fault)).await
    }

    async fn spent(&self, link: &str) -> Result<Option<String>, StoreError> {
        self.readers.read(|connection| people::spent(connection, link).map_err(fault))
    }

    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        self.writer.write(move |connection| people::secret(connection, fresh).map_err(fault)).await
    }
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
