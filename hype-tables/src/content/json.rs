//! Lists of JSON objects and JSON Lines as text with commas: one line for each object, one column for each field.

use std::fmt::{self, Write as _};
use std::io::{BufRead, BufReader, Error, ErrorKind, Read};

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::{ContentError, TableContent, TableForm, held, labelled, push_cell};
use crate::cell::harmless;

/// The column with the names of objects that are fields of one.
const KEY: &str = "key";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// The lines of JSON Lines in which all fields occur, and their most bytes.
const SAMPLE: usize = 1_000;
const SAMPLE_BYTES: usize = 1 << 24;

/// Whether a text begins as JSON that can hold objects.
pub(super) fn is_json(head: &[u8]) -> bool {
    let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head).trim_ascii_start();
    let second = text.get(1..).unwrap_or_default().trim_ascii_start().first();
    match text.first() {
        Some(b'[') => second.is_some_and(|byte| b"{[]\"-0123456789".contains(byte)),
        Some(b'{') => second.is_some_and(|byte| b"\"}".contains(byte)),
        _ => false,
    }
}

/// JSON as text with commas.
pub(super) fn table(content: TableContent) -> Result<TableContent, ContentError> {
    let TableContent { text, head, mut notes, .. } = content;
    let mut input = BufReader::new(text);
    let mark = if head.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    input.by_ref().take(mark as u64).read_to_end(&mut Vec::new())?;
    let is_list = head[mark..].trim_ascii_start().starts_with(b"[");
    let mut first = Vec::new();
    while !is_list && first.trim_ascii().is_empty() {
        if input.by_ref().take(SAMPLE_BYTES as u64).read_until(b'\n', &mut first)? == 0 {
            break;
        }
    }
    let is_line = !is_list && serde_json::from_slice::<IgnoredAny>(&first).is_ok();
    let mut second = Vec::new();
    let is_alone = !is_line || input.by_ref().take(SAMPLE_BYTES as u64).read_until(b'\n', &mut second)? == 0;
    let is_held = is_line && is_alone && (held_list(&first).is_ok() || keyed_list(&first).is_some());
    let (text, form): (Box<dyn Read>, _) = if is_line && !is_held {
        (Box::new(JsonLines::begin(first, second, input)?), TableForm::JsonLines)
    } else {
        let bytes = held((&*first).chain(&*second).chain(input))?;
        let (text, note) = if is_list { list_or_tasks(&bytes)? } else { held_list_of(&bytes)? };
        notes.extend(note);
        (Box::new(std::io::Cursor::new(text.into_bytes())), TableForm::Objects)
    };
    Ok(TableContent { text, head, form, notes })
}

/// Returns the error for JSON that is not a table.
fn no_rows(reason: impl fmt::Display) -> ContentError {
    ContentError::other(
        format!("JSON that is not a list of objects ({reason})"),
        "write one object for each row, such as by pandas: to_json(…, orient=\"records\")",
    )
}

/// A list of objects.
fn list(bytes: &[u8]) -> Result<String, ContentError> {
    let mut header = Header::default();
    let elements = |pass: Pass<'_>| {
        let mut json = serde_json::Deserializer::from_slice(bytes);
        json.deserialize_seq(Elements(pass)).and_then(|()| json.end()).map_err(no_rows)
    };
    elements(Pass::Fields(&mut header))?;
    let mut out = header.begin()?;
    elements(Pass::Rows(&mut Writer::new(&header, &mut out)))?;
    Ok(out)
}

/// A list of objects, or of tasks with annotations, and what is said about it.
fn list_or_tasks(bytes: &[u8]) -> Result<(String, Option<String>), ContentError> {
    let Some((rows, cancelled)) = labelled::rows(bytes) else { return Ok((list(bytes)?, None)) };
    let left_out =
        if cancelled > 0 { format!("; {cancelled} cancelled ones are left out") } else { String::new() };
    Ok((rows_of(&rows)?, Some(format!("read one row for each annotation of Label Studio{left_out}"))))
}

