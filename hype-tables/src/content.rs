//! Files as people bring them: told apart by their content, and unpacked to the text of a table.

use std::fmt;
use std::io::{Cursor, Read};

use flate2::read::MultiGzDecoder;
use hype_core::words::cut;

use self::bounded::Bounded;
use self::utf16::{Order, Utf16};
use self::zip::Archive;

mod bounded;
mod dates;
mod foreign;
mod json;
mod labelled;
#[cfg(test)]
mod mutated;
mod sheet;
mod utf16;
mod xml;
mod zip;

/// The bytes by which a file is recognized and its separators are found.
const HEAD: usize = 1 << 16;
/// The most bytes of a file that is held in memory, as workbooks, archives and lists of JSON are.
const MOST_HELD: u64 = 1 << 30;

/// Why a file is not read as a table.
#[derive(Debug)]
#[non_exhaustive]
pub enum ContentError {
    /// It cannot be read at all.
    Disk(std::io::Error),
    /// It is something else: what, and what to do about it.
    Other {
        /// The kind of file, such as `an SQLite database`.
        what: String,
        /// The solution, such as how to write it as a table.
        help: String,
    },
}

impl ContentError {
    fn other(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Other { what: what.into(), help: help.into() }
    }
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disk(source) => source.fmt(f),
            Self::Other { what, help } => write!(f, "{what}: {help}"),
        }
    }
}

impl std::error::Error for ContentError {}

impl From<std::io::Error> for ContentError {
    fn from(source: std::io::Error) -> Self {
        Self::Disk(source)
    }
}

/// A file that was recognized, as the text that it holds.
pub struct TableContent {
    /// The text, from its beginning.
    pub text: Box<dyn Read>,
    /// The first bytes of the text.
    pub head: Vec<u8>,
    /// How the text is written.
    pub form: TableForm,
    /// Assumptions about the file, in sentences without its name.
    pub notes: Vec<String>,
}

/// The note on a text in UTF-16: spreadsheets wrote it, and quote cells with tabs or several lines.
pub const UTF16_NOTE: &str = "read as UTF-16";

/// How the text of a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableForm {
    /// As it was brought: delimited, or JSON.
    Text,
    /// With commas, one line for each row of a workbook's sheet.
    Sheet,
    /// With commas, a header, and one line for each object of a list.
    Objects,
    /// With commas, a header, and one line for each line of JSON.
    JsonLines,
    /// Not yet: the file is one of Apache Parquet.
    Parquet,
}

impl TableContent {
    /// Recognizes a file by its content and unpacks it: gzip, zip with one file, UTF-16. What is neither text nor a table is an
    /// error that names it.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, unpacks to far more than its size, or is something else than text or a table.
    pub fn recognize(input: Box<dyn Read>) -> Result<Self, ContentError> {
        Self::unpack(input, 0, None)
    }

    /// As [`Self::table`], of the sheet of a name in a workbook.
    ///
    /// # Errors
    /// As [`Self::recognize`], and if the file is not a workbook or has no such sheet.
    pub fn sheet(input: Box<dyn Read>, name: &str) -> Result<Self, ContentError> {
        let content = Self::unpack(input, 0, Some(name))?;
        let other = || ContentError::other(format!("no workbook with a sheet `{name}`"), "leave it out");
        (content.form == TableForm::Sheet).then_some(content).ok_or_else(other)
    }

    /// As [`Self::recognize`], and workbooks and JSON as delimited text.
    ///
    /// # Errors
    /// As [`Self::recognize`], and if JSON is not a list of objects.
    pub fn table(input: Box<dyn Read>) -> Result<Self, ContentError> {
        let content = Self::recognize(input)?;
        match content.form {
            TableForm::Text if json::is_json(&content.head) => json::table(content),
            _ => Ok(content),
        }
    }

    fn unpack(mut input: Box<dyn Read>, depth: u8, sheet: Option<&str>) -> Result<Self, ContentError> {
        let mut head = Vec::new();
        input.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        if let Some(found) = foreign::named(&head) {
            return Err(found);
        }
        let rest = Cursor::new(head.clone()).chain(input);
        if head.starts_with(b"\x1f\x8b") && depth < 2 {
            return Self::unpack(Box::new(Bounded::new(rest, MultiGzDecoder::new)), depth + 1, sheet);
        }
        if head.starts_with(b"PK\x03\x04") && depth < 2 {
            return Self::unzip(&held(rest)?, depth, sheet);
        }
        if head.starts_with(b"PAR1") {
            return Ok(Self { text: Box::new(rest), head, form: TableForm::Parquet, notes: Vec::new() });
        }
        let Some(order) = Order::of(&head) else {
            return Ok(Self { text: Box::new(rest), head, form: TableForm::Text, notes: Vec::new() });
        };
        let mut text = Utf16::new(rest, order);
        let mut head = Vec::new();
        text.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        let text = Cursor::new(head.clone()).chain(text);
        let note = UTF16_NOTE.to_owned();
        Ok(Self { text: Box::new(text), head, form: TableForm::Text, notes: vec![note] })
    }

