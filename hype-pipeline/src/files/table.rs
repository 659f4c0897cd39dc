//! Tables of delimited text.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use hype_core::plugin::metric::MetricRows;
use hype_tables::{ReadRecord, RecordReader, number_of};

use super::{NAMES, NamedRows};

/// Reads a table: a header unless the first line has only numbers, a column that names rows if there is one, and columns of
/// numbers. Several lines with one name are one row.
pub(super) fn read(path: &Path, delimiter: u8) -> Result<NamedRows, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut records = RecordReader::new(Box::new(file), delimiter, delimiter != b'\t');
    let mut next = || -> Result<Option<(Vec<String>, u64)>, String> {
        match records.read().map_err(|error| error.to_string())? {
            ReadRecord::End => Ok(None),
            ReadRecord::NotText => Err(format!("line {}: the text is not UTF-8", records.line())),
            ReadRecord::Record => {
                let cells = records.cells();
                let texts = (0..cells.len()).map(|place| cells.trimmed(place).to_owned()).collect();
                Ok(Some((texts, records.line())))
            }
        }
    };
    let first = next()?.ok_or("the file is empty")?;
    let has_header = first.0.iter().any(|cell| number_of(cell).is_none() && !is_special(cell));
    let header: Vec<String> = if has_header { first.0.clone() } else { Vec::new() };
    let name = NAMES.iter().find_map(|name| header.iter().position(|column| column == name));
    let mut table = Builder::new(name, header, first.0.len());
    if !has_header {
        table.add(&first.0, first.1)?;
    }
    while let Some((cells, line)) = next()? {
        table.add(&cells, line)?;
    }
    Ok(table.finish())
}

/// Whether other programs write this for a number that is not finite, which is a fault of a row and not a header.
fn is_special(cell: &str) -> bool {
    ["nan", "inf", "-inf", "+inf", "infinity", "-infinity"].iter().any(|one| cell.eq_ignore_ascii_case(one))
}

/// Rows as they are read.
pub(super) struct Builder {
    name: Option<usize>,
    header: Vec<String>,
    width: usize,
    names: Vec<Arc<str>>,
    rows: Vec<Vec<f64>>,
}

impl Builder {
    pub(super) const fn new(name: Option<usize>, header: Vec<String>, width: usize) -> Self {
        Self { name, header, width, names: Vec::new(), rows: Vec::new() }
    }

    fn add(&mut self, cells: &[String], line: u64) -> Result<(), String> {
        if cells.len() != self.width {
            return Err(format!(
                "line {line} has {} cells, and the first line has {}",
                cells.len(),
                self.width
            ));
        }
        let mut row = Vec::with_capacity(self.width);
        for (column, cell) in cells.iter().enumerate().filter(|&(column, _)| Some(column) != self.name) {
            // An empty cell is a number that is not there.
            if cell.is_empty() {
                continue;
            }
            let value = number_of(cell).ok_or_else(|| {
                let column = self.header.get(column).cloned().unwrap_or_else(|| column.to_string());
                format!("line {line}, column {column}: {cell:?} is not a finite number")
            })?;
            row.push(value);
        }
        self.push(self.name.map(|name| cells[name].as_str()), row);
        Ok(())
    }

    /// Adds a row, or more numbers to the last row if it has the same name.
    pub(super) fn push(&mut self, name: Option<&str>, row: Vec<f64>) {
        if let Some(name) = name {
            if self.names.last().is_some_and(|last| **last == *name)
                && let Some(last) = self.rows.last_mut()
            {
                last.extend(row);
                return;
            }
            self.names.push(name.into());
        }
        self.rows.push(row);
    }

    pub(super) fn finish(self) -> NamedRows {
        let mut rows = MetricRows::double();
        self.rows.into_iter().for_each(|row| rows.push(row));
        let columns = self.header.into_iter().enumerate().filter(|&(column, _)| Some(column) != self.name);
        NamedRows { rows, names: self.names, columns: columns.map(|(_, name)| name.into()).collect() }
    }
}
