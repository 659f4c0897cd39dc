//! Reads YAML into a tree that records the position of everything in the text.
//!
//! This crate reads only the text that it is given, not files or the environment.
//!
//! The dialect is YAML 1.2 (core schema) without surprising features and without features by which a small text can
//! expand: aliases, anchors, merge keys, tags, repeated keys and several documents in one text are refused. `no`,
//! `yes`, `017` and `1_000` are strings. [`Limits`] bound the text.
//!
//! [`Node::read`] turns a part of the tree into a typed value. A fault keeps its exact place, also within plugin
//! objects: the `kind` key is passed first, wherever it is in its map, so nothing needs to be buffered.
//!
//! # Examples
//!
//! ```
//! use hype_yaml::Document;
//!
//! #[derive(serde::Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Staircase {
//!     start_ms: u32,
//! }
//!
//! let document = Document::parse("staircase:\n  start_ms: often\n")?;
//! let staircase = document.root().get("staircase").ok_or("no staircase")?;
//! let fault = staircase.read::<Staircase>().err().ok_or("read")?;
//! assert_eq!(fault.path, "staircase.start_ms");
//! assert_eq!((fault.line, fault.column), (Some(2), Some(13)));
//! assert_eq!(fault.message, "expected an integer, found a string");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests may panic"))]

use std::fmt;

use serde::de::DeserializeOwned;

use crate::diagnostics::{Segment, Span, join_field, join_item, segments};

mod de;
pub mod diagnostics;
mod fault;
mod json;
mod parse;
mod position;
mod scalar;
mod uniform;
pub mod words;

pub use self::diagnostics::{Diagnostic, Diagnostics, Severity};
pub use self::json::to_json;
use self::position::Lines;
use self::scalar::Scalar;
pub use self::uniform::{Uniform, UniformError, read_uniformly};

/// The maximum number of faults collected from the entries of one map or list.
const FAULTS_AT_MOST: usize = 100;

/// The maximum size of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text.
    pub bytes: usize,
    /// The nesting depth of maps and lists.
    pub depth: usize,
    /// The total number of scalars, maps and lists, not counting keys of maps.
    pub nodes: usize,
}

impl Default for Limits {
    /// 1 MiB of text, 64 levels, 200,000 values.
    fn default() -> Self {
        Self { bytes: 1 << 20, depth: 64, nodes: 200_000 }
    }
}

/// A YAML text with its tree.
///
/// The text contains one document that is not empty, and the keys of every map are unique.
pub struct Document {
    text: Box<str>,
    lines: Lines,
    records: Vec<Record>,
    /// For each list its items in order; for each map its entries in order, then sorted by key.
    children: Vec<u32>,
    /// Nodes that typed reading leaves out.
    left_out: Vec<u32>,
}

/// A stored node. Its place in `Document::records` is its number; the root is 0.
struct Record {
    value: Value,
    span: Extent,
    parent: u32,
    /// Position among the parent's children.
    position: u32,
    /// `Some` in a map.
    key: Option<Box<Key>>,
}

struct Key {
    text: Box<str>,
    span: Extent,
}

enum Value {
    Scalar { text: Box<str>, plain: bool },
    List { first: u32, count: u32 },
    Map { first: u32, count: u32 },
}

/// A [`Span`] in half the space.
#[derive(Clone, Copy)]
struct Extent {
    start: u32,
    end: u32,
}

impl From<Extent> for Span {
    fn from(extent: Extent) -> Self {
        Self { start: extent.start as usize, end: extent.end as usize }
    }
}

/// The kind of a node in the YAML 1.2 core schema. The enum is exhaustive, as that schema is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A whole number: `12`, `-3`, `0x1F`, `0o17`.
    Integer,
    /// A number with a point or an exponent, `.inf` or `.nan`.
    Float,
    /// Any other text, and all quoted text.
    String,
    /// A sequence.
    List,
    /// A mapping.
    Map,
}

impl Kind {
    /// The kind with its article, as in messages: `a string`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Boolean => "a boolean",
            Self::Integer => "an integer",
            Self::Float => "a number",
            Self::String => "a string",
            Self::List => "a list",
            Self::Map => "a map",
        }
    }
}

