use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};

use super::fault::shown;
use super::position::{Lines, Offsets, narrow};
use super::{Document, Extent, Key, Limits, Record, Value};
use crate::diagnostics::{Diagnostic, Diagnostics, Severity, Span, join_field, join_item};

mod syntax;

/// Reading stops after this many faults.
const FAULTS_AT_MOST: usize = 20;

const QUOTE: &str = "put the text in quotes if it is meant to be text";

/// Interprets bytes as UTF-8.
pub(super) fn utf8(bytes: &[u8], limits: Limits) -> Result<&str, Diagnostics> {
    check_size(bytes.len(), limits)?;
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error,
    };
    let start = error.valid_up_to();
    let before = std::str::from_utf8(&bytes[..start]).unwrap_or_default();
    let message = format!("the text is not UTF-8: byte 0x{:02X} at offset {start}", bytes[start]);
    let mut fault = Diagnostic::new(Severity::Error, "not-utf8", "", message);
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        fault.help("the text looks like UTF-16: save it as UTF-8");
    } else {
        fault.help("save the text as UTF-8");
    }
    let (line, column) = Lines::new(before).line_column(before, start);
    fault.span = Some(Span { start, end: start + 1 });
    fault.line = Some(line);
    fault.column = Some(column);
    Err(fault.into())
}

/// Parses a text into a tree.
pub(super) fn parse(text: &str, limits: Limits) -> Result<Document, Diagnostics> {
    check_size(text.len(), limits)?;
    let lines = Lines::new(text);
    let mark = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let mut builder = Builder {
        text,
        mark,
        offsets: Offsets::new(&text[mark..]),
        lines: &lines,
        limits,
        records: Vec::new(),
        children: Vec::new(),
        open: Vec::new(),
        faults: Vec::new(),
    };
    let finished =
        builder.control_characters().and_then(|()| builder.punctuation()).and_then(|()| builder.run());
    let Builder { records, children, mut faults, .. } = builder;
    if let Err(Stop(fault)) = finished {
        faults.extend(fault.map(|fault| *fault));
    }
    if faults.is_empty() {
        return Ok(Document { text: text.into(), lines, records, children, left_out: Vec::new() });
    }
    let mut diagnostics = Diagnostics::new();
    for mut fault in faults {
        if let Some(span) = fault.span {
            let (line, column) = lines.line_column(text, span.start);
            fault.line = Some(line);
            fault.column = Some(column);
        }
        diagnostics.push(fault);
    }
    diagnostics.sort();
    Err(diagnostics)
}

fn check_size(bytes: usize, limits: Limits) -> Result<(), Diagnostics> {
    // Offsets are stored in 32 bits.
    let most = limits.bytes.min(u32::MAX as usize);
    if bytes <= most {
        return Ok(());
    }
    let message = format!("the text has {bytes} bytes: {most} are allowed");
    Err(Diagnostic::new(Severity::Error, "too-large", "", message).into())
}

/// Ends the reading with a last fault, unless that fault was already recorded.
struct Stop(Option<Box<Diagnostic>>);

impl From<Diagnostic> for Stop {
    fn from(fault: Diagnostic) -> Self {
        Self(Some(Box::new(fault)))
    }
}

struct Builder<'a> {
    text: &'a str,
    /// Bytes of the byte order mark, which the parser does not see.
    mark: usize,
    offsets: Offsets<'a>,
    lines: &'a Lines,
    limits: Limits,
    records: Vec<Record>,
    children: Vec<u32>,
    open: Vec<Open>,
    faults: Vec<Diagnostic>,
}

/// A map or list that has not ended.
struct Open {
    number: u32,
    is_map: bool,
    children: Vec<u32>,
    key: Option<Box<Key>>,
    /// End of the last key or value.
    end: usize,
}

