//! `hype report`: a study as a page with figures, tables and methods.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hype::StudyFolder;
use hype::exchange::registration::Registration;
use hype_core::model::labels::Labels;
use hype_core::study::analysis::analyse_with;
use hype_core::study::backend::{LiveFigure, LiveFigures};
use hype_core::yaml::Document;
use hype_core::{AnalysisError, Diagnostics, Findings, Store, Study};
use hype_report::{
    FigureFormats, Pictures, Records, ReportFile, ReportLanguage, ReportSource, Setting, Sheet,
};
#[cfg(feature = "figures")]
use hype_report::{Font, Printer};

#[cfg(not(feature = "figures"))]
use super::args::PaperArguments;
use super::args::StudyReportArguments;
use super::failure::Failure;
use super::metrics;
use super::output::{self, begin, finish};
use super::study_folder;
use super::terminal;

#[cfg(feature = "figures")]
mod export;
mod pictures;

pub(crate) use self::pictures::folder_of;

/// The folder of a report within that of its study.
const FOLDER: &str = "report";

pub(crate) fn run(arguments: &StudyReportArguments) -> Result<(), Failure> {
    let opened = study_folder::read(&arguments.study)?;
    if let Some(reason) = study_folder::nobody_finished(&opened)? {
        return Err(Failure::Message(reason));
    }
    let (mut findings, records) = analysed(&opened)?;
    if opened.is_simulated() {
        findings.add_notes([hype::simulated_note()]);
    }
    metrics::add(&opened, arguments.metrics.as_deref(), &mut findings, &records)?;
    if let Some(path) = &arguments.registered {
        let notes = Registration::read(path)?.notes(opened.study(), &findings);
        findings.add_notes(notes);
    }
    if let Some(path) = &arguments.labels {
        findings.label(&labels(path)?);
    }
    let mut source = source(&opened, &findings, &records);
    let shown = match (&arguments.output, arguments.with_images) {
        (None, _) => pictures::beside(&opened, &hype_report::pictured(&source)),
        (Some(_), true) => pictures::read(&opened, &hype_report::pictured(&source)),
        (Some(_), false) => Pictures::default(),
    };
    source.pictures = Some(&shown);
    if let Some(id) = &arguments.figure {
        return print_figure(&source, id);
    }
    if let Some(folder) = &arguments.export.export {
        return exported(&arguments.export, &source, folder);
    }
    let language = ReportLanguage::of(&arguments.language).unwrap_or_default();
    let folder = match &arguments.output {
        Some(folder) => folder.clone(),
        None => emptied(&opened)?,
    };
    let page = write_printed(&source, &folder, language)?;
    output::print(format_args!("{}", page.display()))?;
    if arguments.open {
        open_in_browser(&page);
    }
    Ok(())
}

/// Reads labels, which are like the section `report` of a spec.
pub(crate) fn labels(path: &Path) -> Result<Labels, Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure::about(path, &error))?;
    let mut faults = Diagnostics::new();
    let labels: Option<Labels> = match Document::parse(&text) {
        Ok(document) => {
            let read = document.root().read_leniently(&mut faults);
            read.iter().for_each(|labels: &Labels| labels.check(&mut faults));
            read
        }
        Err(found) => {
            faults = found;
            None
        }
    };
    match labels.filter(|_| !faults.has_errors()) {
        Some(labels) => Ok(labels),
        None => Err(Failure::Faults { path: path.display().to_string(), text, diagnostics: faults }),
    }
}

#[cfg(feature = "figures")]
use export::run as exported;

#[cfg(not(feature = "figures"))]
fn exported(_: &PaperArguments, _: &ReportSource<'_>, _: &Path) -> Result<(), Failure> {
    Err(Failure::Message(
        "this program does not print figures: install it with `--features figures`".to_owned(),
    ))
}

/// Writes the report of a study whose findings are known into the study's folder, and returns the path of its page. A report that
/// cannot be written is a warning, as the findings stand without it.
pub(crate) fn beside(opened: &StudyFolder, findings: &Findings, records: &Records) -> Option<PathBuf> {
    let mut source = source(opened, findings, records);
    let shown = pictures::beside(opened, &hype_report::pictured(&source));
    source.pictures = Some(&shown);
    let written = emptied(opened).and_then(|folder| write(&source, &folder, ReportLanguage::default()));
    written
        .inspect_err(|failure| {
            terminal::report(format_args!("warning: the report was not written"));
            failure.print();
        })
        .ok()
}

/// Writes the report of a simulation that is not kept, without images, and returns the path of its page.
pub(crate) fn of_simulation(
    study: &Study,
    findings: &Findings,
    records: &Records,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let shown = Pictures::default();
    let source =
        ReportSource { findings, records, study: Some(study), simulated: true, pictures: Some(&shown) };
    write(&source, folder, ReportLanguage::default())
}

