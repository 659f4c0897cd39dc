//! `hype report`: a study as a page with figures, tables and methods.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hype::StudyFolder;
use hype_core::study::analysis::visit_scores;
use hype_core::{Findings, analyse};
use hype_report::{Records, Source};

use super::args::StudyReportArguments;
use super::failure::Failure;
use super::output::{self, begin, finish};
use super::study_folder;
use super::terminal;

/// The folder of a report within that of its study.
const FOLDER: &str = "report";

pub(crate) fn run(arguments: &StudyReportArguments) -> Result<(), Failure> {
    let opened = study_folder::read(&arguments.study)?;
    let mut findings = hype::block_on(analyse(opened.study(), opened.store()))?;
    if opened.is_simulated() {
        findings.notes.insert(0, hype::simulated_note());
    }
    let folder = arguments.output.clone().unwrap_or_else(|| opened.path().join(FOLDER));
    let page = write(&opened, &findings, &folder)?;
    output::print(format_args!("{}", page.display()))?;
    if arguments.open {
        open_in_browser(&page);
    }
    Ok(())
}

/// Writes the report of a study whose findings are known into the study's folder, and says where. A report that cannot be
/// written is a warning, as the findings stand without it.
pub(crate) fn beside(opened: &StudyFolder, findings: &Findings) -> Result<(), Failure> {
    match write(opened, findings, &opened.path().join(FOLDER)) {
        Ok(page) => output::print(format_args!("report: {}", page.display())),
        Err(failure) => {
            terminal::report(format_args!("warning: the report was not written"));
            failure.print();
            Ok(())
        }
    }
}

/// Writes a report and returns the path of its page.
fn write(opened: &StudyFolder, findings: &Findings, folder: &Path) -> Result<PathBuf, Failure> {
    let failed = |path: &Path| { let path = path.to_owned(); move |error: std::io::Error| Failure::about(&path, &error) };
    let study = opened.study();
    let mut records = Records::default();
    hype::block_on(visit_scores(study, opened.store(), |record, scores| {
        if record.is_complete() && study.exclusion(record).is_none() {
            records.add(record, scores);
        }
        scores.clear_rows();
        true
    }))?;
    let source = Source { findings, records: &records, study: Some(study), simulated: opened.is_simulated() };
    for file in hype_report::report(&source) {
        let path = folder.join(&file.path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(failed(parent))?;
        let mut out = begin(Some(&path))?;
        out.write_all(file.text.as_bytes()).map_err(failed(&path))?;
        finish(out)?;
    }
    Ok(folder.join("index.html"))
}

/// Asks the system to show a page. Without a browser there is a warning.
fn open_in_browser(page: &Path) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let started = Command::new(program)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        terminal::report(format_args!("warning: {program} cannot be started: {error}"));
    }
}