impl Builder<'_> {
    /// Refuses a text with more punctuation than its values can require.
    ///
    /// The parser buffers the content of a bracket on one line until it knows that the bracket is not a key. This takes
    /// some 90 bytes for each mark and word, which is too much for a megabyte of text.
    fn punctuation(&self) -> Result<(), Stop> {
        let mut marks = self.text.bytes().enumerate().filter(|(_, byte)| b",:[]{}".contains(byte));
        let Some((start, _)) = marks.nth(self.limits.nodes) else {
            return Ok(());
        };
        let message = format!("the text has more than {} of the marks `, : [ ] {{ }}`", self.limits.nodes);
        Err(self.fault(Span { start, end: start + 1 }, "too-many-values", message).into())
    }

    /// Refuses characters that YAML does not allow, including NUL, which the parser would treat as the end.
    fn control_characters(&self) -> Result<(), Stop> {
        let found = self.text.char_indices().find(|&(_, character)| {
            matches!(character, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
        });
        let Some((start, character)) = found else {
            return Ok(());
        };
        let span = Span { start, end: start + character.len_utf8() };
        let message = format!("the text contains the control character U+{:04X}", u32::from(character));
        let mut fault = self.fault(span, "control-character", message);
        fault.help("remove it, or write it as an escape within double quotes");
        Err(fault.into())
    }

    fn run(&mut self) -> Result<(), Stop> {
        let mut parser = Parser::new_from_str(&self.text[self.mark..]);
        let mut documents = 0;
        while let Some(event) = parser.next_event() {
            let (event, place) = event.map_err(|error| self.syntax(&error))?;
            let span = Span { start: self.byte(&place.start), end: self.byte(&place.end) };
            match event {
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        let mut fault =
                            self.fault(span, "several-documents", "a second document starts here");
                        fault.help(
                            "remove the line `---` and everything after it, or put it in a separate text",
                        );
                        return Err(fault.into());
                    }
                }
                Event::Alias(_) => {
                    self.refuse(span, "alias", "aliases (`*name`) are not supported", QUOTE)?;
                    self.scalar(span, "", true)?;
                }
                Event::Scalar(text, style, anchor, tag) => {
                    self.refuse_properties(span, anchor, tag.is_some())?;
                    self.scalar(span, &text, style == ScalarStyle::Plain)?;
                }
                Event::SequenceStart(anchor, tag) => {
                    self.refuse_properties(span, anchor, tag.is_some())?;
                    self.start(span, false)?;
                }
                Event::MappingStart(anchor, tag) => {
                    self.refuse_properties(span, anchor, tag.is_some())?;
                    self.start(span, true)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.end(span)?,
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            }
        }
        match self.records.first().map(|root| &root.value) {
            None => Err(self.empty()),
            Some(Value::Scalar { text, plain: true }) if text.is_empty() => Err(self.empty()),
            Some(_) => Ok(()),
        }
    }

    fn empty(&self) -> Stop {
        self.fault(Span { start: self.mark, end: self.mark }, "empty", "the document is empty").into()
    }

    /// Records a scalar as a key or as a value, whichever is expected.
    fn scalar(&mut self, span: Span, text: &str, plain: bool) -> Result<(), Stop> {
        if let Some(open) = self.open.last_mut()
            && open.is_map
            && open.key.is_none()
        {
            open.key = Some(Box::new(Key { text: text.into(), span: extent(span) }));
            open.end = span.end;
            if plain && text.is_empty() {
                return Err(self.fault(span, "missing-key", "an entry has no key").into());
            }
            if plain && text == "<<" {
                let help = "write the entries out";
                self.refuse(span, "merge-key", "merge keys (`<<`) are not supported", help)?;
            }
            return Ok(());
        }
        self.add(span, Value::Scalar { text: text.into(), plain })?;
        Ok(())
    }

    fn start(&mut self, span: Span, is_map: bool) -> Result<(), Stop> {
        if self.open.len() == self.limits.depth {
            let message = format!("more than {} maps and lists within each other", self.limits.depth);
            return Err(self.fault(first_byte(span), "too-deep", message).into());
        }
        if self.open.last().is_some_and(|open| open.is_map && open.key.is_none()) {
            let mut fault = self.fault(span, "complex-key", "a key must be text, not a map or a list");
            fault.help("put text that starts with `{` or `[` in quotes");
            return Err(fault.into());
        }
        let empty =
            if is_map { Value::Map { first: 0, count: 0 } } else { Value::List { first: 0, count: 0 } };
        let number = self.add(span, empty)?;
        self.open.push(Open { number, is_map, children: Vec::new(), key: None, end: span.end });
        Ok(())
    }

    fn end(&mut self, span: Span) -> Result<(), Stop> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        // A block ends with its last value; a bracketed collection ends with its closing bracket.
        let end = if self.text[span.start..span.end].ends_with([']', '}']) { span.end } else { open.end };
        let first = narrow(self.children.len());
        let count = narrow(open.children.len());
        self.children.extend_from_slice(&open.children);
        let record = &mut self.records[open.number as usize];
        record.span.end = narrow(end).max(record.span.start);
        record.value = if open.is_map { Value::Map { first, count } } else { Value::List { first, count } };
        if let Some(outer) = self.open.last_mut() {
            outer.end = end;
        }
        if open.is_map {
            self.sort_keys(open.children)?;
        }
        Ok(())
    }

    /// Also stores the entries by key, and refuses repeated keys.
    fn sort_keys(&mut self, mut entries: Vec<u32>) -> Result<(), Stop> {
        // Numbers follow the order of the text, so the later of two equal keys has the higher number.
        entries.sort_unstable_by_key(|&number| (self.key(number).map(|key| &*key.text), number));
        for pair in entries.windows(2) {
            let (Some(first), Some(second)) = (self.key(pair[0]), self.key(pair[1])) else {
                continue;
            };
            if first.text == second.text {
                let (line, _) = self.lines.line_column(self.text, first.span.start as usize);
                let message =
                    format!("the key `{}` is repeated; it first appears in line {line}", shown(&second.text));
                let mut fault = self.fault(second.span.into(), "duplicate-key", message);
                fault.path = self.path(pair[1]);
                self.record(fault)?;
            }
        }
        self.children.extend(entries);
        Ok(())
    }

    fn add(&mut self, span: Span, value: Value) -> Result<u32, Stop> {
        if self.records.len() == self.limits.nodes {
            let message = format!("the document has more than {} values", self.limits.nodes);
            return Err(self.fault(first_byte(span), "too-many-values", message).into());
        }
        let number = narrow(self.records.len());
        let mut record = Record { value, span: extent(span), parent: 0, position: 0, key: None };
        if let Some(open) = self.open.last_mut() {
            record.parent = open.number;
            record.position = narrow(open.children.len());
            record.key = open.key.take();
            open.children.push(number);
            open.end = span.end.max(open.end);
        }
        self.records.push(record);
        Ok(number)
    }

    fn refuse_properties(&mut self, span: Span, anchor: usize, tagged: bool) -> Result<(), Stop> {
        if anchor > 0 {
            self.refuse(span, "anchor", "anchors (`&name`) are not supported", QUOTE)?;
        }
        if tagged {
            self.refuse(span, "tag", "tags (`!name`) are not supported", QUOTE)?;
        }
        Ok(())
    }

    fn refuse(&mut self, span: Span, code: &'static str, message: &str, help: &str) -> Result<(), Stop> {
        let mut fault = self.fault(span, code, message);
        fault.help(help);
        self.record(fault)
    }

    fn record(&mut self, fault: Diagnostic) -> Result<(), Stop> {
        self.faults.push(fault);
        if self.faults.len() < FAULTS_AT_MOST { Ok(()) } else { Err(Stop(None)) }
    }

    fn syntax(&self, error: &ScanError) -> Stop {
        let start = self.byte(error.marker());
        let mut fault = self.fault(Span { start, end: start }, "syntax", error.info());
        if error.info().contains("unknown anchor") {
            fault.code = "alias";
            fault.message = "aliases (`*name`) are not supported".to_owned();
            fault.help(QUOTE);
        } else {
            let explanation = syntax::explain(error.info(), self.text, start);
            fault.message = explanation.message.unwrap_or(fault.message);
            fault.help = explanation.help;
        }
        fault.into()
    }

    /// A fault at a place in the text, with the path of the value expected there.
    fn fault(&self, span: Span, code: &'static str, message: impl Into<String>) -> Diagnostic {
        let mut path = String::new();
        if let Some(open) = self.open.last() {
            path = self.path(open.number);
            if let Some(key) = &open.key {
                join_field(&mut path, &key.text);
            } else if !open.is_map {
                join_item(&mut path, open.children.len());
            }
        }
        let mut fault = Diagnostic::new(Severity::Error, code, path, message);
        fault.span = Some(span);
        fault
    }

    fn path(&self, number: u32) -> String {
        let mut line = Vec::new();
        let mut number = number;
        while number != 0 {
            line.push(number);
            number = self.records[number as usize].parent;
        }
        let mut path = String::new();
        for number in line.into_iter().rev() {
            let record = &self.records[number as usize];
            match &record.key {
                Some(key) => join_field(&mut path, &key.text),
                None => join_item(&mut path, record.position as usize),
            }
        }
        path
    }

    fn key(&self, number: u32) -> Option<&Key> {
        self.records[number as usize].key.as_deref()
    }

    fn byte(&self, marker: &Marker) -> usize {
        self.mark + self.offsets.byte(marker.index())
    }
}

fn extent(span: Span) -> Extent {
    Extent { start: narrow(span.start), end: narrow(span.end) }
}

fn first_byte(span: Span) -> Span {
    Span { start: span.start, end: span.start }
}
