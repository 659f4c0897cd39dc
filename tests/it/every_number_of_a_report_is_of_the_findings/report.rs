//! A report with its findings, and how its cells are compared with them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program;

pub type Rows = Vec<BTreeMap<String, String>>;

/// A report with its findings.
pub struct Report {
    pub study: String,
    pub folder: PathBuf,
    pub findings: Value,
}

impl Report {
    pub fn of(study: &str, folder: &Path) -> Self {
        let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/studies");
        let kept = folder.join(study);
        let path = kept.to_str().unwrap();
        let spec = format!("{study}.yaml");
        program::succeeds(&examples, &["run", &spec, "--simulate", "--study", path, "--progress", "none"]);
        let findings = serde_json::from_slice(&fs::read(kept.join("findings.json")).unwrap()).unwrap();
        Self { study: study.to_owned(), folder: kept.join("report"), findings }
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.folder.join(path)).unwrap()
    }

    /// The rows of a file with CSV, if the report has it.
    pub fn rows(&self, path: &str) -> Option<Rows> {
        let mut reader = csv::Reader::from_path(self.folder.join(path)).ok()?;
        Some(reader.deserialize().map(|row| row.unwrap()).collect())
    }

    pub fn measures(&self) -> &[Value] {
        self.findings["measures"].as_array().unwrap()
    }

    pub fn measure(&self, name: &str) -> &Value {
        self.measures().iter().find(|found| found["measure"]["name"] == name).unwrap()
    }
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Checks that a cell is a number of the findings, or empty where they have none.
pub fn assert_same(cell: &str, found: &Value, what: &str) {
    match found.as_f64() {
        Some(number) => assert_eq!(cell.parse::<f64>().ok(), Some(number), "{what}"),
        None => assert_eq!(cell, "", "{what}"),
    }
}

/// The number of the cell is the same as that of the findings in the last digit but two.
pub fn assert_near(cell: &str, number: f64, what: &str) {
    let cell: f64 = cell.parse().unwrap();
    assert!((cell - number).abs() <= 1e-12 * (1.0 + number.abs()), "{what}: {cell} is not {number}");
}

/// The key of a measure in names of files.
pub fn slug(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' })
        .collect();
    plain.trim_matches('-').to_owned()
}
