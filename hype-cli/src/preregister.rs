//! `hype preregister`: what was decided about a study before anybody came, as Markdown and JSON.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use hype::exchange::registration::{Registration, RegistrationError};
use hype::{Opening, StudyFolder};
use hype_core::words::counted;

use super::args::PreregisterArguments;
use super::failure::Failure;
use super::opening::open;
use super::output::{self, begin, finish};
use super::study_folder::study_folder;
use super::terminal;

pub(crate) fn run(arguments: &PreregisterArguments) -> Result<(), Failure> {
    let files = files(arguments);
    if let Some(taken) = files.iter().find(|file| file.exists()) {
        return Err(Failure::Message(format!(
            "{} exists, and a registration is never overwritten: name another file with -o to keep both",
            taken.display()
        )));
    }
    let folder = study_folder(&arguments.spec, arguments.study.as_deref(), false);
    let opened = open(Opening::of(&arguments.spec), false, |_| {})?;
    let mut registration = Registration::of(&opened.study);
    if folder.is_dir() {
        let collected = StudyFolder::read(&folder)?;
        registration = registration.after(collected.study(), collected.store())?;
    } else if let Some(named) = &arguments.study {
        return Err(Failure::Message(format!("{} is not a folder", named.display())));
    }
    let json = registration.to_json().map_err(|error| Failure::Message(error.to_string()))?;
    let [markdown, beside] = &files;
    for (file, text) in [(markdown, registration.to_markdown()), (beside, json)] {
        let mut out = begin(Some(file))?;
        out.write_all(text.as_bytes()).map_err(|error| Failure::Message(error.to_string()))?;
        finish(out)?;
    }
    if let Some(before) = &registration.collected_before {
        terminal::report(format_args!(
            "warning: {} of {} had been collected before this registration, and it says so",
            counted(before.counts.responses, "answer"),
            counted(before.counts.sessions, "session")
        ));
    }
    if registration.store_not_read {
        terminal::report(format_args!(
            "warning: the answers are kept in a database, and this registration does not say whether there are any: name the \
             study's folder with --study"
        ));
    }
    if registration.analysis.hypotheses.is_empty() {
        terminal::report(format_args!(
            "note: the spec states no hypotheses: write them in words, such as `hypotheses: [\"raters prefer good to weak\"]`"
        ));
    }
    let digests = &registration.digests;
    output::print(format_args!(
        "protocol {} and analysis {} are registered in {} and {}: deposit both where their date is kept, before the first \
         rater comes",
        digests.protocol.short(),
        digests.analysis.short(),
        markdown.display(),
        beside.display()
    ))
}

/// The Markdown file, and the JSON next to it.
fn files(arguments: &PreregisterArguments) -> [PathBuf; 2] {
    let stem = match &arguments.output {
        None => arguments.spec.with_extension("preregistration"),
        Some(file) if file.extension().is_some_and(|extension| extension == "md" || extension == "json") => {
            file.with_extension("")
        }
        Some(file) => file.clone(),
    };
    ["md", "json"].map(|extension| with(&stem, extension))
}

/// A path with an extension after those that it has.
fn with(stem: &Path, extension: &str) -> PathBuf {
    let mut path = stem.as_os_str().to_owned();
    path.push(".");
    path.push(extension);
    path.into()
}

impl From<RegistrationError> for Failure {
    fn from(error: RegistrationError) -> Self {
        Self::Message(error.to_string())
    }
}
