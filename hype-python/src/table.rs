//! Tables as Python has them: paths, frames that export Arrow, and mappings of columns.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchReader, StringArray,
};
use frames::FrameRows;
use hype::exchange::TableSource;
use pyo3::exceptions::{PyImportError, PyKeyboardInterrupt};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyFloat, PyInt, PyString};

use crate::errors::error;
use crate::values::STREAM;

/// The table of an argument, with columns that have one text in all rows.
pub(crate) fn source(table: &Bound<'_, PyAny>, constants: Vec<(String, String)>) -> PyResult<TableSource> {
    let py = table.py();
    if let Ok(path) = table.extract::<PathBuf>() {
        if constants.is_empty() {
            return Ok(TableSource::File(path));
        }
        let names: Vec<_> = constants.iter().map(|(name, _)| format!("{name}=")).collect();
        let text = format!("name the columns of the file {} with {}", path.display(), names.join(", "));
        return Err(error(py, &text));
    }
    let (schema, batches) = batches(table)?;
    let rows = FrameRows::new(&schema, batches, constants).map_err(|fault| error(py, &fault.to_string()))?;
    Ok(TableSource::Rows(Arc::new(rows)))
}

type Batches = (arrow_schema::SchemaRef, Vec<RecordBatch>);

fn batches(table: &Bound<'_, PyAny>) -> PyResult<Batches> {
    let py = table.py();
    if table.hasattr("__arrow_c_stream__")? {
        match table.call_method0("__arrow_c_stream__") {
            Ok(capsule) => return streamed(&capsule.cast_into::<PyCapsule>()?),
            // Frames of pandas export Arrow with the help of pyarrow, which may not be installed.
            Err(fault) if fault.is_instance_of::<PyImportError>(py) && table.hasattr("to_dict")? => {
                return mapped(&table.call_method1("to_dict", ("list",))?);
            }
            Err(fault) => return Err(fault),
        }
    }
    if table.hasattr("keys")? && table.hasattr("__getitem__")? && !table.hasattr("to_frame")? {
        return mapped(table);
    }
    let kind = table.get_type().name()?;
    Err(error(
        py,
        &format!(
            "{kind} is not a table: pass a frame (pandas, polars, pyarrow, DuckDB), a mapping of columns such as \
             {{\"rater\": [...], \"value\": [...]}}, or the path of a file"
        ),
    ))
}

/// The batches of a stream, which is used up.
fn streamed(capsule: &Bound<'_, PyCapsule>) -> PyResult<Batches> {
    let py = capsule.py();
    let stream = taken(capsule)?;
    let reader = RecordBatchStreamReader::try_new(stream).map_err(|fault| {
        error(
            py,
            &format!("this is not a frame with columns ({fault}): of a Series, pass its frame, such as `series.to_frame()`"),
        )
    })?;
    let schema = reader.schema();
    let batches: Result<Vec<_>, _> = reader.collect();
    Ok((schema, batches.map_err(|fault| error(py, &format!("the frame cannot be read: {fault}")))?))
}

/// Takes the stream out of a capsule, which is left without one.
#[expect(unsafe_code, reason = "the interface of Arrow passes pointers")]
fn taken(capsule: &Bound<'_, PyCapsule>) -> PyResult<FFI_ArrowArrayStream> {
    let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name points to a stream of Arrow, by the interface's specification. `from_raw` moves it out and
    // leaves a released stream there, and it is released once.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) })
}

/// The batch of a mapping of columns.
fn mapped(mapping: &Bound<'_, PyAny>) -> PyResult<Batches> {
    let py = mapping.py();
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for name in mapping.call_method0("keys")?.try_iter()? {
        let name = name?;
        let cells = mapping.get_item(&name)?;
        let name: String = name.str()?.extract()?;
        let array = column(&name, &cells)?;
        if let Some((first, other)) = columns.first()
            && other.len() != array.len()
        {
            let (other, own) = (other.len(), array.len());
            let text = format!(
                "column `{name}` has {own} rows, and `{first}` has {other}: give all the same number"
            );
            return Err(error(py, &text));
        }
        columns.push((name, array));
    }
    if columns.is_empty() {
        return Err(error(py, "the mapping has no columns"));
    }
    let batch = RecordBatch::try_from_iter(columns).map_err(|fault| error(py, &fault.to_string()))?;
    Ok((batch.schema(), vec![batch]))
}

/// A cell of a mapping's column.
enum Cell {
    Missing,
    Truth(bool),
    Whole(i64),
    Number(f64),
    Text(String),
}

