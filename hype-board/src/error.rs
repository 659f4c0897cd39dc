//! Errors of boards.

use std::path::{Path, PathBuf};

/// A board cannot do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BoardError {
    /// The disk failed; the operator checks space and permissions.
    #[error("{}: {source}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file of the board is not as it was written; the operator mends or restores it.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The request breaks a rule of boards; the operator does otherwise.
    #[error("{0}")]
    Refused(String),
    /// A wave's estimates cannot be computed.
    #[error("wave {wave}: {source}")]
    Wave {
        /// The wave.
        wave: u32,
        /// The reason.
        source: hype_stats::StatError,
    },
}

impl BoardError {
    pub(crate) fn disk(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Disk { path, source }
    }

    pub(crate) fn damaged(path: &Path, reason: &dyn std::fmt::Display) -> Self {
        Self::Damaged { path: path.to_owned(), reason: reason.to_string() }
    }
}
