//! Whether a study that recruits spends real money. Rehearsals and the real thing never share a folder.

use std::fmt;
use std::fs;
use std::io::ErrorKind;

use hype_backends::crowd::access::Money;

use super::{FolderError, MONEY, StudyFolder, damaged, disk, write};

/// The kind of money in a word, as the file has it.
const fn word(money: Money) -> &'static str {
    match money {
        Money::Test => "test",
        Money::Real => "real",
    }
}

/// The kind of money of a folder, in words for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoneyOfFolder(Money);

impl fmt::Display for MoneyOfFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Money::Test => "a rehearsal without real money",
            Money::Real => "a study with real money",
        })
    }
}

impl StudyFolder {
    /// Checks that the study in the folder was listed with the same kind of money, and remembers it if nothing was listed yet.
    ///
    /// # Errors
    /// If it was listed with the other kind, or the disk fails.
    pub fn spend(&self, money: Money) -> Result<(), FolderError> {
        let path = self.path().join(MONEY);
        let found = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return write(&path, &format!("{}\n", word(money)));
            }
            text => text.map_err(disk(&path))?,
        };
        let known = [Money::Test, Money::Real].into_iter().find(|known| word(*known) == found.trim());
        match known {
            None => Err(damaged(&path, &"it says neither `test` nor `real`")),
            Some(found) if found != money => Err(FolderError::OtherMoney {
                path: self.path().to_owned(),
                found: MoneyOfFolder(found),
                wanted: MoneyOfFolder(money),
            }),
            Some(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rehearsals_and_real_collections_use_different_folders() {
        let folder = tempfile::tempdir().unwrap();
        let spec = hype_core::Spec::new("test", 1, Box::new(hype_tasks::HypeInfinity::default()));
        let spec =
            spec.with_raters(hype_core::Raters { qualification: None, ..hype_core::Raters::default() });
        let stimuli = hype_sim::fixtures::stimuli(100, &[("gan", 100)]);
        let study = hype_core::Study::new(spec, stimuli).unwrap();
        let opened = StudyFolder::collect_into(folder.path(), &study, false).unwrap();
        opened.spend(Money::Test).unwrap();
        opened.spend(Money::Test).unwrap();
        let message = opened.spend(Money::Real).unwrap_err().to_string();
        assert!(
            message.contains("has a rehearsal without real money, and this is a study with real money"),
            "{message}"
        );
        fs::write(folder.path().join(MONEY), "monopoly").unwrap();
        assert!(matches!(opened.spend(Money::Test), Err(FolderError::Damaged { .. })));
    }
}