/// The folder of the report within that of its study, without an earlier report, whose figures the next one may not have.
fn emptied(opened: &StudyFolder) -> Result<PathBuf, Failure> {
    remove(opened)?;
    Ok(opened.path().join(FOLDER))
}

/// Removes the report in a study's folder.
pub(crate) fn remove(opened: &StudyFolder) -> Result<(), Failure> {
    let folder = opened.path().join(FOLDER);
    for own in ["index.html", "answers.html", "methods.md", "references.bib", "figures", "tables"] {
        let path = folder.join(own);
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(Failure::about(&path, &error)),
            _ => {}
        }
    }
    Ok(())
}

/// The findings of a study, and what figures need of the raters who count.
pub(crate) fn analysed(opened: &StudyFolder) -> Result<(Findings, Records), AnalysisError> {
    analysed_in(opened.study(), opened.store())
}

/// The same of a study and its logs.
pub(crate) fn analysed_in(study: &Study, store: &dyn Store) -> Result<(Findings, Records), AnalysisError> {
    let mut records = Records::default();
    let analysis = analyse_with(study, store, |record, rows| records.add(record, rows));
    let findings = hype::block_on(analysis)?;
    Ok((findings, records))
}

/// Draws the report's overview of a study while it runs.
pub(crate) struct ReportFigures {
    /// Whether its raters are synthetic.
    pub(crate) simulated: bool,
}

impl LiveFigures for ReportFigures {
    fn analyse(
        &self,
        study: &Study,
        store: &dyn Store,
    ) -> Result<(Findings, Vec<LiveFigure>), AnalysisError> {
        let (findings, records) = analysed_in(study, store)?;
        let source = ReportSource {
            findings: &findings,
            records: &records,
            study: Some(study),
            simulated: self.simulated,
            pictures: None,
        };
        let drawn = hype_report::overview(&source).into_iter().map(|mut figure| {
            // The page writes it above the figure.
            let title = std::mem::take(&mut figure.title);
            let svg = |sheet| hype_report::svg(&figure, sheet, Setting::Alone, source.caution()).into();
            LiveFigure {
                wide: svg(Sheet::PAGE),
                narrow: svg(Sheet::PHONE),
                key: figure.id.into(),
                title: title.into(),
                about: figure.description.into(),
            }
        });
        let drawn = drawn.collect();
        Ok((findings, drawn))
    }
}

/// Returns the source of a study's report, without images.
pub(crate) fn source<'a>(
    opened: &'a StudyFolder,
    findings: &'a Findings,
    records: &'a Records,
) -> ReportSource<'a> {
    ReportSource {
        findings,
        records,
        study: Some(opened.study()),
        simulated: opened.is_simulated(),
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
pub(crate) fn write(
    source: &ReportSource<'_>,
    folder: &Path,
    language: ReportLanguage,
) -> Result<PathBuf, Failure> {
    write_linking(source, folder, language, FigureFormats::Drawn)
}

/// Writes a report whose page links these files of figures, and returns the path of the page.
fn write_linking(
    source: &ReportSource<'_>,
    folder: &Path,
    language: ReportLanguage,
    formats: FigureFormats,
) -> Result<PathBuf, Failure> {
    let files = hype_report::report_in(source, language, formats);
    write_files(&files.map_err(|error| Failure::Message(error.to_string()))?, folder)
}

/// Writes a report, with figures as PDF and PNG where the program can, and returns the path of its page.
#[cfg(feature = "figures")]
fn write_printed(
    source: &ReportSource<'_>,
    folder: &Path,
    language: ReportLanguage,
) -> Result<PathBuf, Failure> {
    let page = write_linking(source, folder, language, FigureFormats::Printed)?;
    let printer = Printer::new(&Font::Sans).map_err(|error| Failure::Message(error.to_string()))?;
    let printed = printer.figures(source);
    for file in printed.map_err(|error| Failure::Message(error.to_string()))? {
        write_file(&folder.join(file.path), &file.bytes)?;
    }
    Ok(page)
}

#[cfg(not(feature = "figures"))]
use write as write_printed;

/// Writes files into a folder and returns the path of the page among them.
pub(crate) fn write_files(files: &[ReportFile], folder: &Path) -> Result<PathBuf, Failure> {
    for file in files {
        write_file(&folder.join(&file.path), file.text.as_bytes())?;
    }
    Ok(folder.join("index.html"))
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| Failure::about(parent, &error))?;
    }
    let mut out = begin(Some(path))?;
    out.write_all(bytes).map_err(|error| Failure::about(path, &error))?;
    finish(out)
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
