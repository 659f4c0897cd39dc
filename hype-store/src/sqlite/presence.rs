//! Whether the open database is still the file at its path.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hype_core::StoreError;

/// Compares the files at the paths of a database and its write-ahead log with those that were opened.
#[derive(Debug)]
pub(super) struct Presence {
    database: Watched,
    /// Identified when it is first seen, which is before anything is acknowledged.
    log: Watched,
}

#[derive(Debug)]
struct Watched {
    path: PathBuf,
    opened: OnceLock<FileId>,
}

/// The identity of a file as long as it is open: the device and the inode.
type FileId = (u64, u64);

impl Presence {
    /// Identifies the database that was just opened at a path.
    pub(super) fn of(path: &Path) -> Result<Self, StoreError> {
        // The working directory may change.
        let path = path.canonicalize().map_err(|error| gone(path, &error))?;
        let mut log = OsString::from(&path);
        log.push("-wal");
        let presence = Self { database: Watched::at(path), log: Watched::at(log.into()) };
        presence.check()?;
        Ok(presence)
    }

    /// Checks that both files are still at their paths.
    ///
    /// # Errors
    /// [`StoreError::Gone`] if one of them was deleted, moved or replaced, or its folder cannot be read.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.database.check()?;
        self.log.check()
    }
}

impl Watched {
    fn at(path: PathBuf) -> Self {
        Self { path, opened: OnceLock::new() }
    }

    fn check(&self) -> Result<(), StoreError> {
        let found = id(&fs::metadata(&self.path).map_err(|error| gone(&self.path, &error))?);
        if *self.opened.get_or_init(|| found) == found {
            return Ok(());
        }
        Err(gone(&self.path, &"another file is in its place"))
    }
}

fn gone(path: &Path, reason: &dyn std::fmt::Display) -> StoreError {
    StoreError::gone(format!("{}: {reason}", path.display()))
}

#[cfg(unix)]
fn id(file: &Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt as _;

    (file.dev(), file.ino())
}

/// Open files can neither be deleted nor replaced.
#[cfg(not(unix))]
fn id(_: &Metadata) -> FileId {
    (0, 0)
}
