//! The records of delimited text, read in large chunks of whole lines.
//!
//! A chunk is checked to be UTF-8 once, and one pass finds all its separators. Lines without quotation marks are then cut
//! at those; every other record is parsed by `csv_core`, which decides what a quoted cell means.

use std::io::Read;
use std::ops::Range;

use csv_core::ReadRecordResult;
use memchr::{memchr, memchr2, memrchr};

use super::cell::written;
use super::latin1::latin1;
use super::separators::find_separators;

/// The number of bytes that are read at once.
const CHUNK: usize = 1 << 17;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The result of [`RecordReader::read`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadRecord {
    /// A record, which is now in view.
    Record,
    /// A record that is not UTF-8; reading can continue after it.
    NotText,
    /// The end of the text.
    End,
}

/// A reader of records, with one at a time in view.
pub struct RecordReader {
    input: Box<dyn Read>,
    delimiter: u8,
    quotes: bool,
    parser: csv_core::Reader,
    chunk: Chunk,
    /// The bytes after the last line feed of the chunk.
    rest: Vec<u8>,
    has_begun: bool,
    has_ended: bool,
    /// Where the next record begins, and the first separator from there on.
    at: usize,
    separator: usize,
    /// The line of the next record, and that of the one in view.
    next_line: u64,
    line: u64,
    view: View,
    parsed: Parsed,
    /// Whether text that is not UTF-8 is Latin-1, and the line from which on it was.
    is_latin_allowed: bool,
    latin_from: Option<u64>,
    /// Where the parser writes cells and their ends.
    written: Vec<u8>,
    ends: Vec<usize>,
}

/// Whole lines, each ended by a line feed alone.
#[derive(Default)]
struct Chunk {
    text: Text,
    /// The positions of delimiters and line feeds, unless every record has to be parsed.
    separators: Vec<u32>,
    /// Whether any cell may be quoted.
    has_quotes: bool,
}

enum Text {
    Valid(String),
    Invalid(Vec<u8>),
}

impl Default for Text {
    fn default() -> Self {
        Self::Valid(String::new())
    }
}

impl Text {
    const fn bytes(&self) -> &[u8] {
        match self {
            Self::Valid(text) => text.as_bytes(),
            Self::Invalid(bytes) => bytes.as_slice(),
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Valid(text) => text.into_bytes(),
            Self::Invalid(bytes) => bytes,
        }
    }
}

/// Where the cells of the record in view are.
#[derive(Clone, Copy)]
enum View {
    /// In the chunk: the record's start, its first separator, and the number of its cells.
    Cut { start: usize, separator: usize, cells: usize },
    /// In [`RecordReader::parsed`].
    Parsed,
}

/// A parsed record: its cells one after the other, and where each ends.
#[derive(Default)]
struct Parsed {
    text: String,
    ends: Vec<u32>,
}

/// The cells of a record.
#[derive(Clone, Copy)]
pub struct Cells<'a> {
    text: &'a str,
    start: usize,
    ends: &'a [u32],
    /// The bytes between cells.
    gap: usize,
}

impl<'a> Cells<'a> {
    /// The number of cells.
    #[must_use]
    #[inline]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the record has no cells.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of a cell, which is empty past the end of the record.
    #[must_use]
    #[inline(always)]
    pub fn get(&self, place: usize) -> &'a str {
        // Separators are ASCII and cells are UTF-8: a cell begins and ends between characters.
        self.range(place).and_then(|range| self.text.get(range)).unwrap_or_default()
    }

    /// The bytes of a cell, which is empty past the end of the record.
    #[inline(always)]
    pub(crate) fn bytes(&self, place: usize) -> &'a [u8] {
        self.range(place).and_then(|range| self.text.as_bytes().get(range)).unwrap_or_default()
    }

    #[inline(always)]
    fn range(&self, place: usize) -> Option<Range<usize>> {
        let &end = self.ends.get(place)?;
        let start = if place == 0 { self.start } else { self.ends[place - 1] as usize + self.gap };
        Some(start..end as usize)
    }

    /// The text of a cell without surrounding blanks, and without the apostrophe that [`harmless`](crate::harmless) puts before
    /// formulas; it is empty past the end of the record.
    #[must_use]
    #[inline(always)]
    pub fn trimmed(&self, place: usize) -> &'a str {
        let cell = self.get(place);
        match cell.as_bytes() {
            [only] if only.is_ascii_graphic() => cell,
            [first, .., last] if first.is_ascii_graphic() && *first != b'\'' && last.is_ascii_graphic() => {
                cell
            }
            _ => written(cell.trim()),
        }
    }
}

