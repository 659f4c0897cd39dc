//! Where a table is read from.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A table: a file, or the rows of a program.
#[derive(Clone)]
#[expect(clippy::exhaustive_enums, reason = "programs make it of what they have")]
pub enum TableSource {
    /// A file; `-` is standard input.
    File(PathBuf),
    /// Rows in memory.
    Rows(Arc<dyn TableRows>),
}

/// Rows in memory, which can be read any number of times.
pub trait TableRows: Send + Sync {
    /// The name of the table in messages.
    fn name(&self) -> &str;

    /// A line with the names of the columns and a line for each row, as CSV: cells are separated by commas, have no line breaks,
    /// and are quoted where they have commas or quotation marks.
    fn text(&self) -> Box<dyn Read>;
}

impl TableSource {
    /// Whether the table can be read once only.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        matches!(self, Self::File(path) if path.as_os_str() == "-")
    }
}

impl fmt::Display for TableSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Rows(rows) => f.write_str(rows.name()),
        }
    }
}

impl fmt::Debug for TableSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableSource({self})")
    }
}

impl From<&Path> for TableSource {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl From<&PathBuf> for TableSource {
    fn from(path: &PathBuf) -> Self {
        Self::File(path.clone())
    }
}

impl From<&Self> for TableSource {
    fn from(source: &Self) -> Self {
        source.clone()
    }
}
