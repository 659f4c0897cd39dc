//! Copies of a study's folder that are as it was at one moment, also while answers are collected into it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use hype_store::SqliteStore;

use super::logs::FILE;
use super::{ABOUT, FINDINGS, FolderError, MONEY, RATERS, SPEC, STIMULI, StudyFolder, disk};

/// The files of a study beside its logs, if they are there.
const BESIDE: [&str; 6] = [SPEC, STIMULI, RATERS, FINDINGS, MONEY, ABOUT];

impl StudyFolder {
    /// Copies the study into a new folder, and opens the copy to check it. The logs are those of one moment; whatever was
    /// acknowledged before the call is among them. Reports are left out.
    ///
    /// A copy of a study that recruits has a ledger that falls behind when the original goes on: see `hype crowd status`.
    ///
    /// # Errors
    /// If the folder exists, the logs are in a database, the disk fails, or the copy is damaged.
    pub fn back_up(&self, to: &Path) -> Result<(), FolderError> {
        if to.exists() {
            return Err(FolderError::Taken { path: to.to_owned() });
        }
        let from = self.path();
        if !from.join(FILE).exists() {
            return Err(FolderError::InDatabase { path: from.to_owned() });
        }
        let unfinished = Unfinished::beside(to)?;
        let target = &unfinished.0;
        SqliteStore::back_up(from.join(FILE), target.join(FILE))?;
        // After the logs: what they need was written before them.
        for name in BESIDE {
            let path = from.join(name);
            if path.exists() {
                fs::copy(&path, target.join(name)).map_err(disk(&path))?;
                synced(&target.join(name))?;
            }
        }
        synced(target)?;
        drop(Self::read(target)?);
        fs::rename(target, to).map_err(disk(to))?;
        match to.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            Some(parent) => synced(parent),
            None => Ok(()),
        }
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
        let mut name = to.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let path = to.with_file_name(name);
        fs::create_dir_all(&path).map_err(disk(&path))?;
        Ok(Self(path))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove.
        let _ = fs::remove_dir_all(&self.0);
    }
}