impl RecordReader {
    /// Reads the records of a text whose cells are separated by a byte; without `quotes`, quotation marks are ordinary text.
    ///
    /// A byte order mark at the beginning is left out.
    #[must_use]
    pub fn new(input: Box<dyn Read>, delimiter: u8, quotes: bool) -> Self {
        let mut parser = csv_core::ReaderBuilder::new().delimiter(delimiter).quoting(quotes).build();
        // After its first byte the parser takes no byte order mark for one: that of the text is removed here.
        let _ = parser.read_record(b"\n", &mut [0], &mut [0]);
        Self {
            input,
            delimiter,
            quotes,
            parser,
            chunk: Chunk::default(),
            rest: Vec::new(),
            has_begun: false,
            has_ended: false,
            at: 0,
            separator: 0,
            next_line: 1,
            line: 1,
            view: View::Parsed,
            parsed: Parsed::default(),
            is_latin_allowed: false,
            latin_from: None,
            written: vec![0; 1_024],
            ends: vec![0; 16],
        }
    }

    /// Reads text that is not UTF-8 as Latin-1 (as Windows-1252, which has more letters), unless it has letters in UTF-8 too.
    #[must_use]
    pub const fn or_latin1(mut self) -> Self {
        self.is_latin_allowed = true;
        self
    }

    /// The line on which the first text in Latin-1 is, if there was such text.
    #[must_use]
    pub const fn latin1_from(&self) -> Option<u64> {
        self.latin_from
    }

