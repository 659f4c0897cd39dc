//! `hype export`: a study's logs as tables, or everything as a package.

use std::path::Path;

use hype::StudyFolder;
use hype::exchange::{ExportError, export};
use hype::exchange::{Format, RowWriter, layout, package};
use hype_core::analyse;
use hype_core::words::counted;

use super::args::{ExportArguments, ExportFormat, ExportWhat};
use super::failure::Failure;
use super::output::{begin, finish};
use super::study_folder;
use super::terminal;

pub(crate) fn run(arguments: &ExportArguments) -> Result<(), Failure> {
    let opened = study_folder::read(&arguments.study)?;
    if let Some(folder) = &arguments.package {
        return write_package(&opened, folder);
    }
    let (study, store) = (opened.study(), opened.store());
    let path = arguments.output.as_deref();
    let layout = match arguments.what {
        ExportWhat::Scores => layout::SCORES,
        ExportWhat::Trials => layout::TRIALS,
        ExportWhat::Answers => layout::ANSWERS,
        ExportWhat::Earnings => layout::EARNINGS,
        #[cfg(feature = "web")]
        ExportWhat::Participants => layout::PARTICIPANTS,
        ExportWhat::Events => {
            if arguments.format != ExportFormat::Jsonl {
                let reason = "events are nested: export them with --format jsonl";
                return Err(Failure::Message(reason.into()));
            }
            let mut out = begin(path)?;
            export::events(store, &mut out)?;
            return finish(out);
        }
    };
    let format = match arguments.format {
        ExportFormat::Csv => Format::Csv,
        ExportFormat::Jsonl => Format::JsonLines,
        ExportFormat::Parquet => Format::Parquet,
    };
    let mut out = RowWriter::begin(begin(path)?, format, layout.columns)?;
    match arguments.what {
        ExportWhat::Trials => export::trials(study, store, &mut out)?,
        ExportWhat::Answers => export::answers(study, store, &mut out)?,
        ExportWhat::Earnings => export::earnings(study, store, &mut out)?,
        #[cfg(feature = "web")]
        ExportWhat::Participants => export::participants(&opened.shared_store(), &mut out)?,
        _ => export::scores(study, store, arguments.all, &mut out)?,
    }
    finish(out.finish()?)
}

fn write_package(opened: &StudyFolder, folder: &Path) -> Result<(), Failure> {
    let (study, store) = (opened.study(), opened.store());
    let mut findings = hype::block_on(analyse(study, store))?;
    if opened.is_simulated() {
        findings.notes.insert(0, hype::simulated_note());
    }
    let packaged = package::package(study, store, findings, opened.is_simulated(), folder)?;
    terminal::report(format_args!(
        "{} in {}, without their keys, in {}: {}",
        counted(packaged.raters, "rater"),
        counted(packaged.sessions, "session"),
        folder.display(),
        packaged.files.join(", ")
    ));
    Ok(())
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        Self::Message(error.to_string())
    }
}