/// One entry of a map.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Entry<'a> {
    /// The key.
    pub key: &'a str,
    /// The position of the key.
    pub key_span: Span,
    /// The value.
    pub value: Node<'a>,
}

/// A value in a [`Document`]: a handle that is free to copy.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    document: &'a Document,
    number: u32,
}

impl Document {
    /// Parses a text within the default [`Limits`].
    ///
    /// # Errors
    ///
    /// If the text is not YAML, is empty or too large, or uses features that this dialect refuses. The error has all
    /// faults with their places.
    pub fn parse(text: &str) -> Result<Self, Diagnostics> {
        Self::parse_within(text, Limits::default())
    }

    /// Parses a text within the given limits.
    ///
    /// # Errors
    ///
    /// See [`Document::parse`].
    pub fn parse_within(text: &str, limits: Limits) -> Result<Self, Diagnostics> {
        parse::parse(text, limits)
    }

    /// Parses bytes as UTF-8 text.
    ///
    /// # Errors
    ///
    /// See [`Document::parse`]; also if the bytes are not UTF-8, with the place of the first invalid byte.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Self, Diagnostics> {
        parse::parse(parse::utf8(bytes, Limits::default())?, Limits::default())
    }

    /// The original text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        self.node(0)
    }

    /// The value at a path.
    #[must_use]
    pub fn node_at(&self, path: &str) -> Option<Node<'_>> {
        let (node, whole) = self.follow(path);
        whole.then_some(node)
    }

    /// Leaves the value at a path out of what is read leniently, after a fault has been reported about it.
    pub fn leave_out(&mut self, path: &str) {
        if let Some(node) = self.node_at(path) {
            let number = node.number;
            self.left_out.push(number);
        }
    }

    /// The span at which a diagnostic about the value at a path points; see [`Node::pointer`].
    #[must_use]
    pub fn span_at(&self, path: &str) -> Option<Span> {
        self.node_at(path).map(Node::pointer)
    }

    /// Like [`Document::span_at`], but a path that does not exist points at the key of its nearest ancestor. `None` if
    /// that ancestor is the whole document.
    #[must_use]
    pub fn nearest_span(&self, path: &str) -> Option<Span> {
        let (node, whole) = self.follow(path);
        if whole {
            return Some(node.pointer());
        }
        (node.number != 0).then(|| node.key_or_first_line())
    }

    /// Line and column of a byte, both from 1, the column in characters.
    ///
    /// An offset past the end counts as the end.
    #[must_use]
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        self.lines.line_column(&self.text, offset)
    }

    /// The deepest node on the path, and whether that is the path's end.
    fn follow(&self, path: &str) -> (Node<'_>, bool) {
        let mut node = self.root();
        for segment in segments(path) {
            let next = match segment {
                Some(Segment::Field(name)) => node.get(&name),
                Some(Segment::Item(index)) => node.item(index),
                None => None,
            };
            let Some(next) = next else {
                return (node, false);
            };
            node = next;
        }
        (node, true)
    }

    fn node(&self, number: u32) -> Node<'_> {
        Node { document: self, number }
    }

    fn record(&self, number: u32) -> &Record {
        &self.records[number as usize]
    }

    fn children(&self, first: u32, count: u32) -> &[u32] {
        &self.children[first as usize..][..count as usize]
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Document").field(&self.root()).finish()
    }
}

