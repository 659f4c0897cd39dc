//! Faults of imported files, each with its place.

use std::fmt;
use std::path::{Path, PathBuf};

use hype_core::words::counted;

/// How many faults of one import are listed one by one.
const TOLD: usize = 100;

/// Something wrong in an imported file; its author corrects it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportFault {
    /// The file.
    pub file: String,
    /// Where in the file: `line 3`, `row 3`; empty for the whole file.
    pub place: String,
    /// The column or field at fault, if it is a single one.
    pub column: Option<String>,
    /// What is wrong.
    pub reason: String,
    /// What would be right.
    pub help: String,
}

impl fmt::Display for ImportFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if !self.place.is_empty() {
            write!(f, ", {}", self.place)?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column `{column}`")?;
        }
        write!(f, ": {}", self.reason)?;
        if !self.help.is_empty() {
            write!(f, "; {}", self.help)?;
        }
        Ok(())
    }
}

/// Faults as they are found: the first hundred are kept, all are counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Faults {
    told: Vec<ImportFault>,
    all: u64,
}

impl Faults {
    pub(super) fn push(&mut self, fault: ImportFault) {
        self.all += 1;
        if self.told.len() < TOLD {
            self.told.push(fault);
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.all == 0
    }

    pub(super) fn into_error(self) -> ImportError {
        ImportError::Faults { told: self.told, all: self.all }
    }
}

/// Ratings cannot be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file cannot be read; the operator looks at the path and the rights.
    #[error("{}: {source}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The options do not fit the file; the operator corrects them.
    #[error("{0}")]
    Options(String),
    /// The files hold faults; their author corrects them.
    #[error("{}", faults(told, *all))]
    Faults {
        /// The first hundred faults.
        told: Vec<ImportFault>,
        /// How many there are.
        all: u64,
    },
    /// What was read cannot be written; the operator looks at the disk.
    #[error("the scores cannot be written: {0}")]
    Write(#[source] std::io::Error),
}

impl ImportError {
    pub(super) fn disk(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Disk { path, source }
    }
}

fn faults(told: &[ImportFault], all: u64) -> String {
    if let ([only], 1) = (told, all) {
        return only.to_string();
    }
    let mut text = format!("{}:", counted(all, "fault"));
    for fault in told {
        text.push_str("\n  ");
        text.push_str(&fault.to_string());
    }
    if all > told.len() as u64 {
        text.push_str(&format!("\n  and {} more", all - told.len() as u64));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_their_place_and_are_counted_beyond_the_first_hundred() {
        let fault = |line: u32| ImportFault {
            file: "a.csv".into(),
            place: format!("line {line}"),
            column: Some("value".into()),
            reason: "`x` is not a number".into(),
            help: String::new(),
        };
        let mut faults = Faults::default();
        faults.push(fault(2));
        let one = faults.clone().into_error().to_string();
        assert_eq!(one, "a.csv, line 2, column `value`: `x` is not a number");
        (3..203).for_each(|line| faults.push(fault(line)));
        let many = faults.into_error().to_string();
        assert!(
            many.starts_with("201 faults:\n  a.csv, line 2,") && many.ends_with("and 101 more"),
            "{many}"
        );
        assert_eq!(many.lines().count(), 102);
    }
}