/// The only list of objects that is a field of an object, or the objects that all its fields are, and what is said about it.
fn held_list_of(bytes: &[u8]) -> Result<(String, Option<String>), ContentError> {
    if let Some(list) = keyed_list(bytes) {
        let note =
            format!("read one row for each of {} objects, whose names are in the column `{KEY}`", list.len());
        return Ok((rows_of(&Value::Array(list))?, Some(note)));
    }
    let (field, list) = held_list(bytes)?;
    Ok((rows_of(&list)?, Some(format!("read the list in the field `{field}`"))))
}

/// A list of objects that is in memory.
fn rows_of(list: &Value) -> Result<String, ContentError> {
    let mut header = Header::default();
    list.deserialize_seq(Elements(Pass::Fields(&mut header))).map_err(no_rows)?;
    let mut out = header.begin()?;
    list.deserialize_seq(Elements(Pass::Rows(&mut Writer::new(&header, &mut out)))).map_err(no_rows)?;
    Ok(out)
}

/// Several objects by their names, such as ImagenHub's `dataset_lookup.json`. Columns by the numbers of their rows, as pandas writes
/// them, are none.
fn keyed_list(bytes: &[u8]) -> Option<Vec<Value>> {
    let object: serde_json::Map<String, Value> = serde_json::from_slice(bytes).ok()?;
    let is_number = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit());
    if object.values().filter_map(Value::as_object).flat_map(|fields| fields.keys()).all(is_number) {
        return None;
    }
    let named = |(name, value): (String, Value)| match value {
        Value::Object(mut fields) if !fields.contains_key(KEY) => {
            fields.insert(KEY.to_owned(), Value::String(name));
            Some(Value::Object(fields))
        }
        _ => None,
    };
    let list: Option<Vec<Value>> = object.into_iter().map(named).collect();
    list.filter(|list| list.len() > 1)
}

fn held_list(bytes: &[u8]) -> Result<(String, Value), ContentError> {
    let object: serde_json::Map<String, Value> = serde_json::from_slice(bytes).map_err(no_rows)?;
    let is_rows = |value: &Value| {
        value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(Value::is_object))
    };
    let mut lists = object.into_iter().filter(|(_, value)| is_rows(value));
    match (lists.next(), lists.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(no_rows("an object without one")),
        (Some((first, _)), Some((second, _))) => {
            Err(no_rows(format!("several are, `{first}` and `{second}`")))
        }
    }
}

/// The fields in the order in which they occur first.
#[derive(Default)]
struct Header(Vec<String>);

impl Header {
    /// The number of a field, which is expected to be `next`.
    fn place(&self, field: &str, next: usize) -> Option<usize> {
        match self.0.get(next) {
            Some(known) if known == field => Some(next),
            _ => self.0.iter().position(|known| known == field),
        }
    }

    /// The header as a line.
    fn begin(&self) -> Result<String, ContentError> {
        if self.0.is_empty() {
            return Err(no_rows("there are no fields"));
        }
        let mut out = String::new();
        for (place, name) in self.0.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            push_cell(&mut out, &harmless(name));
        }
        out.push('\n');
        Ok(out)
    }
}

/// Writes objects as lines.
struct Writer<'a> {
    header: &'a Header,
    out: &'a mut String,
    row: Vec<String>,
}

impl<'a> Writer<'a> {
    fn new(header: &'a Header, out: &'a mut String) -> Self {
        Self { header, out, row: vec![String::new(); header.0.len()] }
    }

    fn end(&mut self) {
        for (place, cell) in self.row.iter_mut().enumerate() {
            if place > 0 {
                self.out.push(',');
            }
            push_cell(self.out, cell);
            cell.clear();
        }
        self.out.push('\n');
    }
}

/// The treatment of objects.
enum Pass<'a> {
    Fields(&'a mut Header),
    Rows(&'a mut Writer<'a>),
}

struct Elements<'a>(Pass<'a>);

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        let mut more = true;
        while more {
            more = match &mut self.0 {
                Pass::Fields(header) => list.next_element_seed(Fields(header))?.is_some(),
                Pass::Rows(writer) => list.next_element_seed(Line(writer))?.is_some(),
            };
        }
        Ok(())
    }
}

/// Adds the fields of an object.
struct Fields<'a>(&'a mut Header);

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object for each row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let mut next = 0;
        while let Some((field, IgnoredAny)) = object.next_entry::<String, _>()? {
            let place = self.0.place(&field, next).unwrap_or_else(|| {
                self.0.0.push(field);
                self.0.0.len() - 1
            });
            next = place + 1;
        }
        Ok(())
    }
}

