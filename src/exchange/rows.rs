//! Writing tables row by row.

use std::io::Write;

use hype_tables::harmless;
use serde_json::Value;

use super::error::ExportError;
use super::layout::ExportColumn;

#[cfg(feature = "parquet")]
mod parquet;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values with a header. Cells that a spreadsheet would compute are text, after an apostrophe.
    Csv,
    /// The same with all cells as they are.
    RawCsv,
    /// One JSON object per line.
    JsonLines,
    /// Apache Parquet with typed columns; needs the feature `parquet`.
    Parquet,
}

/// Writes the rows of a table, with at most one chunk of rows in memory.
pub struct RowWriter<W: Write + Send>(Inner<W>);

enum Inner<W: Write + Send> {
    Csv {
        out: Box<csv::Writer<W>>,
        is_raw: bool,
    },
    JsonLines {
        out: W,
        columns: Vec<ExportColumn>,
    },
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::ParquetWriter<W>>),
}

impl<W: Write + Send> RowWriter<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// If the table cannot be written, or the program was built without the format.
    pub fn begin(out: W, format: Format, columns: &[ExportColumn]) -> Result<Self, ExportError> {
        Ok(Self(match format {
            Format::Csv | Format::RawCsv => {
                let mut out = csv::Writer::from_writer(out);
                out.write_record(columns.iter().map(|column| column.name))?;
                Inner::Csv { out: Box::new(out), is_raw: format == Format::RawCsv }
            }
            Format::JsonLines => Inner::JsonLines { out, columns: columns.to_vec() },
            #[cfg(feature = "parquet")]
            Format::Parquet => Inner::Parquet(Box::new(parquet::ParquetWriter::begin(out, columns)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(ExportError::NoParquet),
        }))
    }

    /// Writes a row: one value per column.
    ///
    /// # Errors
    /// If the table cannot be written.
    pub fn write(&mut self, row: &[Value]) -> Result<(), ExportError> {
        match &mut self.0 {
            Inner::Csv { out, is_raw } => {
                let cell = |value: &Value| match value {
                    Value::String(text) if !*is_raw => harmless(text).into_owned(),
                    other => as_cell(other),
                };
                Ok(out.write_record(row.iter().map(cell))?)
            }
            Inner::JsonLines { out, columns } => {
                let entries = columns.iter().zip(row);
                let object: serde_json::Map<String, Value> =
                    entries.map(|(column, value)| (column.name.to_owned(), value.clone())).collect();
                Ok(writeln!(out, "{}", Value::Object(object))?)
            }
            #[cfg(feature = "parquet")]
            Inner::Parquet(out) => out.write(row),
        }
    }

    /// Writes the remaining rows and returns the writer.
    ///
    /// # Errors
    /// If the table cannot be written.
    pub fn finish(self) -> Result<W, ExportError> {
        let mut out = match self.0 {
            Inner::Csv { out, .. } => out.into_inner().map_err(|error| error.into_error())?,
            Inner::JsonLines { out, .. } => out,
            #[cfg(feature = "parquet")]
            Inner::Parquet(out) => out.finish()?,
        };
        out.flush()?;
        Ok(out)
    }
}

/// A value as the text of a CSV cell.
pub(super) fn as_cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
