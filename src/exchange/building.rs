//! Folders that are there completely or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::ExportError;

/// An unfinished folder, which is removed when dropped unless it was renamed.
pub(super) struct Building(PathBuf);

impl Building {
    /// Begins what will be a new folder.
    ///
    /// # Errors
    /// If the folder exists and is not empty, or the disk fails.
    pub(super) fn of(folder: &Path) -> Result<Self, ExportError> {
        if folder.exists() && fs::read_dir(folder)?.next().is_some() {
            return Err(ExportError::Taken(folder.display().to_string()));
        }
        let mut name = folder.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let path = folder.with_file_name(name);
        fs::create_dir(&path)?;
        Ok(Self(path))
    }

    /// Where it is until it is finished.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Finishes the folder.
    ///
    /// # Errors
    /// If the disk fails.
    pub(super) fn become_folder(self, folder: &Path) -> Result<(), ExportError> {
        if folder.exists() {
            fs::remove_dir(folder)?;
        }
        Ok(fs::rename(&self.0, folder)?)
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove.
        let _ = fs::remove_dir_all(&self.0);
    }
}
