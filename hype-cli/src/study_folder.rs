//! The folder that keeps a study.

use std::path::{Path, PathBuf};

use hype::StudyFolder;

use super::failure::Failure;

/// Where a study is kept: in the folder that was named, or beside its spec under the spec's name.
pub(crate) fn study_folder(spec: &Path, named: Option<&Path>, simulated: bool) -> PathBuf {
    named.map_or_else(|| beside(spec, simulated), Path::to_owned)
}

fn beside(spec: &Path, simulated: bool) -> PathBuf {
    spec.with_extension(if simulated { "simulated" } else { "study" })
}

/// Opens the study that is named by its folder, or by a spec that has collected beside itself.
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
            "nothing has been collected for {}: run it first, or name its folder",
            named.display()
        ))),
    }
}
