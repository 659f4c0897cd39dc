//! Faults of a document: where, what, and what to write instead.
//!
//! The library returns [`Diagnostics`] as data and never prints them; the program renders them with
//! the offending line and a caret.
//!
//! # Paths
//!
//! A path names a place in a document: `task.staircase.step_harder_ms`, `stimuli.wgan`,
//! `questions[2].text`. Keys that are not made of letters, digits, `_` and `-` are quoted:
//! `stimuli["my set.v2"]`. The empty path is the whole document.

use std::fmt;
use std::ops::{Deref, DerefMut};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Document, Node};

mod nearest;
mod path;

pub use self::nearest::nearest;
pub(crate) use self::path::{Segment, join_field, join_item, segments};

/// A range of bytes in the text of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset of the byte after the last.
    pub end: usize,
}

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// The spec cannot be used.
    Error,
    /// The spec can be used, but is probably not what its author intends.
    Warning,
    /// Worth knowing, but nothing has to be changed.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

/// One fault, warning or note about a place in a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The kind of fault, in kebab-case, such as `unknown-field`.
    pub code: &'static str,
    /// The place in the document. A missing field has the path that it would have.
    pub path: String,
    /// The place in the text, if the text is known.
    pub span: Option<Span>,
    /// Line of the span's start, from 1.
    pub line: Option<usize>,
    /// Column of the span's start in characters, from 1.
    pub column: Option<usize>,
    /// The fault, in lower case without a full stop.
    pub message: String,
    /// The text to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Creates a diagnostic without a place in a text.
    #[must_use]
    pub fn new(
        severity: Severity,
        code: &'static str,
        path: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            code,
            path: path.into(),
            span: None,
            line: None,
            column: None,
            message: message.into(),
            help: None,
        }
    }

    /// Sets what to write instead.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    /// Suggests `nearest`, if there is one.
    pub fn suggest(&mut self, nearest: Option<&str>) -> &mut Self {
        if let Some(nearest) = nearest {
            self.help = Some(format!("did you mean `{nearest}`?"));
        }
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}[{}]", self.severity, self.code)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(formatter, " at {line}:{column}")?;
        }
        if !self.path.is_empty() {
            write!(formatter, " in {}", self.path)?;
        }
        write!(formatter, ": {}", self.message)?;
        if let Some(help) = &self.help {
            write!(formatter, " ({help})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// Collects diagnostics, each at the current path.
///
/// # Examples
///
/// ```
/// use hype_yaml::diagnostics::Diagnostics;
///
/// let mut at = Diagnostics::new();
/// at.field("task").field("staircase").error("out-of-range", "a step must be positive").help("try 10");
/// at.within("stimuli", |at| {
///     at.item(3).warning("few-images", "3 images are few");
/// });
/// let paths: Vec<&str> = at.iter().map(|found| found.path.as_str()).collect();
/// assert_eq!(paths, ["task.staircase", "stimuli[3]"]);
/// assert!(at.has_errors());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
    path: String,
}

impl Diagnostics {
    /// Creates an empty collection whose current path is the whole document.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The current path.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Enters a map's entry until the guard is dropped.
    pub fn field(&mut self, name: &str) -> Scope<'_> {
        let outer = self.path.len();
        join_field(&mut self.path, name);
        Scope { diagnostics: self, outer }
    }

    /// Enters a list's item, counted from 0, until the guard is dropped.
    pub fn item(&mut self, index: usize) -> Scope<'_> {
        let outer = self.path.len();
        join_item(&mut self.path, index);
        Scope { diagnostics: self, outer }
    }

    /// Enters a map's entry while `check` runs.
    pub fn within<R>(&mut self, name: &str, check: impl FnOnce(&mut Self) -> R) -> R {
        check(&mut self.field(name))
    }

    /// Enters a list's item, counted from 0, while `check` runs.
    pub fn within_item<R>(&mut self, index: usize, check: impl FnOnce(&mut Self) -> R) -> R {
        check(&mut self.item(index))
    }

    /// Records an error at the current path.
    pub fn error(&mut self, code: &'static str, message: impl Into<String>) -> &mut Diagnostic {
        self.record(Severity::Error, code, message.into())
    }

    /// Records a warning at the current path.
    pub fn warning(&mut self, code: &'static str, message: impl Into<String>) -> &mut Diagnostic {
        self.record(Severity::Warning, code, message.into())
    }

    /// Records a note at the current path.
    pub fn note(&mut self, code: &'static str, message: impl Into<String>) -> &mut Diagnostic {
        self.record(Severity::Note, code, message.into())
    }

    /// Adds a diagnostic unchanged: its path begins at the root, not at the current path.
    pub fn push(&mut self, diagnostic: impl Into<Diagnostic>) {
        self.found.push(diagnostic.into());
    }

    /// Whether any of the diagnostics is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.found.iter().any(|found| found.severity == Severity::Error)
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The number of diagnostics.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// The diagnostics in the order of recording.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.found.iter()
    }

    /// The diagnostics in the order of recording.
    #[must_use]
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.found
    }

    /// The diagnostics in the order of recording.
    #[must_use]
    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.found
    }

    /// Sorts the diagnostics by their place in the text; those without a place come last.
    ///
    /// Diagnostics at one place keep the order of recording.
    pub fn sort(&mut self) {
        self.found.sort_by_key(|found| found.span.map_or(usize::MAX, |span| span.start));
    }

    /// Sets span, line and column of every diagnostic without a span, according to its path.
    ///
    /// A path that does not exist in the document is located at its nearest existing ancestor, so a missing field
    /// points at its map. It has no location if that ancestor is the whole document. An `unknown-field` points at the
    /// key; other diagnostics point at the value if it is on one line.
    pub fn locate(&mut self, document: &Document) {
        for found in &mut self.found {
            if found.span.is_none() {
                let key = if found.code == "unknown-field" {
                    document.node_at(&found.path).and_then(Node::key_span)
                } else {
                    None
                };
                found.span = key.or_else(|| document.nearest_span(&found.path));
            }
            if let (Some(span), None) = (found.span, found.line) {
                let (line, column) = document.line_column(span.start);
                found.line = Some(line);
                found.column = Some(column);
            }
        }
    }

    fn record(&mut self, severity: Severity, code: &'static str, message: String) -> &mut Diagnostic {
        let at = self.found.len();
        self.found.push(Diagnostic::new(severity, code, self.path.clone(), message));
        &mut self.found[at]
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, found) in self.found.iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            write!(formatter, "{found}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

impl From<Box<Self>> for Diagnostic {
    fn from(diagnostic: Box<Self>) -> Self {
        *diagnostic
    }
}

impl From<Box<Diagnostic>> for Diagnostics {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::from(*diagnostic)
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { found: vec![diagnostic], path: String::new() }
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: I) {
        self.found.extend(diagnostics);
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.found.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.found.iter()
    }
}

/// A guard for [`Diagnostics`] that leaves the entered entry or item when dropped.
#[derive(Debug)]
pub struct Scope<'a> {
    diagnostics: &'a mut Diagnostics,
    outer: usize,
}

impl Deref for Scope<'_> {
    type Target = Diagnostics;

    fn deref(&self) -> &Diagnostics {
        self.diagnostics
    }
}

impl DerefMut for Scope<'_> {
    fn deref_mut(&mut self) -> &mut Diagnostics {
        self.diagnostics
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        self.diagnostics.path.truncate(self.outer);
    }
}

#[cfg(test)]
mod tests;
