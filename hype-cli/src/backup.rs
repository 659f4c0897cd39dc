//! `hype backup` and `hype restore`: copies of a study as it is at one moment.

use std::path::Path;

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
    copied(&opened, &arguments.backup, "backed up")?;
    output::print(format_args!(
        "`hype restore {} FOLDER` makes a study of it again",
        arguments.backup.display()
    ))
}

pub(crate) fn restore(arguments: &RestoreArguments) -> Result<(), Failure> {
    let opened = StudyFolder::read(&arguments.backup)?;
    copied(&opened, &arguments.study, "restored")?;
    if hype::block_on(ledger(opened.store()))?.entries() > 0 {
        output::print(format_args!(
            "the study recruits, and its ledger is that of the backup: `hype crowd status SPEC --study {}` compares it with the \
             platform, and nothing is paid that the platform has paid since",
            arguments.study.display()
        ))?;
    }
    Ok(())
}

/// Copies a study, and says what the copy has.
fn copied(from: &StudyFolder, to: &Path, verb: &str) -> Result<(), Failure> {
    from.back_up(to)?;
    let sessions = hype::block_on(all_sessions(StudyFolder::read(to)?.store()))?;
    output::print(format_args!("{verb} {} in {}", counted(sessions.len(), "session"), to.display()))
}
