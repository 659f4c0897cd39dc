//! `hype report`: a study as a page with figures, tables and methods.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hype::StudyFolder;
use hype::exchange::Metrics;
use hype::exchange::registration::Registration;
use hype_core::study::analysis::visit_scores;
use hype_core::{Findings, analyse};
use hype_report::{MetricValues, Pictures, Records, ReportSource};

use super::args::StudyReportArguments;
use super::failure::Failure;
use super::metrics;
use super::output::{self, begin, finish};
use super::study_folder;
use super::terminal;

mod pictures;

/// The folder of a report within that of its study.
const FOLDER: &str = "report";

pub(crate) fn run(arguments: &StudyReportArguments) -> Result<(), Failure> {
    let opened = study_folder::read(&arguments.study)?;
    let mut findings = hype::block_on(analyse(opened.study(), opened.store()))?;
    if opened.is_simulated() {
        findings.notes.insert(0, hype::simulated_note());
    }
    let metrics = arguments.metrics.as_deref().map(Metrics::read).transpose()?;
    if let Some(metrics) = &metrics {
        metrics::correlate(metrics, &mut findings, opened.study());
    }
    if let Some(path) = &arguments.registered {
        let notes = Registration::read(path)?.notes(opened.study(), &findings);
        findings.notes.extend(notes);
    }
    let metrics = metrics.as_ref().map(metrics::values).unwrap_or_default();
    let records = records(&opened)?;
    let mut source = ReportSource { metrics: &metrics, ..source(&opened, &findings, &records) };
    let shown = if arguments.output.is_none() || arguments.with_images {
        pictures::read(&opened, &hype_report::pictured(&source))
    } else {
        Pictures::default()
    };
    source.pictures = Some(&shown);
    if let Some(id) = &arguments.figure {
        return print_figure(&source, id);
    }
    let page = match &arguments.output {
        Some(folder) => write(&source, folder)?,
        None => write_into_study(&opened, &source)?,
    };
    output::print(format_args!("{}", page.display()))?;
    if arguments.open {
        open_in_browser(&page);
    }
    Ok(())
}

/// Writes the report of a study whose findings are known into the study's folder, and says where. A report that cannot be
/// written is a warning, as the findings stand without it.
pub(crate) fn beside(
    opened: &StudyFolder,
    findings: &Findings,
    metrics: &[MetricValues],
) -> Result<(), Failure> {
    let records = records(opened)?;
    let mut source = ReportSource { metrics, ..source(opened, findings, &records) };
    let shown = pictures::read(opened, &hype_report::pictured(&source));
    source.pictures = Some(&shown);
    match write_into_study(opened, &source) {
        Ok(page) => output::print(format_args!("report: {}", page.display())),
        Err(failure) => {
            terminal::report(format_args!("warning: the report was not written"));
            failure.print();
            Ok(())
        }
    }
}

/// Writes the report into the study's folder, in place of an earlier one, whose figures it may not have.
fn write_into_study(opened: &StudyFolder, source: &ReportSource<'_>) -> Result<PathBuf, Failure> {
    remove(opened)?;
    write(source, &opened.path().join(FOLDER))
}

/// Removes the report in a study's folder.
pub(crate) fn remove(opened: &StudyFolder) -> Result<(), Failure> {
    let folder = opened.path().join(FOLDER);
    for own in ["index.html", "methods.md", "references.bib", "figures", "tables"] {
        let path = folder.join(own);
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(Failure::about(&path, &error)),
            _ => {}
        }
    }
    Ok(())
}

/// What the raters who count answered.
fn records(opened: &StudyFolder) -> Result<Records, Failure> {
    let study = opened.study();
    let mut records = Records::default();
    hype::block_on(visit_scores(study, opened.store(), |record, scores| {
        if record.is_complete() && study.exclusion(record).is_none() {
            records.add(record, scores);
        }
        scores.clear_rows();
        true
    }))?;
    Ok(records)
}

fn source<'a>(opened: &'a StudyFolder, findings: &'a Findings, records: &'a Records) -> ReportSource<'a> {
    ReportSource {
        findings,
        records,
        study: Some(opened.study()),
        simulated: opened.is_simulated(),
        metrics: &[],
        pictures: None,
    }
}

/// Prints a figure to the terminal.
fn print_figure(source: &ReportSource<'_>, id: &str) -> Result<(), Failure> {
    let figures = hype_report::figures(source);
    let Some(figure) = figures.iter().find(|figure| figure.id == id) else {
        let known: Vec<&str> = figures.iter().map(|figure| &*figure.id).collect();
        return Err(Failure::Message(format!(
            "there is no figure {id}; this study has {}",
            known.join(", ")
        )));
    };
    let text = hype_report::terminal(figure, terminal::output_width(), source.caution());
    output::print(format_args!("{}", text.trim_end()))
}

/// Writes a report and returns the path of its page.
pub(crate) fn write(source: &ReportSource<'_>, folder: &Path) -> Result<PathBuf, Failure> {
    for file in hype_report::report(source) {
        let path = folder.join(&file.path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| Failure::about(parent, &error))?;
        let mut out = begin(Some(&path))?;
        out.write_all(file.text.as_bytes()).map_err(|error| Failure::about(&path, &error))?;
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
