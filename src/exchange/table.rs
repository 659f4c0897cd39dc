//! Tables with headers, read record by record with exact line numbers.

use std::io::Read;
use std::path::Path;

use hype_core::ScoreTable;
use hype_core::diagnostics::nearest;
use hype_core::words::{counted, cut};
use hype_tables::{Cells, ReadRecord, RecordReader, RowCells, RowRun, TableForm, UTF16_NOTE, number_of};

use super::fault::{ImportError, ImportFault};
use super::lines::open_table;
use super::source::TableSource;
use crate::separator;

pub use self::filter::RowFilter;

mod filter;
#[cfg(feature = "parquet")]
mod parquet;

const NOT_UTF8: &str = "the text is not UTF-8";
const SAVE_AS_UTF8: &str = "save it as UTF-8";

const MOST_TITLES: usize = 10;

/// The columns that a message lists.
const LISTED: usize = 20;

/// How the cells of a table are separated and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableFormat {
    /// The byte between cells; by default the comma, tab, semicolon or vertical bar that cuts the lines into equal numbers of cells.
    pub delimiter: Option<u8>,
    /// Whether cells may be quoted. By default they may, unless tabs separate the cells: then quotation marks are
    /// ordinary text.
    pub quotes: Option<bool>,
    /// Whether numbers may have decimal commas, as they may where semicolons separate the cells.
    pub decimal_comma: bool,
    /// Whether the first line has cells like the others, whose columns are then named `1`, `2` and so on.
    pub no_header: bool,
}

/// The next item of a table.
pub(crate) enum Next {
    Record,
    /// The record is faulty; reading can continue.
    Fault(ImportFault),
    End,
}

pub(crate) struct Table {
    name: String,
    records: RecordReader,
    headers: Vec<String>,
    /// The minimum number of cells in a record.
    needed: usize,
    /// Whether numbers may have decimal commas.
    pub(super) decimal_comma: bool,
    /// Lines and rows are numbered without the header that was made for objects.
    word: &'static str,
    pub(super) has_own_header: bool,
    /// Whether the record in view is the first one of a table without a header, which is to be read.
    is_pending: bool,
    /// The rows to read, by the places of their columns, and how many others there were.
    filters: Vec<(usize, RowFilter)>,
    filtered: u64,
    notes: Vec<String>,
}

/// The text of a table, before its first line is read.
struct Opened {
    text: Box<dyn Read>,
    /// Its beginning, in which titles may stand above the header; of texts, also as read.
    head: Vec<u8>,
    start: String,
    delimiter: u8,
    /// Whether the first line states the delimiter.
    is_stated: bool,
    form: TableForm,
    notes: Vec<String>,
}

impl Opened {
    fn file(path: &Path, format: TableFormat) -> Result<Self, ImportError> {
        let content = open_table(path)?;
        let mut opened = Self { form: content.form, notes: content.notes, ..Self::rows(content.text) };
        opened.head = content.head;
        match opened.form {
            TableForm::Text => {
                let start = String::from_utf8_lossy(&opened.head).trim_start_matches('\u{feff}').to_owned();
                let stated = stated_separator(&start);
                let tabs = path.extension().is_some_and(|kind| kind == "tsv" || kind == "tab");
                let usual = if tabs { b'\t' } else { b',' };
                let found = separator::of_text(&start).or_else(|| separator::of_text(below_title(&start)));
                if let Some((found, names)) = found
                    && format.delimiter.or(stated).is_none()
                    && found != usual
                {
                    opened.notes.push(format!("cells are separated by {names}"));
                }
                opened.delimiter =
                    format.delimiter.or(stated).or(found.map(|found| found.0)).unwrap_or(usual);
                opened.is_stated = stated.is_some();
                opened.start = start;
            }
            TableForm::Parquet => opened.text = parquet_text(path)?,
            _ => {}
        }
        Ok(opened)
    }

