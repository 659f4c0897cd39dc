//! The beginning of a table.

use std::collections::BTreeSet;
use std::path::Path;

use hype_tables::{is_missing, number_of};

use crate::exchange::answer::{is_sheet_error, proportion_in};
use crate::exchange::fault::ImportError;
use crate::exchange::lists::parts;
use crate::exchange::table::{Next, Table, TableFormat};

/// The rows that are looked at.
const ROWS: usize = 500;

/// The beginning of a table.
pub(super) struct Sample {
    pub(super) headers: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Whether blanks separate the cells.
    pub(super) has_blanks: bool,
    pub(super) decimal_comma: bool,
    /// Whether the cells are those of a table, and not the fields of JSON.
    pub(super) has_own_header: bool,
    listed: String,
}

impl Sample {
    pub(super) fn read(path: &Path) -> Result<Self, ImportError> {
        let sample = Self::with(path, TableFormat::default())?;
        let is_blank = |header: &String| header.split(' ').filter(|cell| !cell.is_empty()).count() > 1;
        if let [only] = &sample.headers[..]
            && is_blank(only)
            && only.split_whitespace().all(|cell| number_of(cell).is_some())
        {
            let format = TableFormat { delimiter: Some(b' '), ..TableFormat::default() };
            return Ok(Self { has_blanks: true, ..Self::with(path, format)? });
        }
        Ok(sample)
    }

    /// All rows of a table.
    pub(super) fn whole(path: &Path) -> Result<Self, ImportError> {
        Self::beginning(path, TableFormat::default(), usize::MAX)
    }

    fn with(path: &Path, format: TableFormat) -> Result<Self, ImportError> {
        Self::beginning(path, format, ROWS)
    }

    fn beginning(path: &Path, format: TableFormat, count: usize) -> Result<Self, ImportError> {
        let mut table = Table::open(path, format)?;
        let headers = table.headers().to_vec();
        let mut rows = Vec::new();
        while rows.len() < count {
            match table.read()? {
                Next::End => break,
                Next::Fault(_) => {}
                Next::Record => {
                    rows.push((0..headers.len()).map(|place| table.cell(place).to_owned()).collect())
                }
            }
        }
        let listed = table.listed_headers();
        let (decimal_comma, has_own_header) = (table.decimal_comma, table.has_own_header);
        Ok(Self { headers, rows, has_blanks: false, decimal_comma, has_own_header, listed })
    }

    /// The rows that fulfil a condition.
    pub(super) fn only(&self, is: impl Fn(&[String]) -> bool) -> Self {
        let rows = self.rows.iter().filter(|row| is(row)).cloned().collect();
        Self { headers: self.headers.clone(), rows, listed: self.listed.clone(), ..*self }
    }

    pub(super) fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    pub(super) fn listed_headers(&self) -> &str {
        &self.listed
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The cells of a column that are neither missing nor errors of a spreadsheet.
    pub(super) fn cells(&self, place: usize) -> impl Iterator<Item = &str> {
        let cells = self.rows.iter().map(move |row| row[place].as_str());
        cells.filter(|cell| !is_missing(cell) && !is_sheet_error(cell))
    }

    pub(super) fn distinct(&self, place: usize) -> BTreeSet<&str> {
        self.cells(place).collect()
    }

    /// Whether a column has cells, and all fulfil a condition.
    pub(super) fn all(&self, place: usize, is: impl Fn(&str) -> bool) -> bool {
        let mut cells = self.cells(place).peekable();
        cells.peek().is_some() && cells.all(is)
    }

    pub(super) fn is_number(&self, place: usize) -> bool {
        self.all(place, |cell| {
            number_of(cell).is_some()
                || proportion_in(cell, self.decimal_comma).is_some()
                || (self.decimal_comma && number_of(&cell.replace(',', ".")).is_some())
        })
    }

    /// Whether a column has lists of numbers. Two numbers with a comma may be one with a decimal comma.
    pub(super) fn is_list(&self, place: usize) -> bool {
        let is_clear = |cell: &str| {
            cell.starts_with(['[', '{']) || cell.contains(['|', ';']) || cell.matches(',').count() > 1
        };
        self.cells(place).any(is_clear)
            && self.all(place, |cell| {
                parts(cell).is_ok_and(|parts| {
                    parts.iter().all(|part| is_missing(&part.text) || number_of(&part.text).is_some())
                })
            })
    }

    /// Whether a column has lists in brackets, of whatever can be taken apart.
    pub(super) fn has_lists(&self, place: usize) -> bool {
        self.all(place, |cell| cell.starts_with('[') && parts(cell).is_ok())
    }

    /// Whether a column has lists or objects of JSON.
    pub(super) fn is_json(&self, place: usize) -> bool {
        self.all(place, |cell| {
            (cell.starts_with('[') && cell.ends_with(']')) || (cell.starts_with('{') && cell.ends_with('}'))
        })
    }

    /// Whether a column has the paths or addresses of images.
    pub(super) fn is_path(&self, place: usize) -> bool {
        self.all(place, |cell| names_file(path_of(cell)))
    }

    pub(super) fn place(&self, header: &str) -> Option<usize> {
        self.headers.iter().position(|known| known == header)
    }

    pub(super) fn has(&self, headers: &[&str]) -> bool {
        headers.iter().all(|header| self.place(header).is_some())
    }
}

/// Whether a path ends as those of images, clips and sounds do.
fn names_file(path: &str) -> bool {
    const ENDINGS: [&str; 8] = [".png", ".jpg", ".jpeg", ".webp", ".gif", ".mp4", ".wav", ".avif"];
    let path = path.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| path.ends_with(ending))
}

/// The path in a cell, without what an address adds to it, such as a signature.
pub(super) fn path_of(cell: &str) -> &str {
    cell.split_once(['?', '#']).map(|(path, _)| path).filter(|path| names_file(path)).unwrap_or(cell)
}
