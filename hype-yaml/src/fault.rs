//! Faults of typed reading: serde's errors, their places, and the words for them.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt::{self, Display, Write};

use serde::de::{self, Expected, Unexpected};

use super::{Kind, Node, Scalar};
use crate::diagnostics::{Diagnostic, join_field, nearest};
use crate::words::counted;

/// The key that names the plugin of a plugin object.
pub(super) const TAG: &str = "kind";

/// The maximum number of characters of the text that a message repeats.
const SHOWN: usize = 60;

type Names = &'static [&'static str];

/// A fault of a value, without its place.
#[derive(Debug)]
pub(super) struct Fault(Box<Reason>);

#[derive(Debug)]
enum Reason {
    /// A fault found by the bridge.
    Message {
        code: &'static str,
        message: String,
        help: Option<String>,
    },
    Custom(String),
    WrongType {
        expected: String,
    },
    WrongValue {
        found: String,
        expected: String,
    },
    WrongLength {
        length: usize,
        expected: String,
    },
    UnknownName {
        name: String,
        known: Names,
    },
    UnknownField {
        name: String,
        known: Names,
    },
    MissingField(Cow<'static, str>),
    RepeatedField(&'static str),
}

impl Fault {
    pub(super) fn message(code: &'static str, message: String, help: Option<String>) -> Self {
        Self(Box::new(Reason::Message { code, message, help }))
    }

    pub(super) fn wrong_type(expected: &str, node: Node<'_>, help: Option<String>) -> Self {
        Self::message("wrong-type", format!("expected {expected}, found {}", node.kind_name()), help)
    }

    pub(super) fn wrong_length(expected: usize, found: usize) -> Self {
        Self::message("wrong-length", format!("expected {}, found {found}", counted(expected, "item")), None)
    }

    pub(super) fn unknown_field(name: &str, known: Names) -> Self {
        Self(Box::new(Reason::UnknownField { name: shown(name).into_owned(), known }))
    }

    /// The known names, if this is about a name.
    pub(super) fn known_names(&self) -> Option<Names> {
        match *self.0 {
            Reason::UnknownName { known, .. } => Some(known),
            _ => None,
        }
    }

    fn missing_field(&self) -> Option<&str> {
        match &*self.0 {
            Reason::MissingField(name) => Some(name),
            // Faults that pass through a plugin object's erased deserializer return as our own messages.
            Reason::Custom(text) => text.strip_prefix("missing field `")?.strip_suffix('`'),
            _ => None,
        }
    }
}

impl Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Reason::Message { message, .. } | Reason::Custom(message) => formatter.write_str(message),
            Reason::WrongType { expected } => write!(formatter, "expected {expected}"),
            Reason::WrongValue { found, expected } => {
                write!(formatter, "expected {expected}, found {found}")
            }
            Reason::WrongLength { length, expected } => {
                write!(formatter, "expected {expected}, found {}", counted(*length, "item"))
            }
            Reason::UnknownName { name, .. } => write!(formatter, "unknown value `{name}`"),
            Reason::UnknownField { name, .. } => write!(formatter, "unknown field `{name}`"),
            Reason::MissingField(name) => write!(formatter, "missing field `{name}`"),
            Reason::RepeatedField(name) => write!(formatter, "the field `{name}` is given twice"),
        }
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: Display>(message: T) -> Self {
        Self(Box::new(Reason::Custom(message.to_string())))
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self(Box::new(Reason::WrongType { expected: expected.to_string() }))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = shown(&found.to_string()).into_owned();
        Self(Box::new(Reason::WrongValue { found, expected: expected.to_string() }))
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self(Box::new(Reason::WrongLength { length, expected: expected.to_string() }))
    }

    fn unknown_variant(name: &str, known: Names) -> Self {
        Self(Box::new(Reason::UnknownName { name: shown(name).into_owned(), known }))
    }

    fn unknown_field(name: &str, known: Names) -> Self {
        Self::unknown_field(name, known)
    }

    fn missing_field(name: &'static str) -> Self {
        Self(Box::new(Reason::MissingField(Cow::Borrowed(name))))
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self(Box::new(Reason::RepeatedField(name)))
    }
}

