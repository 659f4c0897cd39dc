//! Tables with headers, read record by record with exact line numbers.

use std::path::Path;

use hype_core::ScoreTable;
use hype_core::diagnostics::nearest;
use hype_core::words::counted;
use hype_tables::{Cells, ReadRecord, RecordReader, RowCells};

use super::fault::{ImportError, ImportFault};
use super::lines::open;
use crate::separator;

const NOT_UTF8: &str = "the text is not UTF-8";
const SAVE_AS_UTF8: &str = "save it as UTF-8";

/// How the cells of a table are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableFormat {
    /// The byte between cells; by default a tab in files named `.tsv` or `.tab`, otherwise a comma.
    pub delimiter: Option<u8>,
    /// Whether cells may be quoted. By default they may, unless tabs separate the cells: then quotation marks are
    /// ordinary text.
    pub quotes: Option<bool>,
}

/// The next item of a table.
pub(super) enum Next {
    Record,
    /// The record is faulty; reading can continue.
    Fault(ImportFault),
    End,
}

pub(super) struct Table {
    name: String,
    records: RecordReader,
    headers: Vec<String>,
    /// The minimum number of cells in a record.
    needed: usize,
}

impl Table {
    pub(super) fn open(path: &Path, format: TableFormat) -> Result<Self, ImportError> {
        let name = path.display().to_string();
        let tabs = path.extension().is_some_and(|kind| kind == "tsv" || kind == "tab");
        let delimiter = format.delimiter.unwrap_or(if tabs { b'\t' } else { b',' });
        let mut records =
            RecordReader::new(open(path)?, delimiter, format.quotes.unwrap_or(delimiter != b'\t'));
        if records.read().map_err(ImportError::disk(path))? == ReadRecord::NotText {
            let line = records.line();
            return Err(ImportError::Options(format!("{name}, line {line}: {NOT_UTF8}; {SAVE_AS_UTF8}")));
        }
        let headers: Vec<String> =
            (0..records.cells().len()).map(|place| records.cells().trimmed(place).to_owned()).collect();
        if headers.is_empty() {
            return Err(ImportError::Options(format!("{name} is empty: a table must begin with a header")));
        }
        if format.delimiter.is_none()
            && let Some(found) = separator::in_header(headers.iter().map(String::as_str))
        {
            let expected = if delimiter == b'\t' { "a tab" } else { "a comma" };
            return Err(ImportError::Options(format!(
                "{name}, line 1: the cells are separated by {found}, but {expected} was expected: save the table \
                 with commas, or use --delimiter if the command has that option"
            )));
        }
        let needed = headers.len();
        Ok(Self { name, records, headers, needed })
    }

