//! `hype links` and `hype forget`.

use std::io::{BufRead as _, stdin};
use std::path::Path;

use hype::backends::web::Participants;
use hype::backends::web::settings::Access;
use hype::{Opening, StudyFolder};
use hype_core::study::spec::Spec;
use hype_core::words::counted;

use super::args::{ForgetArguments, LinksArguments};
use super::failure::Failure;
use super::opening::open;
use super::output::{self, Page};
use super::page::page_of;
use super::study_folder::{self, study_folder};

pub(crate) fn links(arguments: &LinksArguments) -> Result<(), Failure> {
    let folder = study_folder(&arguments.spec, arguments.study.as_deref(), false);
    let folder_of = |_: &Spec| folder.clone();
    let opened = open(Opening::of(&arguments.spec).continuing(&folder_of), true, |_| {})?;
    let study = &opened.study;
    let page = study.spec().collection.backend.as_deref().and_then(page_of);
    let page = page
        .ok_or_else(|| Failure::Message("the study has no page; only the backend `web` has links".into()))?;
    if page.access != Access::Links {
        return Err(Failure::Message(
            "this study is open to anyone with its address and needs no links: write `access: links` under `backend` \
             to require them"
                .into(),
        ));
    }
    let address = match &page.public_url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None if !page.listen.ends_with(":0") => format!("http://{}", page.listen),
        None => {
            return Err(Failure::Message(
                "the page listens on an arbitrary free port: set a port in `listen`, or a `public_url`"
                    .into(),
            ));
        }
    };
    let participants = participants(&folder, study)?;
    let mut lines = Page::default();
    for number in arguments.from..arguments.from.saturating_add(arguments.count) {
        lines.line(format_args!("{address}/?link={}", participants.link(number)));
    }
    lines.print()
}

/// The participants of a study, whether or not a server is running.
fn participants(folder: &Path, study: &hype_core::Study) -> Result<Participants, Failure> {
    let opened = match StudyFolder::read(folder) {
        Err(hype::FolderError::NotAStudy { .. }) => StudyFolder::collect_into(folder, study, false)?,
        read => read?,
    };
    if opened.study().digest() != study.digest() {
        return Err(Failure::Message(format!(
            "{} contains a different study from the spec's",
            folder.display()
        )));
    }
    of(&opened)
}

fn of(opened: &StudyFolder) -> Result<Participants, Failure> {
    hype::block_on(Participants::of(opened.shared_store()))
        .map_err(|fault| Failure::Message(fault.to_string()))
}

pub(crate) fn forget(arguments: &ForgetArguments) -> Result<(), Failure> {
    let people = of(&study_folder::read(&arguments.study)?)?;
    let mut unknown = 0;
    let mut forgotten = 0;
    let mut forget = |participant: &str| -> Result<(), Failure> {
        if hype::block_on(people.forget(participant))? {
            forgotten += 1;
        } else {
            unknown += 1;
        }
        Ok(())
    };
    if arguments.participants.is_empty() {
        for line in stdin().lock().lines() {
            let line = line?;
            if !line.trim().is_empty() {
                forget(line.trim())?;
            }
        }
    }
    for participant in &arguments.participants {
        forget(participant)?;
    }
    output::print(format_args!(
        "{} forgotten; their answers stay, under keys that can no longer be traced to them",
        counted(forgotten, "participant")
    ))?;
    if unknown > 0 {
        let who = counted(unknown, "participant");
        return Err(Failure::Message(format!(
            "{who} of those named did not take part in this study or were already forgotten"
        )));
    }
    Ok(())
}
