//! The folder of a study.

use std::path::{Path, PathBuf};

use hype::StudyFolder;

use super::failure::Failure;

/// The folder of a study: the named one, or one beside the spec with the spec's name.
pub(crate) fn study_folder(spec: &Path, named: Option<&Path>, simulated: bool) -> PathBuf {
    named.map_or_else(|| beside(spec, simulated), Path::to_owned)
}

fn beside(spec: &Path, simulated: bool) -> PathBuf {
    spec.with_extension(if simulated { "simulated" } else { "study" })
}

/// Opens a study, given its folder, or its spec if the folder is beside it.
pub(crate) fn read(named: &Path) -> Result<StudyFolder, Failure> {
    Ok(StudyFolder::read(&folder_of(named)?)?)
}

fn folder_of(named: &Path) -> Result<PathBuf, Failure> {
    if named.is_dir() {
        return Ok(named.to_owned());
    }
    if !named.exists() {
        return Err(Failure::Message(format!("{} does not exist", named.display())));
    }
    let candidates = [beside(named, false), beside(named, true)];
    let [people, simulated] = &candidates;
    match (people.is_dir(), simulated.is_dir()) {
        (true, false) => Ok(people.clone()),
        (false, true) => Ok(simulated.clone()),
        (true, true) => Err(Failure::Message(format!(
            "there are two studies of {}: name {} or {}",
            named.display(),
            people.display(),
            simulated.display()
        ))),
        (false, false) => Err(Failure::Message(format!(
            "nothing was collected for {}: run it first, or name its folder",
            named.display()
        ))),
    }
}
