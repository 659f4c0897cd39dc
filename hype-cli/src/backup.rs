//! `hype backup` and `hype restore`: copies of a study as it is at one moment.

use hype::StudyFolder;
use hype_core::plugin::store::all_sessions;
use hype_core::study::ledger::ledger;
use hype_core::words::counted;

use super::args::{BackupArguments, RestoreArguments};
use super::failure::Failure;
use super::output;
use super::study_folder;

pub(crate) fn run(arguments: &BackupArguments) -> Result<(), Failure> {
    let opened = study_folder::read(&arguments.study)?;
    // Sessions that begin during the copy are not announced.
    let sessions = sessions(&opened)?;
    opened.back_up(&arguments.backup)?;
    let backup = arguments.backup.display();
    output::print(format_args!("backed up {sessions} in {backup}"))?;
    output::print(format_args!("`hype restore {backup} FOLDER` makes a study of it again"))
}

pub(crate) fn restore(arguments: &RestoreArguments) -> Result<(), Failure> {
    let restored = StudyFolder::restore(&arguments.backup, &arguments.study)?;
    output::print(format_args!("restored {} in {}", sessions(&restored)?, arguments.study.display()))?;
    if hype::block_on(ledger(restored.store()))?.entries() > 0 {
        output::print(format_args!(
            "the study recruits, and its ledger is that of the backup: `hype crowd status SPEC --study {}` compares it with the \
             platform, and nothing is paid that the platform has paid since",
            arguments.study.display()
        ))?;
    }
    Ok(())
}

/// The number of a study's sessions.
fn sessions(study: &StudyFolder) -> Result<String, Failure> {
    Ok(counted(hype::block_on(all_sessions(study.store()))?.len(), "session"))
}