    /// The line on which the record in view begins.
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.line
    }

    /// The line of the next record, if it is not blank.
    pub(crate) const fn next_line(&self) -> u64 {
        self.next_line
    }

    /// The cells of the record in view.
    #[must_use]
    #[inline]
    pub fn cells(&self) -> Cells<'_> {
        match (self.view, &self.chunk.text) {
            (View::Cut { start, separator, cells }, Text::Valid(text)) => {
                let ends = &self.chunk.separators[separator..separator + cells];
                Cells { text, start, ends, gap: 1 }
            }
            _ => Cells { text: &self.parsed.text, start: 0, ends: &self.parsed.ends, gap: 0 },
        }
    }

    /// Moves to the next record that is not a blank line.
    ///
    /// # Errors
    ///
    /// Those of the input, and a record longer than 4 GiB.
    pub fn read(&mut self) -> std::io::Result<ReadRecord> {
        loop {
            let bytes = self.chunk.text.bytes();
            while bytes.get(self.at) == Some(&b'\n') {
                self.at += 1;
                self.separator += 1;
                self.next_line += 1;
            }
            if self.at < bytes.len() {
                break;
            }
            if !self.fill()? {
                return Ok(ReadRecord::End);
            }
        }
        self.line = self.next_line;
        if self.cut() { Ok(ReadRecord::Record) } else { self.parse() }
    }

    /// Cuts the next line at its separators, unless it has to be parsed.
    #[inline]
    fn cut(&mut self) -> bool {
        let bytes = self.chunk.text.bytes();
        let mut cells = 0;
        let end = loop {
            let Some(&place) = self.chunk.separators.get(self.separator + cells) else { return false };
            cells += 1;
            if bytes[place as usize] == b'\n' {
                break place as usize;
            }
        };
        if self.chunk.has_quotes && memchr(b'"', &bytes[self.at..end]).is_some() {
            return false;
        }
        self.view = View::Cut { start: self.at, separator: self.separator, cells };
        self.at = end + 1;
        self.separator += cells;
        self.next_line += 1;
        true
    }

    /// Passes on the next lines of the chunk, cut at their separators, as long as they have this number of cells and are
    /// taken; returns how many were. None is in view then.
    #[inline(always)]
    pub(crate) fn cut_all(&mut self, cells: usize, mut take: impl FnMut(Cells<'_>) -> bool) -> u64 {
        let Text::Valid(text) = &self.chunk.text else { return 0 };
        if self.chunk.has_quotes || cells == 0 {
            return 0;
        }
        let bytes = text.as_bytes();
        let ends_line = |&place: &u32| bytes[place as usize] == b'\n';
        let mut count = 0;
        while let Some(ends) = self.chunk.separators.get(self.separator..self.separator + cells)
            && let Some((last, others)) = ends.split_last()
            && ends_line(last)
            && !others.iter().any(ends_line)
            && take(Cells { text, start: self.at, ends, gap: 1 })
        {
            self.at = *last as usize + 1;
            self.separator += cells;
            count += 1;
        }
        self.next_line += count;
        count
    }

    /// Parses the next record, which may reach into further chunks.
    fn parse(&mut self) -> std::io::Result<ReadRecord> {
        let (mut written, mut cells) = (0, 0);
        loop {
            if self.at == self.chunk.text.bytes().len() {
                // An empty input ends the text, within quotation marks as well.
                self.fill()?;
            }
            let input = &self.chunk.text.bytes()[self.at..];
            let (out, ends) = (&mut self.written[written..], &mut self.ends[cells..]);
            let (result, read, wrote, ended) = self.parser.read_record(input, out, ends);
            self.next_line += memchr::memchr_iter(b'\n', &input[..read]).count() as u64;
            self.at += read;
            written += wrote;
            cells += ended;
            match result {
                ReadRecordResult::Record => break,
                ReadRecordResult::End => return Ok(ReadRecord::End),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.written.resize(2 * self.written.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
            }
        }
        let separators = self.chunk.separators.iter().skip(self.separator);
        self.separator += separators.take_while(|&&place| (place as usize) < self.at).count();
        self.view = View::Parsed;
        self.parsed.text.clear();
        self.parsed.ends.clear();
        let Ok(text) = std::str::from_utf8(&self.written[..written]) else { return Ok(ReadRecord::NotText) };
        self.parsed.text.push_str(text);
        for &end in &self.ends[..cells] {
            let too_long = |_| std::io::Error::other("a record is longer than 4 GiB");
            self.parsed.ends.push(u32::try_from(end).map_err(too_long)?);
        }
        Ok(ReadRecord::Record)
    }

    /// Reads the next whole lines; false at the end.
    fn fill(&mut self) -> std::io::Result<bool> {
        let mut bytes = std::mem::take(&mut self.chunk.text).into_bytes();
        bytes.clear();
        bytes.append(&mut self.rest);
        (self.at, self.separator) = (0, 0);
        self.chunk.separators.clear();
        loop {
            if self.has_ended {
                end_last_line(&mut bytes);
                break;
            }
            let before = bytes.len();
            bytes.reserve(CHUNK);
            let read = (&mut self.input).take(CHUNK as u64).read_to_end(&mut bytes)?;
            self.has_ended = read < CHUNK;
            if !self.has_begun && (bytes.len() >= BYTE_ORDER_MARK.len() || self.has_ended) {
                self.has_begun = true;
                if bytes.starts_with(BYTE_ORDER_MARK) {
                    bytes.drain(..BYTE_ORDER_MARK.len());
                }
            }
            if let Some(last) = memrchr(b'\n', &bytes[before..])
                && !self.has_ended
            {
                let whole = before + last + 1;
                self.rest.extend_from_slice(&bytes[whole..]);
                bytes.truncate(whole);
                break;
            }
        }
        if bytes.is_empty() {
            return Ok(false);
        }
        // Most texts have neither returns nor quotation marks, which one pass finds out.
        let is_special = memchr2(b'\r', b'"', &bytes).is_some();
        if is_special {
            drop_returns(&mut bytes);
        }
        self.chunk.has_quotes = is_special && self.quotes && memchr(b'"', &bytes).is_some();
        let is_plain = self.delimiter.is_ascii()
            && !matches!(self.delimiter, b'\n' | b'\r' | b'"')
            && !(is_special && memchr(b'\r', &bytes).is_some());
        let text = String::from_utf8(bytes).or_else(|error| {
            let decoded = latin1(error.as_bytes()).filter(|_| self.is_latin_allowed);
            if decoded.is_some() && self.latin_from.is_none() {
                let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                let lines = memchr::memchr_iter(b'\n', before).count();
                self.latin_from = Some(self.next_line + lines as u64);
            }
            decoded.ok_or(error)
        });
        self.chunk.text = match text {
            Ok(text) => {
                if is_plain && u32::try_from(text.len()).is_ok() {
                    find_separators(text.as_bytes(), self.delimiter, &mut self.chunk.separators);
                }
                Text::Valid(text)
            }
            Err(error) => Text::Invalid(error.into_bytes()),
        };
        Ok(true)
    }
}

/// Ends the last line of a text by a line feed, in place of a lone carriage return if there is one.
fn end_last_line(bytes: &mut Vec<u8>) {
    if bytes.last().is_some_and(|&last| last != b'\n') {
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        bytes.push(b'\n');
    }
}

/// Removes the carriage return before every line feed.
fn drop_returns(bytes: &mut Vec<u8>) {
    let Some(first) = memchr(b'\r', bytes) else { return };
    let (mut from, mut to) = (first, first);
    while from < bytes.len() {
        if bytes[from] == b'\r' && bytes.get(from + 1) == Some(&b'\n') {
            from += 1;
        }
        let run = memchr(b'\r', &bytes[from + 1..]).map_or(bytes.len() - from, |next| next + 1);
        bytes.copy_within(from..from + run, to);
        (from, to) = (from + run, to + run);
    }
    bytes.truncate(to);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A reader that returns a few bytes at a time.
    struct Trickle(Vec<u8>, usize);

    impl Read for Trickle {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let some = self.1.min(self.0.len()).min(out.len());
            out[..some].copy_from_slice(&self.0[..some]);
            self.0.drain(..some);
            Ok(some)
        }
    }

    /// The records with their lines; none for a record that is not UTF-8.
    fn read(text: &[u8], delimiter: u8, quotes: bool, step: usize) -> Vec<(u64, Option<Vec<String>>)> {
        let mut records = RecordReader::new(Box::new(Trickle(text.to_vec(), step)), delimiter, quotes);
        let mut all = Vec::new();
        loop {
            let cells = match records.read().unwrap() {
                ReadRecord::End => return all,
                ReadRecord::NotText => None,
                ReadRecord::Record => {
                    let cells = records.cells();
                    assert_eq!(cells.get(cells.len()), "");
                    Some((0..cells.len()).map(|place| cells.get(place).to_owned()).collect())
                }
            };
            all.push((records.line(), cells));
        }
    }

    /// The records of the csv crate, from text with line feeds alone.
    fn by_csv(text: &[u8], delimiter: u8, quotes: bool) -> Vec<Option<Vec<String>>> {
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .quoting(quotes)
            .flexible(true)
            .has_headers(false)
            .from_reader(text);
        let text = |cells: csv::ByteRecord| {
            cells.iter().map(|cell| String::from_utf8(cell.to_vec()).ok()).collect::<Option<Vec<String>>>()
        };
        reader.byte_records().map(|record| text(record.unwrap())).collect()
    }

    #[test]
    fn lines_are_those_on_which_records_begin() {
        let text = b"\xef\xbb\xbfa,b\r\n\r\n1,\"x\r\ny\"\n\n2,3\n\xff,1\n\"4\n5";
        let cells = |cells: &[&str]| Some(cells.iter().map(|&cell| cell.to_owned()).collect());
        let want: Vec<(u64, Option<Vec<String>>)> = vec![
            (1, cells(&["a", "b"])),
            (3, cells(&["1", "x\ny"])),
            (6, cells(&["2", "3"])),
            (7, None),
            (8, cells(&["4\n5\n"])),
        ];
        for step in [1, 2, 3, 1_000] {
            assert_eq!(read(text, b',', true, step), want);
        }
    }

    #[test]
    fn every_line_ends_with_a_line_feed_alone() {
        for (text, want) in [
            ("", ""),
            ("a", "a\n"),
            ("a\r\n", "a\n"),
            ("a\r\n\r\nb", "a\n\nb\n"),
            ("a\rb\n", "a\rb\n"),
            ("a\r\r\nb\r", "a\r\nb\n"),
            ("\r", "\n"),
        ] {
            let mut bytes = text.as_bytes().to_vec();
            end_last_line(&mut bytes);
            drop_returns(&mut bytes);
            assert_eq!(bytes, want.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn tables_of_many_chunks_keep_their_records() {
        // Records around every border of a chunk: plain, quoted with and without line feeds, and not UTF-8.
        let mut text = b"rater,value\n".to_vec();
        let mut want = vec![(1, Some(vec!["rater".to_owned(), "value".to_owned()]))];
        let mut line = 2;
        for row in 0..60_000_u64 {
            let (cell, lines): (&[u8], u64) = match row % 1_009 {
                7 => (b"\"a,\nb\"", 2),
                8 => (b"\"\"\"q\"\"\"", 1),
                9 if row > 30_000 => (b"\xe4", 1),
                10 => ("ä".as_bytes(), 1),
                _ => (b"0.5", 1),
            };
            text.extend(row.to_string().bytes());
            text.push(b',');
            text.extend_from_slice(cell);
            text.push(b'\n');
            let cell = match cell {
                b"\xe4" => None,
                b"\"a,\nb\"" => Some("a,\nb"),
                b"\"\"\"q\"\"\"" => Some("\"q\""),
                other => std::str::from_utf8(other).ok(),
            };
            want.push((line, cell.map(|cell| vec![row.to_string(), cell.to_owned()])));
            line += lines;
        }
        assert!(text.len() > 3 * CHUNK);
        assert_eq!(read(&text, b',', true, 10_007), want);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn records_match_the_csv_crate(
            cells in proptest::collection::vec(
                prop_oneof![
                    4 => "[a-z0-9.]{0,9}",
                    2 => "[a\"\r\n,;ä ]{0,6}",
                    1 => "\"[a\n,\"]{0,5}\"",
                ],
                0..60,
            ),
            ends in proptest::collection::vec(prop_oneof![3 => Just(","), 2 => Just("\n"), 1 => Just("\r\n")], 60),
            broken in proptest::option::weighted(0.2, any::<proptest::sample::Index>()),
            quotes in any::<bool>(),
            delimiter in prop_oneof![Just(b','), Just(b';')],
            step in 1_usize..40,
        ) {
            let mut text: Vec<u8> = cells.iter().zip(&ends).flat_map(|(cell, end)| [cell.as_str(), end].concat().into_bytes()).collect();
            if let (Some(place), false) = (broken, text.is_empty()) {
                let place = place.index(text.len());
                text[place] = 0xff;
            }
            let mut plain = text.clone();
            end_last_line(&mut plain);
            drop_returns(&mut plain);
            let got: Vec<Option<Vec<String>>> =
                read(&text, delimiter, quotes, step).into_iter().map(|(_, cells)| cells).collect();
            prop_assert_eq!(got, by_csv(&plain, delimiter, quotes));
        }
    }
}