    /// Rows that a program wrote, as those of a Parquet file are.
    fn rows(text: Box<dyn Read>) -> Self {
        Self {
            text,
            head: Vec::new(),
            start: String::new(),
            delimiter: b',',
            is_stated: false,
            form: TableForm::Parquet,
            notes: Vec::new(),
        }
    }
}

impl Table {
    pub(crate) fn open(source: impl Into<TableSource>, format: TableFormat) -> Result<Self, ImportError> {
        let source = source.into();
        let name = source.to_string();
        let Opened { text, head, start, delimiter, is_stated, form, mut notes } = match &source {
            TableSource::File(path) => Opened::file(path, format)?,
            TableSource::Rows(rows) => Opened::rows(rows.text()),
        };
        let is_utf16 = notes.iter().any(|note| note == UTF16_NOTE);
        let quotes = format.quotes.unwrap_or(delimiter != b'\t' || is_utf16);
        let mut records = RecordReader::new(text, delimiter, quotes).or_latin1();
        let disk = |source| ImportError::Disk { path: name.clone().into(), source };
        if is_stated {
            records.read().map_err(disk)?;
        }
        if records.read().map_err(disk)? == ReadRecord::NotText {
            let line = records.line();
            return Err(ImportError::Options(format!("{name}, line {line}: {NOT_UTF8}; {SAVE_AS_UTF8}")));
        }
        let word = if matches!(form, TableForm::Text | TableForm::JsonLines) { "line" } else { "row" };
        let has_own_header = matches!(form, TableForm::Text | TableForm::Sheet);
        let titles = Some(head).filter(|_| has_own_header && !format.no_header);
        let titles =
            titles.and_then(|head| titles_in(head, is_stated, delimiter, quotes)).unwrap_or_default();
        for _ in 0..titles {
            records.read().map_err(disk)?;
        }
        if titles > 0 {
            notes.push(format!("the header is on {word} {}: nothing above it is read", records.line()));
        }
        let header = |place: usize| match format.no_header {
            true => (place + 1).to_string(),
            false => records.cells().trimmed(place).to_owned(),
        };
        let headers: Vec<String> = (0..records.cells().len()).map(header).collect();
        if headers.is_empty() {
            let about: String = notes.iter().map(|note| format!("; {note}")).collect();
            let reason = format!("{name} is empty: a table must begin with a header{about}");
            return Err(ImportError::Options(reason));
        }
        let mut table = Self {
            needed: headers.len(),
            decimal_comma: format.decimal_comma || delimiter == b';',
            word,
            has_own_header,
            name,
            records,
            headers,
            is_pending: format.no_header,
            filters: Vec::new(),
            filtered: 0,
            notes,
        };
        table.skip_qualtrics(&start)?;
        Ok(table)
    }

    /// Skips the two rows that Qualtrics writes below the header: the questions, and its own ids.
    fn skip_qualtrics(&mut self, start: &str) -> Result<(), ImportError> {
        let mark = "{\"ImportId\"";
        if !start.contains(mark) && !start.contains("{\"\"ImportId\"\"") {
            return Ok(());
        }
        for _ in 0..2 {
            self.records.read().map_err(|source| self.disk(source))?;
            let cells = self.records.cells();
            if (0..cells.len()).any(|place| cells.trimmed(place).starts_with(mark)) {
                self.notes.push("the rows of Qualtrics below the header are not answers".into());
                return Ok(());
            }
        }
        Err(ImportError::Options(format!(
            "{}: Qualtrics writes its ids (\"ImportId\") in the second row below the header, where they are not: export the \
             answers again",
            self.name
        )))
    }

