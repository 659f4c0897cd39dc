//! Failures: what the program says when it cannot do what was asked.

use std::io::IsTerminal as _;
use std::path::Path;

use hype::OpenError;
use hype_core::Diagnostics;

use crate::snippet;

/// Why a command failed, ready to be printed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// One sentence.
    Message(String),
    /// Faults of a spec, with its text.
    Faults { path: String, text: String, diagnostics: Diagnostics },
    /// Everything has been printed already.
    Told,
}

impl Failure {
    /// A failure told by an error and what it is about.
    pub(crate) fn about(path: &Path, error: &dyn std::fmt::Display) -> Self {
        Self::Message(format!("{}: {error}", path.display()))
    }

    pub(crate) fn print(&self) {
        match self {
            Self::Message(message) => eprintln!("error: {message}"),
            Self::Faults { path, text, diagnostics } => eprint(diagnostics, path, text),
            Self::Told => {}
        }
    }
}

/// Prints diagnostics with the lines that they are about.
pub(crate) fn eprint(diagnostics: &Diagnostics, path: &str, text: &str) {
    let color = std::io::stderr().is_terminal();
    eprint!("{}", snippet::render(diagnostics.as_slice(), path, text, color));
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
    hype::KeyError,
    hype_core::AnalysisError,
    hype_core::AggregateError,
    hype_core::BackendError,
    hype_core::StoreError,
    hype_core::registry::RegistryError,
    hype_images::ImageError,
    serde_json::Error,
    serde_yaml::Error,
    std::io::Error,
    csv::Error,
);
