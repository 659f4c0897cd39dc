//! The folder of a board.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hype_images::replace_file;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::BoardError;
use crate::settings::BoardSettings;

const SETTINGS: &str = "board.yaml";

/// A board's folder: `board.yaml`, `submissions`, `waves`, `journal.json`, and `site` once it is published.
///
/// Folders are written under another name and renamed, files are replaced in whole: a process that is killed at any moment
/// leaves what was there before or what it was about to write, and names that begin with a dot, which are ignored.
#[derive(Debug, Clone)]
pub struct Board {
    root: PathBuf,
    pub(crate) settings: BoardSettings,
}

impl Board {
    /// Makes a board of these settings, with its empty folders.
    ///
    /// # Errors
    /// If the folder has a board, the settings are wrong, or the disk fails.
    pub fn init(root: &Path, settings: &str) -> Result<Self, BoardError> {
        let path = root.join(SETTINGS);
        if path.exists() {
            return Err(BoardError::Refused(format!("{} is a board already", root.display())));
        }
        BoardSettings::read(settings).map_err(|reason| BoardError::damaged(&path, &reason))?;
        fs::create_dir_all(root).map_err(BoardError::disk(root))?;
        write_file(&path, settings.as_bytes())?;
        Self::open(root)
    }

    /// Opens a board.
    ///
    /// # Errors
    /// If the folder has no board, or its settings are wrong.
    pub fn open(root: &Path) -> Result<Self, BoardError> {
        let path = root.join(SETTINGS);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(BoardError::Refused(format!(
                    "{} is not a board: it has no {SETTINGS}, which `hype board init` writes",
                    root.display()
                )));
            }
            Err(source) => return Err(BoardError::Disk { path, source }),
        };
        let settings = BoardSettings::read(&text).map_err(|reason| BoardError::damaged(&path, &reason))?;
        Ok(Self { root: root.to_owned(), settings })
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &BoardSettings {
        &self.settings
    }

    /// The path of a file of the board.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The folders in a folder of the board, in the order of their names.
    pub(crate) fn folders(&self, name: &str) -> Result<Vec<PathBuf>, BoardError> {
        let path = self.path(name);
        let mut found = Vec::new();
        if !path.exists() {
            return Ok(found);
        }
        for entry in fs::read_dir(&path).map_err(BoardError::disk(&path))? {
            let entry = entry.map_err(BoardError::disk(&path))?;
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if !is_hidden && entry.path().is_dir() {
                found.push(entry.path());
            }
        }
        found.sort();
        Ok(found)
    }
}

/// Writes a file in whole or not at all.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), BoardError> {
    let write = |mut file: &fs::File| {
        file.write_all(bytes)?;
        file.sync_all()
    };
    replace_file(path, write).map_err(BoardError::disk(path))
}

pub(crate) fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), BoardError> {
    write_file(path, json(value).as_bytes())
}

/// A value as indented JSON.
pub(crate) fn json<T: Serialize>(value: &T) -> String {
    // Structs of texts and numbers can be serialized.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, BoardError> {
    let bytes = fs::read(path).map_err(BoardError::disk(path))?;
    serde_json::from_slice(&bytes).map_err(|error| BoardError::damaged(path, &error))
}

/// A folder that is there completely or not at all.
pub(crate) struct NewFolder {
    unfinished: PathBuf,
    path: PathBuf,
}

impl NewFolder {
    pub(crate) fn begin(path: &Path) -> Result<Self, BoardError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let unfinished = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished).map_err(BoardError::disk(&unfinished))?;
        }
        fs::create_dir_all(&unfinished).map_err(BoardError::disk(&unfinished))?;
        Ok(Self { unfinished, path: path.to_owned() })
    }

    pub(crate) fn unfinished(&self) -> &Path {
        &self.unfinished
    }

    pub(crate) fn finish(self) -> Result<(), BoardError> {
        let is_taken =
            |kind| matches!(kind, std::io::ErrorKind::DirectoryNotEmpty | std::io::ErrorKind::AlreadyExists);
        match fs::rename(&self.unfinished, &self.path) {
            Err(error) if is_taken(error.kind()) => Err(BoardError::Refused(format!(
                "another program wrote {} at the same time, which stays: this one wrote nothing",
                self.path.display()
            ))),
            renamed => renamed.map_err(BoardError::disk(&self.path)),
        }
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove.
        let _ = fs::remove_dir_all(&self.unfinished);
    }
}

/// Whether a name can be that of a folder, of a set and of a page's row.
pub(crate) fn check_name(what: &str, name: &str) -> Result<(), BoardError> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.+".contains(letter);
    let is_good = (1..=60).contains(&name.len())
        && name.chars().all(is_plain)
        && name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if is_good {
        Ok(())
    } else {
        Err(BoardError::Refused(format!(
            "{what} {name:?}: 1 to 60 letters of a to z and A to Z, digits, `-`, `_`, `.` and `+` are allowed, a letter or digit first"
        )))
    }
}
