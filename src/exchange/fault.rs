//! Faults in imported files, each with its place.

use std::fmt;
use std::path::{Path, PathBuf};

use hype_core::words::counted;

/// The maximum number of different faults that an import lists.
const LISTED: usize = 10;

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
    /// The reason.
    pub reason: String,
    /// The text to write instead; may be empty.
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

/// Collects faults: keeps the first of each kind, up to a limit, and counts all.
#[derive(Debug, Clone, Default)]
pub(super) struct Faults {
    /// With the number of faults that differ from it only in their place.
    listed: Vec<(ImportFault, u64)>,
    unlisted: u64,
    all: u64,
}

impl ImportFault {
    /// Whether two faults differ at most in their places.
    fn is_like(&self, other: &Self) -> bool {
        let of_place = (&self.file, &self.column) == (&other.file, &other.column);
        of_place && (&self.reason, &self.help) == (&other.reason, &other.help)
    }
}

impl Faults {
    pub(super) fn push(&mut self, fault: ImportFault) {
        self.all += 1;
        if let Some((_, times)) = self.listed.iter_mut().find(|(known, _)| known.is_like(&fault)) {
            *times += 1;
        } else if self.listed.len() < LISTED {
            self.listed.push((fault, 1));
        } else {
            self.unlisted += 1;
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.all == 0
    }

    pub(super) fn into_error(self) -> ImportError {
        let said = |(mut fault, times): (ImportFault, u64)| {
            if times > 1 {
                fault.reason.push_str(&format!(" ({times} times)"));
            }
            fault
        };
        let listed = self.listed.into_iter().map(said).collect();
        ImportError::Faults { listed, unlisted: self.unlisted, all: self.all }
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
    #[error("{}", faults(listed, *unlisted, *all))]
    Faults {
        /// The first fault of each of the first ten kinds, whose reason says how often it occurs.
        listed: Vec<ImportFault>,
        /// The number of faults of other kinds.
        unlisted: u64,
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

fn faults(listed: &[ImportFault], unlisted: u64, all: u64) -> String {
    if let ([only], 0) = (listed, unlisted) {
        return only.to_string();
    }
    let mut text = format!("{}:", counted(all, "fault"));
    for fault in listed {
        text.push_str("\n  ");
        text.push_str(&fault.to_string());
    }
    if unlisted > 0 {
        text.push_str(&format!("\n  and {unlisted} more"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_their_place_and_are_counted() {
        let fault = |line: u32, cell: &str| ImportFault {
            file: "a.csv".into(),
            place: format!("line {line}"),
            column: Some("value".into()),
            reason: format!("`{cell}` is not a number"),
            help: String::new(),
        };
        let mut faults = Faults::default();
        faults.push(fault(2, "x"));
        let one = faults.clone().into_error().to_string();
        assert_eq!(one, "a.csv, line 2, column `value`: `x` is not a number");
        (3..203).for_each(|line| faults.push(fault(line, "x")));
        let same = faults.clone().into_error().to_string();
        assert_eq!(same, "a.csv, line 2, column `value`: `x` is not a number (201 times)");
        (0..100).for_each(|line| faults.push(fault(line, &line.to_string())));
        let many = faults.into_error().to_string();
        assert!(many.starts_with("301 faults:\n  a.csv, line 2,") && many.ends_with("and 91 more"), "{many}");
        assert_eq!(many.lines().count(), 12);
    }
}
