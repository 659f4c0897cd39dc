//! Failures of commands, and how they are printed.

use std::io::{self, IsTerminal as _};
use std::path::Path;

use hype::OpenError;
use hype_core::Diagnostics;

use super::terminal;
use crate::snippet;

/// The exit status if the output is no longer read: that of the signal SIGPIPE, as reported by shells.
const UNREAD: u8 = 141;

/// The reason why a command failed, ready to print.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A sentence.
    Message(String),
    /// Faults in a spec, with its text.
    Faults { path: String, text: String, diagnostics: Diagnostics },
    /// The reason was already printed.
    Printed,
    /// Standard output is no longer read.
    Unread,
}

impl Failure {
    /// An error about a file.
    pub(crate) fn about(path: &Path, error: &dyn std::fmt::Display) -> Self {
        Self::Message(format!("{}: {error}", path.display()))
    }

    /// The program's exit status.
    pub(crate) const fn status(&self) -> u8 {
        match self {
            Self::Unread => UNREAD,
            _ => 1,
        }
    }

    pub(crate) fn print(&self) {
        match self {
            Self::Message(message) => terminal::report(format_args!("error: {message}")),
            Self::Faults { path, text, diagnostics } => eprint(diagnostics, path, text),
            Self::Printed | Self::Unread => {}
        }
    }
}

/// Prints diagnostics with the lines to which they refer.
pub(crate) fn eprint(diagnostics: &Diagnostics, path: &str, text: &str) {
    let color = std::io::stderr().is_terminal();
    terminal::report_styled(snippet::render(diagnostics.as_slice(), path, text, color).trim_end());
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Faults { path, text, diagnostics } => {
                Self::Faults { path: path.display().to_string(), text, diagnostics }
            }
            other => Self::Message(other.to_string()),
        }
    }
}

macro_rules! from_errors {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Message(error.to_string())
            }
        }
    )*};
}

from_errors!(
    hype::FolderError,
    hype::plan::PlanError,
    hype::KeyError,
    hype_core::AnalysisError,
    hype_core::AggregateError,
    hype_core::BackendError,
    hype_core::StoreError,
    hype_core::plugin::registry::RegistryError,
    hype_images::ImageError,
    io::Error,
);