impl<'a> Node<'a> {
    /// The kind of the node.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.record().value {
            Value::List { .. } => Kind::List,
            Value::Map { .. } => Kind::Map,
            Value::Scalar { .. } => self.scalar().map_or(Kind::Null, Scalar::kind),
        }
    }

    /// The kind of the node with its article, such as `a string`.
    #[must_use]
    pub fn kind_name(self) -> &'static str {
        self.kind().name()
    }

    /// Whether the node is empty, `~` or `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The position of the whole node.
    #[must_use]
    pub fn span(self) -> Span {
        self.record().span.into()
    }

    /// The position of the node's key, if it is a map's entry.
    #[must_use]
    pub fn key_span(self) -> Option<Span> {
        self.record().key.as_ref().map(|key| key.span.into())
    }

    /// The node's key, if it is a map's entry.
    #[must_use]
    pub fn key(self) -> Option<&'a str> {
        self.record().key.as_ref().map(|key| &*key.text)
    }

    /// The span at which a diagnostic about this node points, always within one line.
    ///
    /// This is the node itself if it is on one line, or else its key, or else its first line.
    #[must_use]
    pub fn pointer(self) -> Span {
        let span = self.span();
        let first = self.first_line();
        if span.start < span.end && first == span { span } else { self.key_or_first_line() }
    }

    /// The path from the root: `task.staircase`, `questions[2].text`.
    #[must_use]
    pub fn path(self) -> String {
        let mut line = Vec::new();
        let mut number = self.number;
        while number != 0 {
            line.push(number);
            number = self.document.record(number).parent;
        }
        let mut path = String::new();
        for number in line.into_iter().rev() {
            let record = self.document.record(number);
            match &record.key {
                Some(key) => join_field(&mut path, &key.text),
                None => join_item(&mut path, record.position as usize),
            }
        }
        path
    }

    /// The entries in the order of the text, if this is a map.
    #[must_use]
    pub fn as_map(self) -> Option<impl ExactSizeIterator<Item = Entry<'a>> + DoubleEndedIterator> {
        let Value::Map { first, count } = self.record().value else {
            return None;
        };
        let document = self.document;
        Some(document.children(first, count).iter().map(move |&number| {
            let value = document.node(number);
            let key = value.key().unwrap_or_default();
            Entry { key, key_span: value.key_span().unwrap_or(value.span()), value }
        }))
    }

    /// The items, if this is a list.
    #[must_use]
    pub fn as_list(self) -> Option<impl ExactSizeIterator<Item = Self> + DoubleEndedIterator> {
        let Value::List { first, count } = self.record().value else {
            return None;
        };
        let document = self.document;
        Some(document.children(first, count).iter().map(move |&number| document.node(number)))
    }

    /// The text, if this is a string by the core schema.
    #[must_use]
    pub fn as_str(self) -> Option<&'a str> {
        match self.scalar()? {
            Scalar::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value under a key, if this is a map that has it; in logarithmic time.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        let Value::Map { first, count } = self.record().value else {
            return None;
        };
        let sorted = self.document.children(first + count, count);
        let found = sorted.binary_search_by(|&number| self.document.node(number).key().cmp(&Some(key)));
        found.ok().map(|index| self.document.node(sorted[index]))
    }

    /// The item at an index from 0, if this is a list with such an item.
    #[must_use]
    pub fn item(self, index: usize) -> Option<Self> {
        let Value::List { first, count } = self.record().value else {
            return None;
        };
        let number = self.document.children(first, count).get(index)?;
        Some(self.document.node(*number))
    }

    /// Creates an error that points at this node.
    #[must_use]
    pub fn error(self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        self.error_at(self.pointer(), code, message)
    }

    /// Reads the node as a typed value.
    ///
    /// Unknown fields are always refused, even if the type would ignore them.
    ///
    /// # Errors
    ///
    /// The first fault, with its path, its place and a suggestion.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, Box<Diagnostic>> {
        de::read(self)
    }

    /// Reads the node as a typed value, and adds every fault to `at`.
    ///
    /// After a fault, the rest is read as if the faulty entry or item did not exist. Possible consequences of this are
    /// not reported, and at most about twenty faults are.
    pub fn read_collecting<T: DeserializeOwned>(self, at: &mut Diagnostics) -> Option<T> {
        de::read_leniently(self, at).filter(|(_, whole)| *whole).map(|(value, _)| value)
    }

    /// Like [`read_collecting`](Self::read_collecting), but returns the value without the faulty entries and items, so
    /// that the rest can be checked further; `None` if nothing is left.
    pub fn read_leniently<T: DeserializeOwned>(self, at: &mut Diagnostics) -> Option<T> {
        de::read_leniently(self, at).map(|(value, _)| value)
    }

    /// Reads every entry of a map separately, in the order of the text.
    ///
    /// Faults are added to `at`, and faulty entries are left out. If this is not a map, nothing is read. Reading stops
    /// after a hundred faults.
    pub fn read_map_items<T: DeserializeOwned>(self, at: &mut Diagnostics) -> Vec<(String, T)> {
        let Some(entries) = self.as_map() else {
            at.push(self.error("wrong-type", format!("expected a map, found {}", self.kind_name())));
            return Vec::new();
        };
        let nodes = entries.map(|entry| entry.value);
        self.collect_items(nodes, at)
            .map(|(node, item)| (node.key().unwrap_or_default().to_owned(), item))
            .collect()
    }

    /// Reads every item of a list separately.
    ///
    /// Faults are added to `at`, and faulty items are left out. If this is not a list, nothing is read. Reading stops
    /// after a hundred faults.
    pub fn read_list_items<T: DeserializeOwned>(self, at: &mut Diagnostics) -> Vec<T> {
        let Some(items) = self.as_list() else {
            at.push(self.error("wrong-type", format!("expected a list, found {}", self.kind_name())));
            return Vec::new();
        };
        self.collect_items(items, at).map(|(_, item)| item).collect()
    }

    fn collect_items<'n, T: DeserializeOwned>(
        self,
        nodes: impl Iterator<Item = Self> + 'n,
        at: &'n mut Diagnostics,
    ) -> impl Iterator<Item = (Self, T)> + 'n
    where
        'a: 'n,
    {
        let before = at.len();
        nodes
            .map_while(move |node| {
                if at.len() - before >= FAULTS_AT_MOST {
                    let message = format!("{FAULTS_AT_MOST} faults or more here: the rest was not read");
                    let mut note = self.error("more-faults", message);
                    note.severity = Severity::Note;
                    at.push(note);
                    return None;
                }
                Some(node.read_collecting(at).map(|item| (node, item)))
            })
            .flatten()
    }

    /// Whether this is the node with this number or contains it.
    fn holds(self, mut number: u32) -> bool {
        while number > self.number {
            number = self.document.record(number).parent;
        }
        number == self.number
    }

    fn error_at(self, span: Span, code: &'static str, message: impl Into<String>) -> Diagnostic {
        let mut error = Diagnostic::new(Severity::Error, code, self.path(), message);
        let (line, column) = self.document.line_column(span.start);
        error.span = Some(span);
        error.line = Some(line);
        error.column = Some(column);
        error
    }

    /// The span at which a fault about a missing entry or item points.
    fn key_or_first_line(self) -> Span {
        self.key_span().unwrap_or_else(|| self.first_line())
    }

    /// The part of the node on its first line.
    fn first_line(self) -> Span {
        let Span { start, end } = self.span();
        let text = &self.document.text;
        let end = end.min(self.document.lines.line_end(text, start));
        Span { start, end: start + text[start..end].trim_end().len() }
    }

    fn scalar(self) -> Option<Scalar<'a>> {
        match &self.record().value {
            Value::Scalar { text, plain } => Some(Scalar::resolve(text, *plain)),
            Value::List { .. } | Value::Map { .. } => None,
        }
    }

    fn raw_scalar(self) -> Option<&'a str> {
        match &self.record().value {
            Value::Scalar { text, .. } => Some(text),
            Value::List { .. } | Value::Map { .. } => None,
        }
    }

    fn record(self) -> &'a Record {
        self.document.record(self.number)
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(entries) = self.as_map() {
            return formatter.debug_map().entries(entries.map(|entry| (entry.key, entry.value))).finish();
        }
        if let Some(items) = self.as_list() {
            return formatter.debug_list().entries(items).finish();
        }
        match self.scalar() {
            Some(Scalar::String(text)) => fmt::Debug::fmt(text, formatter),
            _ => formatter.write_str(self.raw_scalar().unwrap_or_default()),
        }
    }
}