/// Writes an object as a line.
struct Line<'a, 'w>(&'a mut Writer<'w>);

impl<'de> DeserializeSeed<'de> for Line<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Line<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object for each row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let mut next = 0;
        while let Some(place) = object.next_key_seed(Place(self.0.header, next))? {
            next = place + 1;
            let cell = &mut self.0.row[place];
            cell.clear();
            object.next_value_seed(Cell(cell))?;
        }
        self.0.end();
        Ok(())
    }
}

/// The number of a field that is expected to have a number.
struct Place<'a>(&'a Header, usize);

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<usize, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Place<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field")
    }

    fn visit_str<E: serde::de::Error>(self, field: &str) -> Result<usize, E> {
        let unknown = || E::custom(format!("the field `{field}` is in none of the first {SAMPLE} lines"));
        self.0.place(field, self.1).ok_or_else(unknown)
    }
}

/// Adds a value to a cell.
struct Cell<'a>(&'a mut String);

impl<'de> DeserializeSeed<'de> for Cell<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl Cell<'_> {
    fn show(self, value: impl fmt::Display) {
        // Text takes what is written to it.
        let _ = write!(self.0, "{value}");
    }
}

impl<'de> Visitor<'de> for Cell<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.push_str(&harmless(text));
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.show(value);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.show(value);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.show(value);
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.show(value);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        let list = Value::deserialize(SeqAccessDeserializer::new(list))?;
        self.show(list);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<(), A::Error> {
        let object = Value::deserialize(MapAccessDeserializer::new(object))?;
        self.show(object);
        Ok(())
    }
}

/// A reader of JSON Lines as text with commas. Empty lines stay empty: each line has the number of its own plus one.
struct JsonLines<R> {
    input: R,
    header: Header,
    /// Lines that were read for their fields, the last one first.
    sample: Vec<Vec<u8>>,
    line: Vec<u8>,
    number: u64,
    out: String,
    at: usize,
}

impl<R: BufRead> JsonLines<R> {
    fn begin(first: Vec<u8>, second: Vec<u8>, mut input: R) -> Result<Self, ContentError> {
        let mut header = Header::default();
        let mut sample = vec![first, second];
        let mut bytes = 0;
        while sample.len() < SAMPLE && bytes < SAMPLE_BYTES {
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            bytes += line.len();
            sample.push(line);
        }
        for (number, line) in sample.iter().enumerate().filter(|(_, line)| !line.trim_ascii().is_empty()) {
            let mut json = serde_json::Deserializer::from_slice(line);
            let read = Fields(&mut header).deserialize(&mut json).and_then(|()| json.end());
            read.map_err(|error| no_rows(format!("line {}: {}", number + 1, reason(&error))))?;
        }
        let out = header.begin()?;
        sample.reverse();
        Ok(Self { input, header, sample, line: Vec::new(), number: 0, out, at: 0 })
    }

    /// Writes the next line; nothing at the end.
    fn next_line(&mut self) -> std::io::Result<()> {
        self.out.clear();
        self.at = 0;
        self.line.clear();
        match self.sample.pop() {
            Some(line) => self.line = line,
            None => {
                self.input.read_until(b'\n', &mut self.line)?;
            }
        }
        if self.line.is_empty() {
            return Ok(());
        }
        self.number += 1;
        if self.line.trim_ascii().is_empty() {
            self.out.push('\n');
            return Ok(());
        }
        let mut json = serde_json::Deserializer::from_slice(&self.line);
        let read = Line(&mut Writer::new(&self.header, &mut self.out)).deserialize(&mut json);
        read.and_then(|()| json.end()).map_err(|error| {
            Error::new(ErrorKind::InvalidData, format!("line {}: {}", self.number, reason(&error)))
        })
    }
}

/// Why a line is not JSON, without its place in the line.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

impl<R: BufRead> Read for JsonLines<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.out.len() {
            self.next_line()?;
        }
        let some = out.len().min(self.out.len() - self.at);
        out[..some].copy_from_slice(&self.out.as_bytes()[self.at..self.at + some]);
        self.at += some;
        Ok(some)
    }
}
