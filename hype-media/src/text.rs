//! Texts: whether they can be shown, what they are, and what gives their origin away.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use crate::shown::{overrides_direction, shown};

mod measure;
mod render;
mod scramble;
mod warning;

pub use measure::{TextFacts, facts};
pub use render::render;
pub use scramble::scramble;
pub use warning::{Warning, warnings};

/// The maximum length of a text, in bytes (1 MiB): more than an hour's reading.
pub const TEXT_BYTES: usize = 1 << 20;

/// The deepest nesting of quotes and lists. People nest three or four; each level narrows the column.
pub const DEPTH: usize = 32;

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Syntax {
    /// As it is to be shown, with its line breaks.
    Plain,
    /// CommonMark with tables.
    Markdown,
}

impl Syntax {
    /// The syntax that a file's name announces: Markdown for `md` and `markdown`, plain for `txt`, in any letter case. `None` for
    /// every other extension.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "txt" => Some(Self::Plain),
            _ => None,
        }
    }
}

/// A text cannot be shown. Every variant names the text and the place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// The text is not UTF-8; its owner saves it as UTF-8.
    #[error("{name}, line {line}, column {column}: not UTF-8; save the text as UTF-8", name = shown(.name))]
    NotUtf8 {
        /// The text.
        name: String,
        /// The line of the first byte that is not, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
    },
    /// The text has a control character; its owner removes it.
    #[error("{name}, line {line}, column {column}: control character U+{code:04X}; remove it", name = shown(.name))]
    Control {
        /// The text.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// The character.
        code: u32,
    },
    /// The text has a character that changes the direction of others, by which a text can show what it does not
    /// say; its owner removes it. Right-to-left scripts need none.
    #[error(
        "{name}, line {line}, column {column}: U+{code:04X} overrides the direction of text; remove it",
        name = shown(.name))]
    Direction {
        /// The text.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// The character.
        code: u32,
    },
    /// Quotes or lists are nested too deeply; the text's owner flattens them.
    #[error(
        "{name}, line {line}, column {column}: nested more than {DEPTH} deep; use fewer quotes and lists in each other",
        name = shown(.name))]
    TooDeep {
        /// The text.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
    },
    /// The text is too long; its owner shortens it.
    #[error("{name} has {bytes} bytes, more than the {TEXT_BYTES} allowed; shorten it", name = shown(.name))]
    TooLong {
        /// The text.
        name: String,
        /// Its length in bytes.
        bytes: usize,
    },
}

/// Checks a text and brings it into the form in which it is shown: Unicode's normal form C, lines that end with a
/// line feed, no byte order mark. The name is that of messages.
///
/// # Errors
/// [`TextError`] if the text is too long or not UTF-8, or has control characters other than tabs and line ends, or
/// characters that override the direction of text.
pub fn document(name: &str, bytes: &[u8]) -> Result<String, TextError> {
    let too_long = |bytes| TextError::TooLong { name: name.to_owned(), bytes };
    if bytes.len() > TEXT_BYTES {
        return Err(too_long(bytes.len()));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let (line, column) = place(&before, before.len());
        TextError::NotUtf8 { name: name.to_owned(), line, column }
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
    let faulty = |character: char| {
        character.is_control() && !matches!(character, '\n' | '\t') || overrides_direction(character)
    };
    if let Some((at, character)) = text.char_indices().find(|(_, character)| faulty(*character)) {
        let (line, column) = place(&text, at);
        let (name, code) = (name.to_owned(), u32::from(character));
        return Err(if character.is_control() {
            TextError::Control { name, line, column, code }
        } else {
            TextError::Direction { name, line, column, code }
        });
    }
    let text: String = text.nfc().collect();
    // Some letters have no composed form, and grow.
    if text.len() > TEXT_BYTES { Err(too_long(text.len())) } else { Ok(text) }
}

/// The line and the column of a byte, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

/// The events of Markdown, with tables and without everything else that extends CommonMark.
fn events(text: &str) -> impl Iterator<Item = (pulldown_cmark::Event<'_>, Range<usize>)> {
    pulldown_cmark::Parser::new_ext(text, pulldown_cmark::Options::ENABLE_TABLES).into_offset_iter()
}
