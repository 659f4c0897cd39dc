//! Rows of Apache Parquet as text with commas.

use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use hype_tables::harmless;
use parquet::basic::Compression;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};

#[cfg(test)]
mod damaged;

/// The rows of a file, after a line with the names of its columns.
pub(super) fn as_text(path: &Path) -> Result<Box<dyn Read>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let reader = SerializedFileReader::new(file).map_err(|error| error.to_string())?;
    let mut columns = reader.metadata().row_groups().iter().flat_map(|group| group.columns());
    if let Some(other) =
        columns.find(|column| matches!(column.compression(), Compression::BROTLI(_) | Compression::LZO))
    {
        let (column, codec) = (other.column_path(), other.compression());
        return Err(format!(
            "column {column} is compressed with {codec}; write the file again with zstd or snappy"
        ));
    }
    let schema = reader.metadata().file_metadata().schema_descr().root_schema().clone();
    let names = schema.get_fields().iter().map(|field| harmless(field.name()).into_owned());
    let mut lines = Lines { rows: RowIter::from_file_into(Box::new(reader)), text: Vec::new(), at: 0 };
    lines.write(names).map_err(|error| error.to_string())?;
    Ok(Box::new(lines))
}

/// A reader of rows as lines.
struct Lines<I> {
    rows: I,
    text: Vec<u8>,
    at: usize,
}

impl<I> Lines<I> {
    fn write(&mut self, cells: impl Iterator<Item = String>) -> std::io::Result<()> {
        // Each row stays on its line.
        let cells = cells.map(|cell| cell.replace(['\n', '\r'], " "));
        let mut out = csv::Writer::from_writer(std::mem::take(&mut self.text));
        out.write_record(cells).map_err(std::io::Error::other)?;
        self.text = out.into_inner().map_err(|error| error.into_error())?;
        Ok(())
    }
}

impl<I: Iterator<Item = Result<Row, parquet::errors::ParquetError>>> Read for Lines<I> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.text.len() {
            self.text.clear();
            self.at = 0;
            // The library panics at some values that are longer than their page.
            let next = catch_unwind(AssertUnwindSafe(|| self.rows.next()))
                .map_err(|_| std::io::Error::other("a page is damaged"))?;
            if let Some(row) = next {
                let row = row.map_err(std::io::Error::other)?;
                self.write(row.get_column_iter().map(|(_, field)| cell(field)))?;
            }
        }
        let some = out.len().min(self.text.len() - self.at);
        out[..some].copy_from_slice(&self.text[self.at..self.at + some]);
        self.at += some;
        Ok(some)
    }
}

/// A value as a cell: numbers with their digits alone, a missing value as nothing.
fn cell(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Str(text) => harmless(text).into_owned(),
        Field::Float(value) => value.to_string(),
        Field::Double(value) => value.to_string(),
        other => other.to_string(),
    }
}