/// The part of an entry to which a fault refers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Value,
    Key,
    /// The value that names a plugin.
    Tag,
}

/// Records the place of the innermost fault while serde propagates the fault.
///
/// Plugin objects are read through an erased deserializer, which turns every fault into text and
/// loses its place.
#[derive(Debug)]
pub(super) struct Context {
    placed: RefCell<Option<Placed>>,
    /// Nodes that are skipped in their maps and lists.
    pub(super) skipped: Vec<u32>,
    /// The plugin object without a kind for which the known kinds are requested.
    pub(super) probed: Option<u32>,
    pub(super) kinds: Cell<Option<Names>>,
}

/// A fault with its node.
#[derive(Debug)]
pub(super) struct Placed {
    /// The message, by which the fault is recognised while it propagates.
    words: String,
    pub(super) number: u32,
    /// The field that the node lacks.
    pub(super) missing: Option<String>,
    pub(super) diagnostic: Box<Diagnostic>,
}

impl Placed {
    fn new(fault: &Fault, words: String, node: Node<'_>, part: Part) -> Self {
        let missing = fault.missing_field().map(str::to_owned);
        Self { words, number: node.number, missing, diagnostic: Box::new(diagnose(fault, node, part)) }
    }
}

impl Context {
    pub(super) fn new(skipped: &[u32], probed: Option<u32>) -> Self {
        Self { placed: RefCell::new(None), skipped: skipped.to_vec(), probed, kinds: Cell::new(None) }
    }

    /// Records the place of a fault, unless a more deeply nested place was already recorded.
    pub(super) fn place<T>(&self, node: Node<'_>, part: Part, result: Result<T, Fault>) -> Result<T, Fault> {
        if let Err(fault) = &result {
            let words = fault.to_string();
            let mut placed = self.placed.borrow_mut();
            if placed.as_ref().is_none_or(|placed| placed.words != words) {
                *placed = Some(Placed::new(fault, words, node, part));
            }
        }
        result
    }

    /// The place of the fault that ended the reading of `root`.
    pub(super) fn finish(self, root: Node<'_>, fault: &Fault) -> Placed {
        let words = fault.to_string();
        match self.placed.into_inner() {
            Some(placed) if placed.words == words => placed,
            _ => Placed::new(fault, words, root, Part::Value),
        }
    }
}

fn diagnose(fault: &Fault, node: Node<'_>, part: Part) -> Diagnostic {
    if let Some(name) = fault.missing_field() {
        let mut diagnostic =
            node.error_at(node.key_or_first_line(), "missing-field", format!("missing field `{name}`"));
        join_field(&mut diagnostic.path, name);
        return diagnostic;
    }
    let place = match part {
        Part::Key => node.key_span().unwrap_or_else(|| node.pointer()),
        Part::Value | Part::Tag => node.pointer(),
    };
    let at = |code, message| node.error_at(place, code, message);
    match &*fault.0 {
        Reason::Message { code, message, help } => {
            let mut diagnostic = at(code, message.clone());
            diagnostic.help.clone_from(help);
            diagnostic
        }
        Reason::UnknownName { name, known } if part == Part::Tag => {
            let mut diagnostic = at("unknown-kind", format!("unknown kind `{name}`"));
            let known = known_names("kinds", name, known);
            diagnostic.help(format!("{known}; is the plugin's crate linked?"));
            diagnostic
        }
        Reason::UnknownName { name, known } => {
            let mut diagnostic = at("unknown-value", format!("unknown value `{name}`"));
            diagnostic.help(known_names("values", name, known));
            diagnostic
        }
        Reason::UnknownField { name, known } => {
            let mut diagnostic = at("unknown-field", format!("unknown field `{name}`"));
            diagnostic.help(known_names("fields", name, known));
            diagnostic
        }
        Reason::Custom(text) if part == Part::Tag && text.starts_with("non-unique tag") => {
            let kind = shown(node.as_str().unwrap_or_default());
            let message = format!("two linked plugins have the kind `{kind}`");
            let mut diagnostic = at("ambiguous-kind", message);
            diagnostic.help("link only one of their crates");
            diagnostic
        }
        Reason::WrongType { expected } => {
            let mut diagnostic = at("wrong-type", format!("expected {expected}, found {}", node.kind_name()));
            // Types that accept a text or something else describe this themselves.
            diagnostic.help = string_help(node).filter(|_| expected.starts_with("the text"));
            diagnostic
        }
        Reason::WrongLength { .. } => at("wrong-length", fault.to_string()),
        Reason::RepeatedField(_) => at("duplicate-field", fault.to_string()),
        Reason::Custom(_) | Reason::WrongValue { .. } | Reason::MissingField(_) => {
            at("invalid-value", fault.to_string())
        }
    }
}