impl Cell {
    /// Reads an object, or says what it is.
    fn of(object: &Bound<'_, PyAny>) -> Result<Self, String> {
        if object.is_none() {
            return Ok(Self::Missing);
        }
        if let Ok(text) = object.cast::<PyString>() {
            return text.extract().map(Self::Text).map_err(|_| "a text that is not Unicode".to_owned());
        }
        if object.cast::<PyBool>().is_ok() {
            return object.extract().map(Self::Truth).map_err(|fault| fault.to_string());
        }
        if object.cast::<PyInt>().is_ok() {
            let whole = object.extract().map(Self::Whole);
            return whole
                .or_else(|_| object.extract().map(Self::Number))
                .map_err(|_| "a number too large".to_owned());
        }
        if object.cast::<PyFloat>().is_ok() {
            let number: f64 = object.extract().map_err(|_| "a number".to_owned())?;
            return Ok(if number.is_nan() { Self::Missing } else { Self::Number(number) });
        }
        let kind = object.get_type().name().map(|name| name.to_string()).unwrap_or_default();
        if matches!(&*kind, "NAType" | "NaTType") {
            return Ok(Self::Missing);
        }
        // Numbers of NumPy.
        match object.call_method0("item") {
            Ok(item)
                if !item.is(object) && item.get_type().name().is_ok_and(|name| name.to_string() != kind) =>
            {
                Self::of(&item)
            }
            _ => Err(format!("a {kind}")),
        }
    }

    const fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }
}

/// A column as an array of one type.
fn column(name: &str, cells: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let py = cells.py();
    let cells = match cells.call_method0("tolist") {
        Ok(list) => list,
        Err(fault) if fault.is_instance_of::<PyKeyboardInterrupt>(py) => return Err(fault),
        Err(_) => cells.clone(),
    };
    if cells.is_instance_of::<PyString>() || cells.try_iter().is_err() {
        return Err(error(py, &format!("column `{name}` is not a list of cells")));
    }
    let mut found = Vec::new();
    let mut first: Option<(usize, bool)> = None;
    for (row, object) in cells.try_iter()?.enumerate() {
        let object = object?;
        let at_row = |what: &str| {
            let shown = object.repr().map(|text| text.to_string()).unwrap_or_default();
            error(py, &format!("the mapping, row {}, column `{name}`: {shown} is {what}", row + 1))
        };
        let cell = Cell::of(&object)
            .map_err(|what| at_row(&format!("{what}, and cells are texts, numbers or truth values")))?;
        if !matches!(cell, Cell::Missing) {
            match first {
                None => first = Some((row, cell.is_text())),
                Some((row, is_text)) if is_text != cell.is_text() => {
                    let (own, other) =
                        if is_text { ("not a text", "is one") } else { ("a text", "has a number") };
                    return Err(at_row(&format!(
                        "{own}, and row {} {other}: a column has one type",
                        row + 1
                    )));
                }
                Some(_) => {}
            }
        }
        found.push(cell);
    }
    Ok(array(found))
}

fn array(cells: Vec<Cell>) -> ArrayRef {
    if cells.iter().any(Cell::is_text) {
        let text = |cell| if let Cell::Text(text) = cell { Some(text) } else { None };
        return Arc::new(cells.into_iter().map(text).collect::<StringArray>());
    }
    if cells.iter().any(|cell| matches!(cell, Cell::Number(_))) {
        let number = |cell| match cell {
            Cell::Number(number) => Some(number),
            Cell::Whole(whole) => Some(whole as f64),
            Cell::Truth(truth) => Some(f64::from(u8::from(truth))),
            _ => None,
        };
        return Arc::new(cells.into_iter().map(number).collect::<Float64Array>());
    }
    if cells.iter().any(|cell| matches!(cell, Cell::Whole(_))) {
        let whole = |cell| match cell {
            Cell::Whole(whole) => Some(whole),
            Cell::Truth(truth) => Some(i64::from(truth)),
            _ => None,
        };
        return Arc::new(cells.into_iter().map(whole).collect::<Int64Array>());
    }
    let truth = |cell| if let Cell::Truth(truth) = cell { Some(truth) } else { None };
    Arc::new(cells.into_iter().map(truth).collect::<BooleanArray>())
}

/// The different texts of a frame's column, sorted; `None` if there are only numbers, there is no such column, or it is a file.
pub(crate) fn texts_of(table: &Bound<'_, PyAny>, column: &str) -> PyResult<Option<Vec<String>>> {
    if table.extract::<PathBuf>().is_ok() {
        return Ok(None);
    }
    let (_, batches) = batches(table)?;
    let mut texts: BTreeSet<String> = BTreeSet::new();
    for batch in &batches {
        let Some(column) = batch.column_by_name(column) else { return Ok(None) };
        match frames::texts(column.as_ref()) {
            Some(found) => texts.extend(found),
            None => return Ok(None),
        }
    }
    Ok((!texts.is_empty()).then(|| texts.into_iter().collect()))
}
