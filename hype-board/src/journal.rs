//! The log of what changed in a board's rules.

use std::fs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::BoardError;
use crate::folder::{Board, read_json, write_json};
use crate::settings::BoardSettings;

/// A change of rules, as the page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JournalEntry {
    /// The date.
    pub date: String,
    /// The wave that began with it.
    pub wave: u32,
    /// The changes.
    pub changes: Vec<String>,
}

/// The settings of the last wave, and all changes up to it.
#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    entries: Vec<JournalEntry>,
    settings: BoardSettings,
}

impl Board {
    /// All changes of rules, the first first.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn journal(&self) -> Result<Vec<JournalEntry>, BoardError> {
        let path = self.path("journal.json");
        if !path.exists() {
            return Ok(Vec::new());
        }
        Ok(read_json::<Journal>(&path)?.entries)
    }

    /// Notes how the rules differ from those of the wave before. Done again, it changes nothing.
    pub(crate) fn note_changes(&self, wave: u32, date: &str) -> Result<(), BoardError> {
        let path = self.path("journal.json");
        let mut journal = if fs::exists(&path).map_err(BoardError::disk(&path))? {
            read_json::<Journal>(&path)?
        } else {
            Journal { entries: Vec::new(), settings: self.settings.clone() }
        };
        let changes = self.settings.changes(&journal.settings);
        if !changes.is_empty() {
            journal.entries.push(JournalEntry { date: date.to_owned(), wave, changes });
        }
        journal.settings = self.settings.clone();
        write_json(&path, &journal)
    }

    /// The settings with which the last wave began.
    pub(crate) fn last_settings(&self) -> Result<BoardSettings, BoardError> {
        Ok(read_json::<Journal>(&self.path("journal.json"))?.settings)
    }

    /// Notes the changes of rules of one wave alone. Done again, it changes nothing.
    pub(crate) fn note_changes_within(
        &self,
        wave: u32,
        date: &str,
        changes: &[String],
    ) -> Result<(), BoardError> {
        let path = self.path("journal.json");
        let changes: Vec<String> = changes.iter().map(|change| format!("{change}, in this wave")).collect();
        let entry = JournalEntry { date: date.to_owned(), wave, changes };
        if entry.changes.is_empty() || self.journal()?.contains(&entry) {
            return Ok(());
        }
        let mut journal = read_json::<Journal>(&path)?;
        journal.entries.push(entry);
        write_json(&path, &journal)
    }
}
