//! Copies of a study's folder that are as it was at one moment, also while answers are collected into it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use hype_store::SqliteStore;

use super::logs::{FILE, Logs};
use super::{ABOUT, FINDINGS, FolderError, MONEY, RATERS, SPEC, STIMULI, StudyFolder, disk};

/// The logs of a study in a database, in a copy of it.
pub(super) const DUMP: &str = "study.dump";

/// The files of a study other than its logs, if they are there.
const BESIDE: [&str; 6] = [SPEC, STIMULI, RATERS, FINDINGS, MONEY, ABOUT];

impl StudyFolder {
    /// Copies the study into a new folder, and checks the copy. The logs are those of one moment; whatever was acknowledged before
    /// the call is among them. Logs in a database are copied by PostgreSQL's `pg_dump`. Reports are left out.
    ///
    /// A copy of a study that recruits has a ledger that falls behind when the original goes on: see `hype crowd status`.
    ///
    /// # Errors
    /// If the folder exists, `pg_dump` is needed and not installed, the disk fails, or the copy is damaged.
    pub fn back_up(&self, to: &Path) -> Result<(), FolderError> {
        let from = self.path();
        let unfinished = Unfinished::beside(to)?;
        let target = &unfinished.0;
        match Logs::of(self.study.spec(), self.simulated)? {
            Logs::Folder => SqliteStore::back_up(from.join(FILE), target.join(FILE))?,
            Logs::Shared(address) => {
                database::back_up(&address, &target.join(DUMP))?;
                synced(&target.join(DUMP))?;
            }
        }
        // After the logs: what they need was written before them.
        unfinished.add_files(from)?;
        if !target.join(DUMP).exists() {
            drop(Self::read(target)?);
        }
        unfinished.finish(to)
    }

    /// Makes a study again from a copy that [`back_up`](Self::back_up) wrote. Logs that were in a database go into the one that the
    /// spec names, which must not have the study's schema.
    ///
    /// # Errors
    /// If the folder exists, the copy is damaged, `pg_restore` is needed and not installed, the database has the schema, or the disk
    /// fails.
    pub fn restore(backup: &Path, to: &Path) -> Result<Self, FolderError> {
        let dump = backup.join(DUMP);
        if dump.exists() {
            let unfinished = Unfinished::beside(to)?;
            unfinished.add_files(backup)?;
            let (_, study) = Self::study_in(&unfinished.0)?;
            if let Logs::Shared(address) = Logs::of(study.spec(), false)? {
                database::restore(&address, &dump)?;
            }
            let restored = Self::read(&unfinished.0)?;
            crate::block_on(restored.store.bind(study.digest()))?;
            drop(restored);
            unfinished.finish(to)?;
        } else {
            Self::read(backup)?.back_up(to)?;
        }
        Self::read(to)
    }
}

#[cfg(feature = "postgres")]
mod database {
    use std::path::Path;

    use hype_core::StoreError;
    use hype_store::PostgresStore;

    pub(super) fn back_up(address: &str, to: &Path) -> Result<(), StoreError> {
        PostgresStore::back_up(address, to)
    }

    pub(super) fn restore(address: &str, from: &Path) -> Result<(), StoreError> {
        PostgresStore::restore(address, from)
    }
}

#[cfg(not(feature = "postgres"))]
mod database {
    use std::path::Path;

    use hype_core::StoreError;

    use crate::folder::logs::without_postgres as without;

    pub(super) fn back_up(_: &str, _: &Path) -> Result<(), StoreError> {
        Err(without())
    }

    pub(super) fn restore(_: &str, _: &Path) -> Result<(), StoreError> {
        Err(without())
    }
}

/// Waits until a file or folder is on the disk.
fn synced(path: &Path) -> Result<(), FolderError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(disk(path))
}

/// A folder that is removed unless it was renamed.
struct Unfinished(PathBuf);

impl Unfinished {
    fn beside(to: &Path) -> Result<Self, FolderError> {
        if to.exists() {
            return Err(FolderError::Taken { path: to.to_owned() });
        }
        let mut name = to.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let path = to.with_file_name(name);
        fs::create_dir_all(&path).map_err(disk(&path))?;
        Ok(Self(path))
    }

    /// Copies the files other than the logs.
    fn add_files(&self, from: &Path) -> Result<(), FolderError> {
        for name in BESIDE {
            let path = from.join(name);
            if path.exists() {
                fs::copy(&path, self.0.join(name)).map_err(disk(&path))?;
                synced(&self.0.join(name))?;
            }
        }
        synced(&self.0)
    }

    fn finish(self, to: &Path) -> Result<(), FolderError> {
        fs::rename(&self.0, to).map_err(disk(to))?;
        match to.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            Some(parent) => synced(parent),
            None => Ok(()),
        }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove.
        let _ = fs::remove_dir_all(&self.0);
    }
}
