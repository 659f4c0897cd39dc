//! Removal by law: images go and names with them; votes, digests and ranks stay.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::error::BoardError;
use crate::folder::{Board, write_json};
use crate::journal::JournalEntry;
use crate::names::{PRIVATE, ShownNames};
use crate::submission::{Removal, Submitted, item_of};
use crate::wave::WaveRecord;

impl ShownNames<'_> {
    /// The changes of rules without names that readers do not see, and what was removed.
    pub(crate) fn journal(&self, mut entries: Vec<JournalEntry>, closed: &[WaveRecord]) -> Vec<JournalEntry> {
        for model in self.submissions {
            let shown = model.shown(self.closed).unwrap_or(PRIVATE);
            for change in entries.iter_mut().flat_map(|entry| &mut entry.changes) {
                for name in [&model.name, &model.alias] {
                    *change = change.replace(&format!("\"{name}\""), &format!("\"{shown}\""));
                }
            }
            entries.extend(model.removed.iter().map(|Removal { date, reason, files }| {
                let (gone, all) = (files.len(), model.files.len());
                let change = format!("removed by law: {gone} of {all} images of {shown}: {reason}");
                let before =
                    closed.iter().filter(|wave| wave.closed.as_ref().is_some_and(|closed| closed <= date));
                JournalEntry { date: date.clone(), wave: 1 + before.count() as u32, changes: vec![change] }
            }));
        }
        entries.sort_by(|left, right| left.date.cmp(&right.date));
        entries
    }
}

impl Board {
    /// Removes the images of these items of a model by law, or all of them and its name where none is named. Votes on them,
    /// digests and packages stay as they are, without the images that packages have. Done again after an interruption, it goes on.
    ///
    /// # Errors
    /// If the model or an item is not on the board, the open wave shows the model, there is no reason, or the disk fails.
    pub fn remove(
        &self,
        model: &str,
        items: &[String],
        reason: &str,
        date: &str,
    ) -> Result<Submitted, BoardError> {
        let refused = |reason: String| Err(BoardError::Refused(reason));
        let all = self.submissions()?;
        let Some(found) = all.iter().find(|one| one.name == model || one.alias == model) else {
            return refused(format!("{model} is not on the board: `hype board list` has its models"));
        };
        if reason.trim().is_empty() {
            return refused("the page says why images are gone: give the reason by --reason".into());
        }
        let waves = self.waves()?;
        if let Some(open) = waves.iter().find(|wave| wave.closed.is_none() && wave.rates(&found.alias)) {
            return refused(format!(
                "wave {} is open and shows {model}: close it first by `hype board wave close`",
                open.number
            ));
        }
        let mut files = BTreeSet::new();
        for item in items {
            match found.files.keys().find(|file| item_of(file) == item) {
                Some(file) => files.insert(file.clone()),
                None => return refused(format!("{model} has no image of item {item}")),
            };
        }
        let is_whole = files.is_empty() || files.len() == found.files.len();
        if is_whole {
            files.extend(found.files.keys().cloned());
        }
        let mut found = found.clone();
        if is_whole && found.unnamed.is_none() {
            let number = 1 + all.iter().filter(|one| one.unnamed.is_some()).count();
            // No name has a space.
            found.unnamed = Some(format!("removed model {number}"));
        }
        let new: BTreeSet<String> =
            files.iter().filter(|file| found.removed_on(file).is_none()).cloned().collect();
        if !new.is_empty() {
            let (date, reason) = (date.to_owned(), reason.trim().to_owned());
            found.removed.push(Removal { date, reason, files: new });
        }
        // What is to go is noted first, so an interruption leaves files that `verify` names.
        let folder = self.path("submissions").join(&found.name);
        write_json(&folder.join("submission.json"), &found)?;
        for file in &files {
            delete(&folder.join("images").join(file))?;
        }
        let digests: Vec<String> = files.iter().map(|file| found.files[file].to_string()).collect();
        for wave in &waves {
            let folder = self.wave_folder(wave.number);
            for (name, _) in wave.files.iter().filter(|(_, digest)| digests.contains(digest)) {
                delete(&folder.join("package").join(name))?;
            }
            delete_prepared(&folder, &digests)?;
        }
        Ok(found)
    }
}

fn delete(path: &Path) -> Result<(), BoardError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(BoardError::disk(path)(error)),
        _ => Ok(()),
    }
}

/// Deletes what the page's server prepared of images, in files that have the names of their digests.
fn delete_prepared(folder: &Path, digests: &[String]) -> Result<(), BoardError> {
    for entry in fs::read_dir(folder).map_err(BoardError::disk(folder))? {
        let path = entry.map_err(BoardError::disk(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            delete_prepared(&path, digests)?;
        } else if digests.iter().any(|digest| name.starts_with(&**digest)) {
            delete(&path)?;
        }
    }
    Ok(())
}
