//! `hype export`: a study's logs as tables, or everything as a package.

use std::path::Path;

use hype::StudyFolder;
use hype::exchange::export::{PreferenceCounts, PreferenceRows};
use hype::exchange::package::{self, Packaged};
use hype::exchange::{ExportError, export};
use hype::exchange::{Format, RowWriter, layout};
use hype_core::words::{counted, listed};
use hype_core::{Findings, analyse};

use super::args::{ExportArguments, ExportFormat, ExportWhat};
use super::failure::Failure;
use super::output::{begin, finish};
use super::report::folder_of;
use super::study_folder;
use super::terminal;

pub(crate) fn run(arguments: &ExportArguments) -> Result<(), Failure> {
    let opened = study_folder::read(&arguments.study)?;
    let waits_for_ends = arguments.package.is_some()
        || matches!(
            arguments.what,
            ExportWhat::Scores | ExportWhat::Findings | ExportWhat::Dpo | ExportWhat::R | ExportWhat::Raters
        );
    if waits_for_ends && let Some(reason) = study_folder::nobody_finished(&opened)? {
        return Err(Failure::Message(format!(
            "{reason}; --what trials, answers and events export what there is"
        )));
    }
    if let Some(folder) = &arguments.package {
        return write_package(&opened, folder).map(drop);
    }
    if arguments.majority && arguments.what != ExportWhat::Dpo {
        return Err(Failure::Message("only votes have a majority: write --what dpo --majority".into()));
    }
    let (study, store) = (opened.study(), opened.store());
    let path = arguments.output.as_deref();
    let layout = match arguments.what {
        ExportWhat::Scores => layout::SCORES,
        ExportWhat::Trials => layout::TRIALS,
        ExportWhat::Answers => layout::ANSWERS,
        ExportWhat::Corrections => layout::CORRECTIONS,
        ExportWhat::Played => layout::PLAYED,
        ExportWhat::Marks => layout::MARKS,
        ExportWhat::Raters => layout::RATERS,
        ExportWhat::Earnings => export::earnings_layout(store)?,
        #[cfg(feature = "crowd")]
        ExportWhat::Ledger => layout::LEDGER,
        ExportWhat::Findings => layout::FINDINGS,
        ExportWhat::Dpo if arguments.majority => layout::MAJORITIES,
        ExportWhat::Dpo => layout::PREFERENCES,
        #[cfg(feature = "web")]
        ExportWhat::Participants => export::participants_layout(&opened.shared_store())?,
        ExportWhat::R => return write_models(&opened, arguments),
        ExportWhat::Events => {
            if arguments.format != Some(ExportFormat::Jsonl) {
                let reason = "events are nested: export them with --format jsonl";
                return Err(Failure::Message(reason.into()));
            }
            let mut out = begin(path)?;
            export::events(store, &mut out)?;
            return finish(out);
        }
    };
    let format = match (arguments.format, arguments.what) {
        (Some(ExportFormat::Jsonl), _) | (None, ExportWhat::Dpo) => Format::JsonLines,
        (Some(ExportFormat::Csv) | None, _) if arguments.raw => Format::RawCsv,
        (Some(ExportFormat::Csv) | None, _) => Format::Csv,
        (Some(ExportFormat::Parquet), _) => Format::Parquet,
    };
    let mut out = RowWriter::begin(begin(path)?, format, layout.columns)?;
    match arguments.what {
        ExportWhat::Trials => export::trials(study, store, &mut out)?,
        ExportWhat::Answers => export::answers(study, store, &mut out)?,
        ExportWhat::Corrections => export::corrections(study, store, &mut out)?,
        ExportWhat::Played => export::played(study, store, &mut out)?,
        ExportWhat::Marks => export::marks(study, store, &mut out)?,
        ExportWhat::Raters => export::raters(study, store, &mut out)?,
        ExportWhat::Earnings => export::earnings(study, store, layout, &mut out)?,
        #[cfg(feature = "crowd")]
        ExportWhat::Ledger => export::payments(study, store, &mut out)?,
        ExportWhat::Findings => drop(export::findings(&findings(&opened)?, &mut out)?),
        ExportWhat::Dpo => {
            let rows = if arguments.majority { PreferenceRows::Majority } else { PreferenceRows::Votes };
            let counts = export::preferences(study, store, arguments.all, rows, &mut out)?;
            report_preferences(&counts, rows);
        }
        #[cfg(feature = "web")]
        ExportWhat::Participants => export::participants(&opened.shared_store(), layout, &mut out)?,
        _ => export::scores(study, store, arguments.all, &mut out)?,
    }
    finish(out.finish()?)
}

/// Writes a folder for R, and says which measures it fits.
fn write_models(opened: &StudyFolder, arguments: &ExportArguments) -> Result<(), Failure> {
    let (None, false, Some(folder)) = (arguments.format, arguments.raw, &arguments.output) else {
        return Err(Failure::Message(
            "--what r writes a folder of two files: name it by -o, without --format and --raw".into(),
        ));
    };
    let models = export::r(opened.study(), opened.store(), arguments.all, folder)?;
    terminal::report(format_args!(
        "{} and models of {} in {}: run `Rscript analysis.R` there",
        counted(models.rows, "score"),
        listed(&models.fitted),
        folder.display()
    ));
    if !models.left_out.is_empty() {
        let names: Vec<&str> = models.left_out.iter().map(|(measure, _)| &**measure).collect();
        terminal::report(format_args!("left out, for reasons that the script says: {}", listed(&names)));
    }
    Ok(())
}

/// Says what was written and what was left out, on standard error.
fn report_preferences(counts: &PreferenceCounts, rows: PreferenceRows) {
    let (row, tie) = match rows {
        PreferenceRows::Votes => ("preference", "tie"),
        PreferenceRows::Majority => ("pair", "undecided pair"),
    };
    let mut said = counted(counts.written, row);
    let left_out: Vec<String> = [(counts.ties, tie), (counts.unscored, "unscored comparison")]
        .into_iter()
        .filter(|&(count, _)| count > 0)
        .map(|(count, what)| counted(count, what))
        .collect();
    if !left_out.is_empty() {
        said.push_str(&format!("; left out: {}", listed(&left_out)));
    }
    terminal::report(format_args!("{said}"));
    if counts.without_prompt > 0 {
        terminal::report(format_args!(
            "note: {} of {} without a prompt, which trainers need: prompts come from the table of the section `items`",
            counts.without_prompt, counts.written
        ));
    }
}

fn findings(opened: &StudyFolder) -> Result<Findings, Failure> {
    let mut findings = hype::block_on(analyse(opened.study(), opened.store()))?;
    if opened.is_simulated() {
        findings.add_notes([hype::simulated_note()]);
    }
    Ok(findings)
}

pub(crate) fn write_package(opened: &StudyFolder, folder: &Path) -> Result<Packaged, Failure> {
    let study = opened.study().clone();
    let study = match folder_of(opened) {
        Some(files) => study.in_folder(files),
        None => study,
    };
    let (found, simulated) = (findings(opened)?, opened.is_simulated());
    let packaged = package::package(&study, opened.store(), found, simulated, folder)?;
    terminal::report(format_args!(
        "{} in {}, without their keys, in {}: {}",
        counted(packaged.raters, "rater"),
        counted(packaged.sessions, "session"),
        folder.display(),
        packaged.files.join(", ")
    ));
    Ok(packaged)
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        Self::Message(error.to_string())
    }
}
