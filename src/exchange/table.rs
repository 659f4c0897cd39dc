//! Tables with headers, read record by record with exact line numbers.

use std::io::{BufReader, Read};
use std::path::Path;

use csv::StringRecord;
use hype_core::diagnostics::nearest;
use hype_core::words::counted;

use super::fault::{ImportError, ImportFault};
use super::lines::{LineFeeds, open};
use crate::separator;

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
    reader: csv::Reader<Box<dyn Read>>,
    headers: Vec<String>,
    record: StringRecord,
    line: u64,
    /// The minimum number of cells in a record.
    needed: usize,
}

impl Table {
    pub(super) fn open(path: &Path, format: TableFormat) -> Result<Self, ImportError> {
        let name = path.display().to_string();
        let tabs = path.extension().is_some_and(|kind| kind == "tsv" || kind == "tab");
        let delimiter = format.delimiter.unwrap_or(if tabs { b'\t' } else { b',' });
        let input: Box<dyn Read> = Box::new(LineFeeds::new(BufReader::new(open(path)?)));
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .quoting(format.quotes.unwrap_or(delimiter != b'\t'))
            .flexible(true)
            .from_reader(input);
        let headers = reader.headers().map_err(|error| ImportError::Options(format!("{name}: {error}")))?;
        let headers: Vec<String> = headers.iter().map(|header| header.trim().to_owned()).collect();
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
        Ok(Self { name, reader, headers, record: StringRecord::new(), line: 1, needed })
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
        match self.reader.read_record(&mut self.record) {
            Ok(false) => return Ok(Next::End),
            Ok(true) => {}
            Err(error) => match error.into_kind() {
                csv::ErrorKind::Io(source) => {
                    return Err(ImportError::Disk { path: self.name.clone().into(), source });
                }
                csv::ErrorKind::Utf8 { .. } => {
                    self.line = self.reader.position().line().saturating_sub(1).max(self.line + 1);
                    return Ok(Next::Fault(self.fault(None, "the text is not UTF-8", "save it as UTF-8")));
                }
                other => return Err(ImportError::Options(format!("{}: {}", self.name, csv_kind(&other)))),
            },
        }
        // The reader has passed the line feed after the record and those inside its cells.
        let inside: usize = self.record.iter().map(|cell| cell.matches('\n').count()).sum();
        let begins = self.reader.position().line().saturating_sub(1 + inside as u64);
        // An unclosed quotation also contains the last line feed.
        self.line = begins.max(self.line + 1);
        let surplus = self.record.iter().skip(self.headers.len()).any(|cell| !cell.trim().is_empty());
        if self.record.len() < self.needed || surplus {
            let reason = format!(
                "the row has {}, but the table has {}",
                counted(self.record.len(), "cell"),
                counted(self.headers.len(), "column")
            );
            let help = "write one cell per column, empty if the value is missing";
            return Ok(Next::Fault(self.fault(None, &reason, help)));
        }
        Ok(Next::Record)
    }

    /// The line on which the record begins.
    pub(super) const fn line(&self) -> u64 {
        self.line
    }

    /// A cell of the record, without surrounding blanks.
    pub(super) fn cell(&self, place: usize) -> &str {
        self.record.get(place).unwrap_or_default().trim()
    }

    /// A fault in the current record.
    pub(super) fn fault(&self, place: Option<usize>, reason: &str, help: &str) -> ImportFault {
        ImportFault {
            file: self.name.clone(),
            place: format!("line {}", self.line),
            column: place.and_then(|place| self.headers.get(place)).cloned(),
            reason: reason.into(),
            help: help.into(),
        }
    }
}

fn csv_kind(kind: &csv::ErrorKind) -> String {
    format!("the table cannot be read: {kind:?}")
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
