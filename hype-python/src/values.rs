//! Values that calls return.

use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use hype::exchange::layout::ColumnType;
use hype_cli::embed::{CalledFindings, ExportedRows, OpenedFolder};
use hype_core::Diagnostic;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::calls::in_background;
use crate::errors;

/// The name of capsules with a stream of Arrow.
pub(crate) const STREAM: &CStr = c"arrow_array_stream";

/// Diagnostics as JSON.
pub(crate) fn dictionaries(diagnostics: &[Diagnostic]) -> String {
    serde_json::to_string(diagnostics).unwrap_or_else(|_| "[]".to_owned())
}

/// A table in memory.
#[pyclass(frozen, module = "hype_eval._hype")]
pub(crate) struct Batch(RecordBatch);

impl Batch {
    pub(crate) fn of(rows: &ExportedRows) -> PyResult<Self> {
        let columns: Vec<_> = rows.columns.iter().map(|column| (column.name, column.kind)).collect();
        let made = frames::frame(&columns, &rows.rows);
        made.map(Self).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }
}

#[pymethods]
impl Batch {
    /// The columns as JSON: names, and lists of cells.
    fn columns(&self) -> String {
        serde_json::to_string(&frames::columns(&self.0)).unwrap_or_default()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// These rows and columns alone, with other names of the columns.
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
    fn part(&self, rows: Vec<usize>, columns: Vec<String>, names: Vec<String>) -> PyResult<Self> {
        let known = frames::columns(&self.0);
        let schema = self.0.schema();
        let kind = |name: &str| match schema.field_with_name(name) {
            Ok(field) => frames::kind_of(field.data_type()),
            Err(_) => ColumnType::Text,
        };
        let kinds: Vec<_> =
            names.iter().zip(&columns).map(|(name, column)| (&**name, kind(column))).collect();
        let cell = |row: usize, name: &String| {
            let column = known.iter().find(|(known, _)| known == name);
            column.and_then(|(_, cells)| cells.get(row)).cloned().unwrap_or_default()
        };
        let rows: Vec<Vec<_>> =
            rows.into_iter().map(|row| columns.iter().map(|name| cell(row, name)).collect()).collect();
        frames::frame(&kinds, &rows).map(Self).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// The Arrow PyCapsule interface. A wanted schema is not heeded, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
    }
}

/// Findings.
#[pyclass(frozen, module = "hype_eval._hype")]
pub(crate) struct FoundFindings(Arc<CalledFindings>);

impl From<CalledFindings> for FoundFindings {
    fn from(found: CalledFindings) -> Self {
        Self(Arc::new(found))
    }
}

#[pymethods]
impl FoundFindings {
    /// Returns the JSON that `--json` prints.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        let json = self.0.json().map_err(|error| errors::raised(py, &error))?;
        Ok(json.to_string())
    }

    /// Returns the text that the terminal shows.
    fn text(&self, full: bool) -> String {
        self.0.text(full)
    }

    /// Returns the assumptions that were made about the table.
    fn said(&self) -> Vec<String> {
        self.0.said().to_vec()
    }

    /// The warnings of the spec, as JSON.
    fn warnings(&self) -> String {
        dictionaries(self.0.warnings())
    }

    /// A part of a page.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let found = Arc::clone(&self.0);
        in_background(py, None, move |_| found.html())
    }

    /// All rows, as `hype export --what findings` writes them.
    fn rows(&self, py: Python<'_>) -> PyResult<Batch> {
        Batch::of(&self.0.rows().map_err(|error| errors::raised(py, &error))?)
    }

    /// Writes the report.
    fn report(&self, py: Python<'_>, path: PathBuf) -> PyResult<PathBuf> {
        let found = Arc::clone(&self.0);
        in_background(py, None, move |_| found.report(&path))
    }
}

/// A study that was collected.
#[pyclass(frozen, module = "hype_eval._hype")]
pub(crate) struct FoundStudy(OpenedFolder);

impl From<OpenedFolder> for FoundStudy {
    fn from(opened: OpenedFolder) -> Self {
        Self(opened)
    }
}

#[pymethods]
impl FoundStudy {
    /// Its name.
    fn name(&self) -> String {
        self.0.study().spec().name.to_string()
    }

    /// Its findings.
    fn findings(&self, py: Python<'_>) -> PyResult<FoundFindings> {
        let opened = self.0.clone();
        in_background(py, None, move |_| opened.findings()).map(FoundFindings::from)
    }

    /// One of its tables.
    fn table(&self, py: Python<'_>, what: String) -> PyResult<Batch> {
        let opened = self.0.clone();
        Batch::of(&in_background(py, None, move |_| opened.table(&what))?)
    }
}
