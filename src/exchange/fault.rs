//! Faults in imported files, each with its place.

use std::fmt;
use std::path::{Path, PathBuf};

use hype_core::words::counted;

/// The maximum number of faults that an import lists individually.
const LISTED: usize = 100;

/// A fault in an imported file; the author of the file has to correct it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportFault {
    /// The file.
    pub file: String,
    /// Where in the file: `line 3`, `row 3`; empty for the whole file.
    pub place: String,
    /// The faulty column or field, if it is a single one.
    pub column: Option<String>,
    /// What is wrong.
    pub reason: String,
    /// What to write instead; may be empty.
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

/// Collects faults: keeps the first hundred and counts all.
#[derive(Debug, Clone, Default)]
pub(super) struct Faults {
    listed: Vec<ImportFault>,
    all: u64,
}

impl Faults {
    pub(super) fn push(&mut self, fault: ImportFault) {
        self.all += 1;
        if self.listed.len() < LISTED {
            self.listed.push(fault);
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.all == 0
    }

    pub(super) fn into_error(self) -> ImportError {
        ImportError::Faults { listed: self.listed, all: self.all }
    }
}

/// Ratings cannot be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file cannot be read; the operator checks the path and the permissions.
    #[error("{}: {source}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The options do not fit the file; the operator has to correct them.
    #[error("{0}")]
    Options(String),
    /// The files contain faults; their author has to correct them.
    #[error("{}", faults(listed, *all))]
    Faults {
        /// The first hundred faults.
        listed: Vec<ImportFault>,
        /// The total number of faults.
        all: u64,
    },
    /// The scores cannot be written; the operator checks the disk.
    #[error("the scores cannot be written: {0}")]
    Write(#[source] std::io::Error),
}

impl ImportError {
    pub(super) fn disk(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Disk { path, source }
    }
}

fn faults(listed: &[ImportFault], all: u64) -> String {
    if let ([only], 1) = (listed, all) {
        return only.to_string();
    }
    let mut text = format!("{}:", counted(all, "fault"));
    for fault in listed {
        text.push_str("\n  ");
        text.push_str(&fault.to_string());
    }
    if all > listed.len() as u64 {
        text.push_str(&format!("\n  and {} more", all - listed.len() as u64));
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