    /// Returns the assumptions about the file, up to the record in view.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.notes.iter().map(|note| format!("{}: {note}", self.name)).collect();
        if let Some(line) = self.records.latin1_from() {
            notes.push(format!(
                "{}, line {line}: read as Latin-1 from here on, as it is not UTF-8",
                self.name
            ));
        }
        notes
    }

    /// Allows records to omit these columns at the end.
    pub(super) fn without_last(mut self, columns: &[&str]) -> Self {
        let needed = self.headers.iter().rposition(|header| !columns.contains(&&**header));
        self.needed = needed.map_or(0, |last| last + 1);
        self
    }

    /// Reads only the rows that all filters keep.
    pub(super) fn keep_only(&mut self, filters: &[RowFilter]) -> Result<(), ImportError> {
        for filter in filters {
            let place = self.column(filter.column())?;
            self.filters.push((place, filter.clone()));
        }
        Ok(())
    }

    /// The number of rows that filters have left out.
    pub(super) const fn filtered(&self) -> u64 {
        self.filtered
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn headers(&self) -> &[String] {
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
                    self.listed_headers()
                )))
            }
        }
    }

    /// The headers, cut after the first twenty.
    pub(crate) fn listed_headers(&self) -> String {
        cut(&self.headers, LISTED, ", ")
    }

    /// As [`Self::column`], with the option that names it.
    pub(super) fn column_by(&self, wanted: &str, option: &str) -> Result<usize, ImportError> {
        self.column(wanted).map_err(|error| match error {
            ImportError::Options(text) if !self.has(wanted) => {
                ImportError::Options(format!("{text}: name it with {option} COLUMN"))
            }
            other => other,
        })
    }

    /// Moves to the next record that has a cell which is not blank.
    pub(crate) fn read(&mut self) -> Result<Next, ImportError> {
        loop {
            let found = match std::mem::take(&mut self.is_pending) {
                true => ReadRecord::Record,
                false => self.records.read().map_err(|source| self.disk(source))?,
            };
            let is_kept = found != ReadRecord::Record || {
                let cells = self.records.cells();
                self.filters.iter().all(|(place, filter)| filter.keeps(cells, *place))
            };
            if self.is_blank(found) {
                continue;
            }
            if is_kept {
                return Ok(self.checked(found));
            }
            self.filtered += 1;
        }
    }

    /// Whether all cells are blank, as in the rows that spreadsheets write below a table.
    fn is_blank(&self, found: ReadRecord) -> bool {
        if found != ReadRecord::Record {
            return false;
        }
        let cells = self.records.cells();
        cells.len() > 1 && (0..cells.len()).all(|place| cells.trimmed(place).is_empty())
    }

    /// Adds records to a table of scores until it has `until` rows, or up to a record that is not a row as it stands;
    /// returns how many, and that record.
    pub(super) fn read_rows(
        &mut self,
        of: &RowCells,
        into: &mut ScoreTable,
        until: usize,
        runs: &mut Vec<RowRun>,
    ) -> Result<(u64, Option<Next>), ImportError> {
        let mut count = 0;
        if self.is_pending {
            return self.read().map(|next| (0, Some(next)));
        }
        loop {
            let added = self.records.read_rows(of, into, until, runs);
            let added = added.map_err(|source| self.disk(source))?;
            count += added.count;
            match added.then {
                Some(found) if self.is_blank(found) => {}
                then => return Ok((count, then.map(|found| self.checked(found)))),
            }
        }
    }

    fn disk(&self, source: std::io::Error) -> ImportError {
        ImportError::Disk { path: self.name.clone().into(), source }
    }

    /// Checks that a record has a cell for each column.
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
    pub(crate) const fn line(&self) -> u64 {
        self.line_of(self.records.line())
    }

    /// The line of the text on which the record begins.
    pub(super) const fn text_line(&self) -> u64 {
        self.records.line()
    }

    /// A line in the file, by the line of the text that it was read as.
    pub(super) const fn line_of(&self, line: u64) -> u64 {
        if self.has_own_header { line } else { line.saturating_sub(1) }
    }

    /// A cell of the record, without surrounding blanks.
    pub(crate) fn cell(&self, place: usize) -> &str {
        self.records.cells().trimmed(place)
    }

    /// The cells of the record.
    pub(super) fn cells(&self) -> Cells<'_> {
        self.records.cells()
    }

    /// A fault in the current record.
    pub(super) fn fault(&self, place: Option<usize>, reason: &str, help: &str) -> ImportFault {
        self.fault_on(self.line(), place, reason, help)
    }

    /// A fault on a line.
    pub(super) fn fault_on(&self, line: u64, place: Option<usize>, reason: &str, help: &str) -> ImportFault {
        ImportFault {
            file: self.name.clone(),
            place: format!("{} {line}", self.word),
            column: place.and_then(|place| self.headers.get(place)).cloned(),
            reason: reason.into(),
            help: help.into(),
        }
    }
}

