//! The folder of a study.

use std::path::{Path, PathBuf};

use hype::{Opening, StudyFolder};
use hype_core::model::record::Ending;
use hype_core::plugin::store::all_sessions;
use hype_core::study::spec::Spec;
use hype_core::words::counted;
use hype_core::{Event, StoreExt as _};

use super::failure::Failure;

/// The folder of a study: the named one, or one next to the spec with the spec's name.
pub(crate) fn study_folder(spec: &Path, named: Option<&Path>, simulated: bool) -> PathBuf {
    named.map_or_else(|| beside(spec, simulated), Path::to_owned)
}

fn beside(spec: &Path, simulated: bool) -> PathBuf {
    spec.with_extension(if simulated { "simulated" } else { "study" })
}

/// Opens a study, given its folder, or its spec if the folder is next to it or the answers are in a database.
pub(crate) fn read(named: &Path) -> Result<StudyFolder, Failure> {
    if named.is_dir() {
        return Ok(StudyFolder::read(named)?);
    }
    if !named.exists() {
        return Err(Failure::Message(format!("{} does not exist", named.display())));
    }
    let candidates = [beside(named, false), beside(named, true)];
    let [people, simulated] = &candidates;
    match (people.is_dir(), simulated.is_dir()) {
        (true, false) => Ok(StudyFolder::read(people)?),
        (false, true) => Ok(StudyFolder::read(simulated)?),
        (true, true) => Err(Failure::Message(format!(
            "there are two studies of {}: name {} or {}",
            named.display(),
            people.display(),
            simulated.display()
        ))),
        (false, false) => of_database(named, people)?.ok_or_else(|| {
            let named = named.display();
            Failure::Message(format!("nothing was collected for {named}: run it first, or name its folder"))
        }),
    }
}

/// Opens the study of people of a spec, or that of synthetic raters if it is alone; also the folder of a rehearsal next to people's.
#[cfg(feature = "board")]
pub(crate) fn of_people(spec: &Path) -> Result<Option<(StudyFolder, Option<PathBuf>)>, Failure> {
    let [people, simulated] = [beside(spec, false), beside(spec, true)];
    let of_people = match people.is_dir() {
        true => Some(StudyFolder::read(&people)?),
        false => of_database(spec, &people)?,
    };
    Ok(match (of_people, simulated.is_dir()) {
        (Some(opened), rehearsed) => Some((opened, rehearsed.then_some(simulated))),
        (None, true) => Some((StudyFolder::read(&simulated)?, None)),
        (None, false) => None,
    })
}

/// Returns a sentence if a study has no finished session.
pub(crate) fn nobody_finished(opened: &StudyFolder) -> Result<Option<String>, Failure> {
    let sessions = hype::block_on(all_sessions(opened.store()))?;
    for session in &sessions {
        let events = hype::block_on(opened.store().load(session))?;
        let is_complete =
            |event: &Event| matches!(event, Event::Finished(outcome) if outcome.ending == Ending::Completed);
        // Erased sessions may have been complete.
        if events.iter().any(|event| is_complete(event) || matches!(event, Event::Erased(_))) {
            return Ok(None);
        }
    }
    let begun = match sessions.len() {
        0 => "nor has anybody begun".to_owned(),
        begun => format!("{} begun", counted(begun, "session")),
    };
    Ok(Some(format!("no rater has finished {} yet, {begun}", opened.path().display())))
}

/// Opens the study of a spec that names a database, and makes its folder.
fn of_database(spec: &Path, folder: &Path) -> Result<Option<StudyFolder>, Failure> {
    let text = std::fs::read(spec).map_err(|error| Failure::about(spec, &error))?;
    if !Spec::read(&text).is_ok_and(|read| read.spec.collection.store.is_some()) {
        return Ok(None);
    }
    let opened = Opening::of(spec).open(|_| {})?;
    Ok(StudyFolder::of_database(folder, &opened.study)?)
}