    /// Allows records to omit these columns at the end.
    pub(super) fn without_last(mut self, columns: &[&str]) -> Self {
        let needed = self.headers.iter().rposition(|header| !columns.contains(&&**header));
        self.needed = needed.map_or(0, |last| last + 1);
        self
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn headers(&self) -> &[String] {
        &self.headers
    }

    pub(super) fn has(&self, wanted: &str) -> bool {
        self.headers.iter().any(|header| header == wanted)
    }

    /// The index of a column, which must occur exactly once.
    pub(super) fn column(&self, wanted: &str) -> Result<usize, ImportError> {
        let mut places = self.headers.iter().enumerate().filter(|(_, header)| *header == wanted);
        match (places.next(), places.next()) {
            (Some((place, _)), None) => Ok(place),
            (Some(_), Some(_)) => {
                Err(ImportError::Options(format!("{}: there are two columns `{wanted}`", self.name)))
            }
            (None, _) => {
                let hint = nearest(wanted, self.headers.iter().map(String::as_str))
                    .map_or_else(|| ".".into(), |near| format!("; did you mean `{near}`?"));
                Err(ImportError::Options(format!(
                    "{}: there is no column `{wanted}`{hint} The columns are {}",
                    self.name,
                    self.headers.join(", ")
                )))
            }
        }
    }

    /// Moves to the next record.
    pub(super) fn read(&mut self) -> Result<Next, ImportError> {
        let found = self.records.read();
        Ok(self.checked(found.map_err(|source| self.disk(source))?))
    }

    /// Adds records to a table of scores until it has `until` rows, or up to a record that is not a row as it stands;
    /// returns how many, and that record.
    pub(super) fn read_rows(
        &mut self,
        of: &RowCells,
        into: &mut ScoreTable,
        until: usize,
    ) -> Result<(u64, Option<Next>), ImportError> {
        let added = self.records.read_rows(of, into, until);
        let added = added.map_err(|source| self.disk(source))?;
        Ok((added.count, added.then.map(|found| self.checked(found))))
    }

    fn disk(&self, source: std::io::Error) -> ImportError {
        ImportError::Disk { path: self.name.clone().into(), source }
    }

    /// What was read, if a record has a cell for each column.
    fn checked(&self, found: ReadRecord) -> Next {
        match found {
            ReadRecord::End => return Next::End,
            ReadRecord::NotText => return Next::Fault(self.fault(None, NOT_UTF8, SAVE_AS_UTF8)),
            ReadRecord::Record => {}
        }
        let found = self.records.cells();
        let cells = found.len();
        if cells < self.needed || (self.headers.len()..cells).any(|place| !found.trimmed(place).is_empty()) {
            let reason = format!(
                "the row has {}, but the table has {}",
                counted(cells, "cell"),
                counted(self.headers.len(), "column")
            );
            let help = "write one cell per column, empty if the value is missing";
            return Next::Fault(self.fault(None, &reason, help));
        }
        Next::Record
    }

    /// The line on which the record begins.
    pub(super) const fn line(&self) -> u64 {
        self.records.line()
    }

    /// A cell of the record, without surrounding blanks.
    pub(super) fn cell(&self, place: usize) -> &str {
        self.records.cells().trimmed(place)
    }

    /// The cells of the record.
    pub(super) fn cells(&self) -> Cells<'_> {
        self.records.cells()
    }

    /// A fault in the current record.
    pub(super) fn fault(&self, place: Option<usize>, reason: &str, help: &str) -> ImportFault {
        ImportFault {
            file: self.name.clone(),
            place: format!("line {}", self.line()),
            column: place.and_then(|place| self.headers.get(place)).cloned(),
            reason: reason.into(),
            help: help.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_exact_whatever_ends_them_and_whatever_is_blank() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        for newline in ["\n", "\r\n"] {
            let text = "\u{feff}a,b\n1,2\n\n\n3,\"x\ny\"\n5,6,\n7\n8,9,1\n10,11".replace('\n', newline);
            std::fs::write(&path, text).unwrap();
            let mut table = Table::open(&path, TableFormat::default()).unwrap();
            assert_eq!(table.headers(), ["a", "b"]);
            let mut seen = Vec::new();
            loop {
                match table.read().unwrap() {
                    Next::End => break,
                    Next::Record => seen.push((table.line(), table.cell(0).to_owned())),
                    Next::Fault(fault) => seen.push((table.line(), fault.place)),
                }
            }
            let want = [(2, "1"), (5, "3"), (7, "5"), (8, "line 8"), (9, "line 9"), (10, "10")];
            assert_eq!(seen, want.map(|(line, text)| (line, text.to_owned())));
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_reported_and_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.tsv");
        std::fs::write(&path, b"a\tb\n1\t\xff\n\"3\t4\n").unwrap();
        let mut table = Table::open(&path, TableFormat::default()).unwrap();
        assert!(matches!(table.read(), Ok(Next::Fault(fault)) if fault.place == "line 2"));
        assert!(matches!(table.read(), Ok(Next::Record)));
        assert_eq!((table.line(), table.cell(0)), (3, "\"3"));
    }
}
