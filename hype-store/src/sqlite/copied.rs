//! Copies of files on media that cannot be written to.

use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

/// The number of folder names to try.
const NAMES: u32 = 1_000;

/// A copy of a store's file and its write-ahead log in a separate folder. Removed when dropped.
#[derive(Debug)]
pub(super) struct Copied {
    folder: PathBuf,
    path: PathBuf,
}

impl Copied {
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let folder = new_folder()?;
        let copied = Self { path: folder.join("study.db"), folder };
        copy(path, &copied.path)?;
        if has_log(path) {
            copy(&log_of(path), &log_of(&copied.path))?;
        }
        Ok(copied)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        // A copy that cannot be removed is left to the system, like all temporary files.
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// Whether a file has a write-ahead log whose content is not completely in the file.
pub(super) fn has_log(path: &Path) -> bool {
    fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0)
}

fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

fn new_folder() -> io::Result<PathBuf> {
    let mut number = 0;
    loop {
        let folder = env::temp_dir().join(format!("hype-store-{}-{number}", process::id()));
        match private().create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < NAMES => number += 1,
            Err(error) => return Err(named(&folder, &error)),
            Ok(()) => return Ok(folder),
        }
    }
}

/// Creates folders that only the owner can read.
fn private() -> fs::DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no modes"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Copies only the bytes, not the permissions, so the copy is writable.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut source = fs::File::open(from).map_err(|error| named(from, &error))?;
    let mut target = fs::File::create(to).map_err(|error| named(to, &error))?;
    io::copy(&mut source, &mut target).map(drop).map_err(|error| named(to, &error))
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use crate::block_on;
    use hype_core::model::ledger::LedgerEntry;
    use hype_core::{Event, Micros, StoreError, StoreExt as _};

    use super::*;
    use crate::SqliteStore;

    #[test]
    fn copies_of_closed_and_of_open_files_are_read_and_then_removed() {
        let folder = tempfile::tempdir().unwrap();
        let events = [Event::Left { at: Micros(0) }];
        let closed = folder.path().join("closed.db");
        block_on(SqliteStore::open(&closed).unwrap().append_events("s", 0, &events)).unwrap();
        let open = folder.path().join("open.db");
        let writing = SqliteStore::open(&open).unwrap();
        block_on(writing.append_events("s", 0, &events)).unwrap();
        assert!(has_log(&open) && !has_log(&closed));

        for path in [&closed, &open] {
            let copy = Copied::of(path).unwrap();
            let place = copy.path().to_owned();
            let store = SqliteStore::read_copy(copy).unwrap();
            for _ in 0..2 {
                assert_eq!(block_on(store.load("s")).unwrap(), events, "{}", path.display());
                assert!(block_on(store.entries::<LedgerEntry>(0)).unwrap().0.is_empty());
            }
            let refused = block_on(store.append_events("s", 1, &events));
            assert!(
                matches!(&refused, Err(StoreError::Failed { reason, .. }) if reason.contains("only for reading"))
            );
            drop(store);
            assert!(!place.exists());
        }
    }
}
