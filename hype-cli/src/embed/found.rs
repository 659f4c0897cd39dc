//! Findings, with what draws them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hype::exchange::{export, layout};
use hype::{OpenedStudy, StudyFolder};
use hype_core::study::backend::Unwatched;
use hype_core::{Diagnostic, Findings, Watch};
use hype_report::{Pictures, Records, ReportFile, ReportLanguage, ReportSource};
use serde_json::Value;

use super::rows::ExportedRows;
use super::{CallError, json};
use crate::aggregate::{Computed, compute};
use crate::args::{AggregateArguments, ReportArguments, SimulateArguments};
use crate::failure::Failure;
use crate::output::Page;
use crate::report;
use crate::run;
use crate::tables::Told;

/// The width of findings as text, in columns.
const WIDTH: usize = 100;

/// Findings, and where they are from: what figures need of every rater is computed when a figure is asked for.
pub struct CalledFindings {
    findings: Findings,
    said: Vec<String>,
    warnings: Vec<Diagnostic>,
    origin: Origin,
}

enum Origin {
    Table(Box<AggregateArguments>),
    Simulation(Box<OpenedStudy>, Box<SimulateArguments>),
    Folder(Arc<StudyFolder>),
}

impl CalledFindings {
    pub(super) fn of_table(
        arguments: AggregateArguments,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Self, CallError> {
        let Computed { findings, assumptions, .. } = compute(&arguments, false, stopped)?;
        let origin = Origin::Table(Box::new(arguments));
        Ok(Self { findings, said: assumptions, warnings: Vec::new(), origin })
    }

    pub(super) fn of_simulation(
        opened: OpenedStudy,
        arguments: SimulateArguments,
        watch: &dyn Watch,
    ) -> Result<Self, CallError> {
        let (findings, _) = run::simulated(&opened.study, &arguments, false, watch)?;
        let warnings = opened.warnings.as_slice().to_vec();
        let origin = Origin::Simulation(Box::new(opened), Box::new(arguments));
        Ok(Self { findings, said: Vec::new(), warnings, origin })
    }

    pub(super) const fn of_folder(findings: Findings, folder: Arc<StudyFolder>) -> Self {
        Self { findings, said: Vec::new(), warnings: Vec::new(), origin: Origin::Folder(folder) }
    }

    /// The findings.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.findings
    }

    /// The findings as `--json` prints them.
    ///
    /// # Errors
    /// If they cannot be written as JSON.
    pub fn json(&self) -> Result<Value, CallError> {
        json(&self.findings)
    }

    /// Returns the assumptions about the table.
    #[must_use]
    pub fn said(&self) -> &[String] {
        &self.said
    }

    /// The warnings of the spec.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The findings as the terminal shows them, with `full` all of them.
    #[must_use]
    pub fn text(&self, full: bool) -> String {
        let study = match &self.origin {
            Origin::Table(_) => None,
            Origin::Simulation(opened, _) => Some(&opened.study),
            Origin::Folder(folder) => Some(folder.study()),
        };
        let table = match &self.origin {
            Origin::Table(arguments) => Some(arguments.source().to_string()),
            _ => None,
        };
        let assumptions = match &self.origin {
            Origin::Simulation(opened, _) => {
                run::assumptions(&opened.study, opened.study.spec().collection.simulate.as_deref())
            }
            _ => Vec::new(),
        };
        let told =
            Told { findings: &self.findings, study, table, assumptions, files: Vec::new(), report: None };
        let asked = ReportArguments { json: false, full, notes: false, quiet: false };
        let mut page = Page::of_width(WIDTH);
        told.put_on(&mut page, &asked);
        page.text().trim_end().to_owned()
    }

    /// A part of a page: the table, the figures and the notes, without scripts.
    ///
    /// # Errors
    /// If the table or the logs cannot be read again.
    pub fn html(&self) -> Result<String, CallError> {
        self.with_source(hype_report::fragment)
    }

    /// Writes the report and returns the path of its page. A path that ends in `.html` is that of the page, and other files are
    /// written next to it; any other path is that of a folder.
    ///
    /// # Errors
    /// If the table or the logs cannot be read again, or the disk fails.
    pub fn report(&self, path: &Path) -> Result<PathBuf, CallError> {
        let language = ReportLanguage::default();
        let files = self.with_source(|source| {
            hype_report::report_in(source, language, hype_report::FigureFormats::Drawn)
        })?;
        let mut files = files.map_err(|error| CallError::new(error.to_string()))?;
        let Some(name) = path.file_name().filter(|_| path.extension().is_some_and(|end| end == "html"))
        else {
            return Ok(report::write_files(&files, path)?);
        };
        let name = name.to_string_lossy();
        for ReportFile { path, text } in &mut files {
            if path.ends_with(".html") {
                *text = text.replace("index.html", &name);
            }
            if path == "index.html" {
                *path = name.to_string();
            }
        }
        report::write_files(&files, path.parent().unwrap_or(Path::new("")))?;
        Ok(path.to_owned())
    }

    /// The findings as one table, as `hype export --what findings` writes it.
    ///
    /// # Errors
    /// If they cannot be written as rows.
    pub fn rows(&self) -> Result<ExportedRows, CallError> {
        ExportedRows::written(&layout::FINDINGS, |out| {
            export::findings(&self.findings, out).map(|_| ()).map_err(Failure::from)
        })
    }

    /// Passes on what a report is made of.
    fn with_source<T>(&self, make: impl FnOnce(&ReportSource<'_>) -> T) -> Result<T, CallError> {
        let findings = &self.findings;
        let shown = Pictures::default();
        Ok(match &self.origin {
            Origin::Table(arguments) => {
                let records = match arguments.source().is_stream() {
                    true => Records::default(),
                    false => compute(arguments, true, &|| false)?.records.unwrap_or_default(),
                };
                make(&ReportSource {
                    findings,
                    records: &records,
                    study: None,
                    simulated: false,
                    pictures: None,
                })
            }
            Origin::Simulation(opened, arguments) => {
                let study = &opened.study;
                let (_, records) = run::simulated(study, arguments, true, &Unwatched)?;
                make(&ReportSource {
                    findings,
                    records: &records,
                    study: Some(study),
                    simulated: true,
                    pictures: Some(&shown),
                })
            }
            Origin::Folder(folder) => {
                let (_, records) = report::analysed(folder).map_err(Failure::from)?;
                let mut source = report::source(folder, findings, &records);
                source.pictures = Some(&shown);
                make(&source)
            }
        })
    }
}

impl std::fmt::Debug for CalledFindings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CalledFindings").field("findings", &self.findings).finish_non_exhaustive()
    }
}