    /// A workbook, or the only file of an archive.
    fn unzip(bytes: &[u8], depth: u8, sheet: Option<&str>) -> Result<Self, ContentError> {
        let archive = Archive::read(bytes)?;
        if archive.has("xl/workbook.xml") {
            let (text, note) = sheet::as_text(&archive, sheet)?;
            let head = text.as_bytes()[..text.len().min(HEAD)].to_vec();
            let text = Box::new(Cursor::new(text.into_bytes()));
            return Ok(Self { text, head, form: TableForm::Sheet, notes: vec![note] });
        }
        if let Some(found) = foreign::archived(&archive) {
            return Err(found);
        }
        match archive.files()[..] {
            [file] => {
                let name = file.to_owned();
                let mut content =
                    Self::unpack(Box::new(Cursor::new(archive.open(&name)?)), depth + 1, sheet)?;
                content.notes.insert(0, format!("read `{name}` in the archive"));
                Ok(content)
            }
            [] => Err(ContentError::other("a zip archive without a file", "name another file")),
            ref several => Err(ContentError::other(
                format!("a zip archive of {} files ({})", several.len(), cut(several, 3, ", ")),
                "unpack it and name the one to read",
            )),
        }
    }
}

/// All bytes of a file, up to a limit.
fn held(input: impl Read) -> Result<Vec<u8>, ContentError> {
    let mut bytes = Vec::new();
    input.take(MOST_HELD + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_HELD {
        return Err(ContentError::other("larger than 1 GiB", "write it as CSV or as JSON Lines"));
    }
    Ok(bytes)
}

/// Adds a cell to a line of text with commas, on one line.
fn push_cell(into: &mut String, cell: &str) {
    let is_quoted = cell.contains([',', '"', '\n', '\r']);
    if !is_quoted {
        into.push_str(cell);
        return;
    }
    into.push('"');
    for letter in cell.chars() {
        match letter {
            '"' => into.push_str("\"\""),
            '\n' | '\r' => into.push(' '),
            other => into.push(other),
        }
    }
    into.push('"');
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    fn text(bytes: Vec<u8>) -> Result<String, String> {
        let mut content =
            TableContent::table(Box::new(Cursor::new(bytes))).map_err(|error| error.to_string())?;
        let mut text = String::new();
        content.text.read_to_string(&mut text).map_err(|error| error.to_string())?;
        Ok(text)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::best());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn packed_text_is_unpacked_and_bombs_are_refused() {
        assert_eq!(text(gzip(b"a,b\n1,2\n")).unwrap(), "a,b\n1,2\n");
        let said = text(gzip(&vec![b'a'; 100 << 20])).unwrap_err();
        assert!(said.contains("times its size"), "{said}");
    }

    #[test]
    fn objects_become_rows_whatever_their_fields() {
        let list = r#"[{"a": "x,\"y", "b": 1.0}, {"b": null, "c": [1, "z"], "a": "=1"}, {}]"#;
        assert_eq!(text(list.into()).unwrap(), "a,b,c\n\"x,\"\"y\",1,\n'=1,,\"[1,\"\"z\"\"]\"\n,,\n");
        assert_eq!(text("\u{feff}{\"a\": 1}\r\n\r\n{\"b\": true}\n".into()).unwrap(), "a,b\n1,\n\n,true\n");
        assert_eq!(text("{\"n\": 1, \"rows\": [{\"a\": -1}]}".into()).unwrap(), "a\n-1\n");
        assert_eq!(text("{\"a\": 1}".into()).unwrap(), "a\n1\n");
        let keyed = "{\"y.jpg\": {\"prompt\": \"a cat\"},\n\"x.jpg\": {\"prompt\": \"an owl\", \"n\": 2}}";
        assert_eq!(text(keyed.into()).unwrap(), "key,n,prompt\nx.jpg,2,an owl\ny.jpg,,a cat\n");
        for wrong in ["[1, 2]", "[{\"a\": 1}", "{\"a\": {\"0\": 1},\n\"b\": {}}", "{\"a\": 1}\n[2]\n", "[]"] {
            assert!(text(wrong.into()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn annotations_of_label_studio_become_rows() {
        let tasks = r#"[{"id": 1, "data": {"image": "sdxl/1.png"}, "annotations": [
            {"id": 7, "completed_by": {"id": 3, "email": "a@x"}, "result": [
                {"from_name": "quality", "type": "rating", "value": {"rating": 4}},
                {"from_name": "safe", "type": "choices", "value": {"choices": ["yes"]}}]},
            {"id": 8, "completed_by": 4, "was_cancelled": true, "result": []},
            {"id": 9, "completed_by": 4, "result": []}]},
            {"id": 2, "data": {"image": "vq/1.png"}, "annotations": []}]"#;
        let mut content = TableContent::table(Box::new(Cursor::new(tasks.as_bytes().to_vec()))).unwrap();
        let mut text = String::new();
        content.text.read_to_string(&mut text).unwrap();
        assert_eq!(
            text,
            "annotation_id,annotator,id,image,quality,safe\n7,3,1,sdxl/1.png,4,yes\n9,4,1,sdxl/1.png,,\n"
        );
        assert!(content.notes[0].contains("Label Studio") && content.notes[0].contains("1 cancelled"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(
            start in proptest::sample::select(vec![
                &b""[..], b"PK\x03\x04", b"\x1f\x8b\x08\0", b"[{\"", b"[{\"data\": {}, \"annotations\": [{\"result\": ", b"{\"a\": 1}\n", b"\xff\xfe", b"a;b\n",
            ]),
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let _ = text([start, &bytes[..]].concat());
        }
    }
}
