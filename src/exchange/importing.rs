//! An import in progress, and its report.

use std::collections::BTreeMap;

use hype_core::Row;
use hype_core::model::score::Names;

use super::fault::{Faults, ImportError, ImportFault};

/// Receives the values that an importer reads.
pub type Sink<'a> = dyn FnMut(&Row<'_>) -> std::io::Result<()> + 'a;

/// What an importer has read, passed on and left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportReport {
    /// The number of files read.
    pub files: u64,
    /// What a row of the files is, such as `assignment`.
    pub what: &'static str,
    /// The number of rows read.
    pub rows: u64,
    /// The number of values passed on.
    pub values: u64,
    /// The number of different raters.
    pub raters: u64,
    /// The number of different models.
    pub models: u64,
    /// The number of different items.
    pub items: u64,
    /// The number of omissions, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Notes for readers of the scores.
    pub notes: Vec<String>,
}

/// An import in progress: values are passed on until a fault is found.
pub(super) struct Importing<'a> {
    pub(super) report: ImportReport,
    pub(super) faults: Faults,
    sink: &'a mut Sink<'a>,
    raters: Names,
    models: Names,
    items: Names,
}

impl<'a> Importing<'a> {
    pub(super) fn new(what: &'static str, sink: &'a mut Sink<'a>) -> Self {
        Self {
            report: ImportReport { what, ..ImportReport::default() },
            faults: Faults::default(),
            sink,
            raters: Names::default(),
            models: Names::default(),
            items: Names::default(),
        }
    }

    /// Passes a value on.
    pub(super) fn row(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        if !self.faults.is_empty() {
            return Ok(());
        }
        self.raters.intern(row.rater);
        self.models.intern(row.model);
        if !row.against.is_empty() {
            self.models.intern(row.against);
        }
        if !row.item.is_empty() {
            self.items.intern(row.item);
        }
        self.report.values += 1;
        (self.sink)(row).map_err(ImportError::Write)
    }

    pub(super) fn fault(&mut self, fault: ImportFault) {
        self.faults.push(fault);
    }

    pub(super) fn leave_out(&mut self, reason: impl Into<String>) {
        *self.report.left_out.entry(reason.into()).or_default() += 1;
    }

    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.report.notes.push(text.into());
    }

    pub(super) fn finish(self) -> Result<ImportReport, ImportError> {
        if !self.faults.is_empty() {
            return Err(self.faults.into_error());
        }
        let count = |names: &Names| names.len() as u64;
        let (raters, models, items) = (count(&self.raters), count(&self.models), count(&self.items));
        Ok(ImportReport { raters, models, items, ..self.report })
    }
}