/// Lists the known names, the probably intended one first.
pub(super) fn known_names(what: &str, name: &str, known: &[&str]) -> String {
    let mut help = String::new();
    if let Some(nearest) = nearest(name, known.iter().copied()) {
        // Writing to a string cannot fail.
        let _ = write!(help, "did you mean `{nearest}`? ");
    }
    if known.is_empty() {
        let _ = write!(help, "there are no known {what} here");
    } else {
        let _ = write!(help, "known {what}: {}", known.join(", "));
    }
    help
}

/// An excerpt of the text for a message: on one line and not too long.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    let long = text.char_indices().nth(SHOWN).map(|(end, _)| end);
    if long.is_none() && !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let head = &text[..long.unwrap_or(text.len())];
    let mut shown: String = head
        .chars()
        .flat_map(|character| {
            let escaped = character.is_control().then(|| character.escape_default());
            let plain = (!character.is_control()).then_some(character);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect();
    if long.is_some() {
        shown.push('…');
    }
    Cow::Owned(shown)
}

/// Returns the help where a number is expected.
pub(super) fn number_help(node: Node<'_>, whole: bool) -> Option<String> {
    let text = node.raw_scalar()?;
    let number = |text: &str| matches!(Scalar::resolve(text, true).kind(), Kind::Integer | Kind::Float);
    match node.scalar()? {
        Scalar::Float(value) if whole && value.is_finite() => {
            let suggested = if value.fract() == 0.0 && value.abs() < 1e15 {
                format!("write `{value:.0}`")
            } else {
                "write a whole number".to_owned()
            };
            Some(suggested)
        }
        Scalar::String(_) => {
            let text = text.trim();
            if number(text) {
                return Some(format!("write it without quotes: `{}`", shown(text)));
            }
            let pointed = text.replacen(',', ".", 1);
            if !whole && number(&pointed) {
                return Some(format!("write it with a point: `{}`", shown(&pointed)));
            }
            let bare = text.replace('_', "");
            let bare = bare.trim_start_matches('0');
            if bare.len() < text.len() && number(bare) {
                return Some(format!("write `{}`", shown(bare)));
            }
            let end = text.find(|character: char| !matches!(character, '0'..='9' | '.' | '-' | '+'))?;
            let (amount, unit) = text.split_at(end);
            let is_unit = unit
                .trim_start()
                .chars()
                .all(|character| character.is_alphabetic() || matches!(character, '%' | '°'));
            (number(amount) && is_unit).then(|| format!("write `{amount}` without a unit"))
        }
        _ => None,
    }
}

/// Returns the help where a map with known fields is expected. A bare value is usually intended for the first field.
pub(super) fn map_help(node: Node<'_>, fields: &[&str]) -> Option<String> {
    let text = node.raw_scalar().filter(|text| !node.is_null() && text.len() < 40)?;
    let first = fields.first()?;
    Some(format!(
        "write a map, such as `{{ {first}: {} }}`; {}",
        shown(text),
        known_names("fields", "", fields)
    ))
}

/// Returns the help where a string is expected.
pub(super) fn string_help(node: Node<'_>) -> Option<String> {
    match node.kind() {
        Kind::Boolean | Kind::Integer | Kind::Float => {
            let text = node.raw_scalar().map(shown)?;
            Some(format!("put it in quotes: `\"{text}\"`"))
        }
        Kind::Null => Some("write the text, or `\"\"` for an empty one".to_owned()),
        Kind::String | Kind::List | Kind::Map => None,
    }
}