/// The text below lines of comments, and below a title with an empty line after it.
fn below_title(start: &str) -> &str {
    let until: usize =
        start.split_inclusive('\n').take_while(|line| line.starts_with('#')).map(str::len).sum();
    let rest = &start[until..];
    let below = ["\n\n", "\r\n\r\n"].iter().find_map(|blank| rest.split_once(blank));
    below.map_or(rest, |(_, below)| below)
}

/// The number of records above the header: blank ones and those with a text in their first cell alone, before the first that has
/// three texts and more, no number, and as many cells as the next one.
fn titles_in(head: Vec<u8>, is_stated: bool, delimiter: u8, quotes: bool) -> Option<usize> {
    let mut records = RecordReader::new(Box::new(std::io::Cursor::new(head)), delimiter, quotes).or_latin1();
    let mut next = || -> Option<Vec<String>> {
        records.read().ok().filter(|found| *found == ReadRecord::Record)?;
        let cells = records.cells();
        Some((0..cells.len()).map(|place| cells.trimmed(place).to_owned()).collect())
    };
    if is_stated {
        next();
    }
    for number in 0..=MOST_TITLES {
        let cells = next()?;
        let texts: Vec<&String> = cells.iter().filter(|cell| !cell.is_empty()).collect();
        if texts.len() > 1 || (texts.len() == 1 && cells[0].is_empty()) {
            let is_header = texts.len() > 2 && texts.iter().all(|text| number_of(text).is_none());
            return (is_header && next()?.len() == cells.len()).then_some(number);
        }
    }
    None
}

/// The separator of a first line such as `sep=;`, which Excel writes and reads.
fn stated_separator(start: &str) -> Option<u8> {
    let line = start.lines().next()?.trim_matches('"');
    let stated = line.get(..4).filter(|word| word.eq_ignore_ascii_case("sep=")).and(line.get(4..))?;
    match stated.as_bytes() {
        [only] if only.is_ascii() => Some(*only),
        _ => None,
    }
}

/// The rows of a Parquet file as text with commas.
#[cfg(feature = "parquet")]
fn parquet_text(path: &Path) -> Result<Box<dyn Read>, ImportError> {
    parquet::as_text(path).map_err(|reason| {
        ImportError::Options(format!(
            "{} is a file of Apache Parquet that cannot be read: {reason}",
            path.display()
        ))
    })
}

/// The advice for a program without Parquet.
#[cfg(not(feature = "parquet"))]
fn parquet_text(path: &Path) -> Result<Box<dyn Read>, ImportError> {
    Err(ImportError::Options(format!(
        "{} is a file of Apache Parquet, and this program was built without it: build it with `--features parquet`, or write the \
         table as CSV",
        path.display()
    )))
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
        std::fs::write(&path, b"a\tb\n1\t\xc3\xa4 \xff\n\"3\t4\n").unwrap();
        let mut table = Table::open(&path, TableFormat::default()).unwrap();
        assert!(matches!(table.read(), Ok(Next::Fault(fault)) if fault.place == "line 2"));
        assert!(matches!(table.read(), Ok(Next::Record)));
        assert_eq!((table.line(), table.cell(0)), (3, "\"3"));
    }
}
