//! An import in progress, and its report.

use std::collections::BTreeMap;

use hype_core::model::score::Names;
use hype_core::{MeasureScale, Row};

use super::fault::{Faults, ImportError, ImportFault};
use super::spellings::spellings;

/// Receives the values that an importer reads, with the facts that are known about each; `None` if the source states none.
pub type Sink<'a> = dyn FnMut(&Row<'_>, Option<Facts>) -> std::io::Result<()> + 'a;

/// The statements of a table about a value: the columns [`FACTS`](super::layout::FACTS).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_structs, reason = "importers outside of this crate create it")]
pub struct Facts {
    /// Whether the rater is a place in a list of answers that names no raters, and not a person.
    pub is_made_up: bool,
    /// The meaning of differences between values of the measure, if known.
    pub scale: Option<MeasureScale>,
}

/// The cell of raters that are places in lists.
const MADE_UP: &str = "made-up";

impl Facts {
    /// Facts about raters that are places in lists.
    pub(super) const MADE_UP_RATERS: Self = Self { is_made_up: true, scale: None };

    /// The cells of [`FACTS`](super::layout::FACTS).
    #[must_use]
    pub fn cells(self) -> [&'static str; 2] {
        let kind = if self.is_made_up { MADE_UP } else { "" };
        [kind, self.scale.map_or("", MeasureScale::name)]
    }

    /// Reads the cells of [`FACTS`](super::layout::FACTS).
    ///
    /// # Errors
    /// For a cell that says nothing known: its number, and what it may be.
    pub(super) fn read([kind, scale]: [&str; 2]) -> Result<Self, (usize, String)> {
        let is_made_up = match kind {
            "" => false,
            MADE_UP => true,
            _ => return Err((0, format!("write `{MADE_UP}` or leave the cell empty"))),
        };
        let known = MeasureScale::ALL.into_iter().find(|known| known.name() == scale);
        if known.is_none() && !scale.is_empty() {
            return Err((1, "write nominal, ordinal or interval, or leave the cell empty".into()));
        }
        Ok(Self { is_made_up, scale: known })
    }
}

/// The numbers of rows that an importer has read, passed on and left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportReport {
    /// The number of files read.
    pub files: u64,
    /// The name of a row of the files, such as `assignment`.
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
    /// The facts about the next values.
    pub(super) facts: Option<Facts>,
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
            facts: None,
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
        (self.sink)(row, self.facts).map_err(ImportError::Write)
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

    pub(super) fn finish(mut self) -> Result<ImportReport, ImportError> {
        for (kind, names) in [("raters", &self.raters), ("models", &self.models), ("items", &self.items)] {
            self.report.notes.extend(spellings(kind, names.all().iter().map(|name| &**name)));
        }
        if !self.faults.is_empty() {
            return Err(self.faults.into_error());
        }
        let count = |names: &Names| names.len() as u64;
        let (raters, models, items) = (count(&self.raters), count(&self.models), count(&self.items));
        Ok(ImportReport { raters, models, items, ..self.report })
    }
}
