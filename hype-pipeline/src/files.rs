//! Features, statistics and scores from files that other programs wrote.
//!
//! | format | rows | statistics |
//! |---|---|---|
//! | `.npy` | an array of numbers; dimensions after the first are one row | |
//! | `.npz` | one array, or that with the name `features` or `arr_0` | arrays `mu` and `sigma` |
//! | `.csv`, `.tsv` | columns of numbers, with or without a header; a column `image` names rows | |
//! | `.parquet` (feature `parquet`) | the same; lists of numbers are several columns | |

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use hype_core::Digest;
use hype_core::plugin::extractor::ExtractorError;
use hype_core::plugin::metric::{MetricRows, RowValues};
use hype_core::words::listed;

mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod table;
pub mod zip;

/// Columns that name the rows of a table, in the order in which they are looked for.
const NAMES: [&str; 4] = ["image", "path", "file", "item"];

/// The content of a file of features.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "readers have to know both")]
pub enum FeatureFile {
    /// Rows of features or scores.
    Rows(NamedRows),
    /// Mean and covariance of a set, as published for FID.
    Statistics(SetStatistics),
}

/// Rows of numbers that may have names.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "programs make it from features that they have")]
pub struct NamedRows {
    /// The numbers.
    pub rows: MetricRows,
    /// The name of each row, such as the path of its image; empty if rows have none.
    pub names: Vec<Arc<str>>,
    /// The names of columns; empty if they have none.
    pub columns: Vec<Arc<str>>,
}

/// Mean and covariance of d features of a set.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "programs make it from statistics that they have")]
pub struct SetStatistics {
    /// Mean of each feature.
    pub mean: Vec<f64>,
    /// d × d covariance, row by row.
    pub covariance: Vec<f64>,
}

impl FeatureFile {
    /// Reads a file, by the format that its name says.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, has another format than its name says, or holds a number that is NaN or infinite:
    /// the error names its row and column.
    pub fn read(path: &Path) -> Result<Self, ExtractorError> {
        let kind = path.extension().map(|kind| kind.to_string_lossy().to_lowercase()).unwrap_or_default();
        let found = match &*kind {
            "npy" => npy::Array::parse(&bytes(path)?).and_then(npy::Array::into_rows).map(Self::Rows),
            "npz" => archive(&bytes(path)?),
            "csv" | "tsv" | "tab" => table::read(path, if kind == "csv" { b',' } else { b'\t' }).map(Self::Rows),
            #[cfg(feature = "parquet")]
            "parquet" => parquet::read(path).map(Self::Rows),
            #[cfg(not(feature = "parquet"))]
            "parquet" => Err("this program was built without Parquet: build it with the feature `parquet`, or save the table \
                              as CSV"
                .to_owned()),
            _ if !path.exists() => Err("No such file or directory".to_owned()),
            _ => Err("the name says no known format: use .npy, .npz, .csv, .tsv or .parquet".to_owned()),
        };
        let found = found.and_then(|found| found.checked()).map_err(|reason| about(path, reason))?;
        Ok(found)
    }

    /// Refuses numbers that are not finite, and statistics that do not fit together.
    pub(crate) fn checked(self) -> Result<Self, String> {
        match &self {
            Self::Rows(found) => {
                if found.rows.is_empty() {
                    return Err("there are no rows".to_owned());
                }
                found.check_finite()?;
            }
            Self::Statistics(SetStatistics { mean, covariance }) => {
                let (width, entries) = (mean.len(), covariance.len());
                if entries != width * width {
                    return Err(format!(
                        "`mu` has {width} numbers and `sigma` therefore needs {width} × {width}, and it has {entries} numbers"
                    ));
                }
                for (name, values) in [("mu", mean), ("sigma", covariance)] {
                    if let Some(place) = values.iter().position(|value| !value.is_finite()) {
                        return Err(format!("`{name}` has {} at place {place}", values[place]));
                    }
                }
            }
        }
        Ok(self)
    }
}

impl NamedRows {
    /// Refuses numbers that are not finite.
    fn check_finite(&self) -> Result<(), String> {
        let not_finite = match self.rows.values() {
            RowValues::Single(values) => values.iter().position(|value| !value.is_finite()),
            RowValues::Double(values) => values.iter().position(|value| !value.is_finite()),
        };
        let Some(place) = not_finite else { return Ok(()) };
        let mut before = 0;
        for row in 0..self.rows.len() {
            let values = self.rows.row(row);
            if let Some(&value) = place.checked_sub(before).and_then(|column| values.get(column)) {
                let column = place - before;
                let column =
                    self.columns.get(column).map_or_else(|| column.to_string(), |name| format!("`{name}`"));
                let name = self.names.get(row).map_or_else(String::new, |name| format!(" ({name})"));
                return Err(format!("row {row}{name}, column {column} is {value}; features must be finite"));
            }
            before += values.len();
        }
        Ok(())
    }

    /// The number of the row of each name.
    ///
    /// # Errors
    /// If two rows have the same name.
    pub(crate) fn by_name(&self) -> Result<HashMap<&str, usize>, String> {
        let mut found = HashMap::with_capacity(self.names.len());
        for (row, name) in self.names.iter().enumerate() {
            if let Some(before) = found.insert(&**name, row) {
                return Err(format!("rows {before} and {row} are both named {name}"));
            }
        }
        Ok(found)
    }
}

/// The rows or the statistics of an archive of arrays.
fn archive(bytes: &[u8]) -> Result<FeatureFile, String> {
    let entries = zip::entries(bytes)?;
    let array = |name: &str| -> Result<Option<npy::Array>, String> {
        let entry = entries.iter().find(|entry| entry.name.strip_suffix(".npy") == Some(name));
        let Some(entry) = entry else { return Ok(None) };
        let array = npy::Array::parse(&entry.content(bytes)?);
        array.map(Some).map_err(|reason| format!("array `{name}`: {reason}"))
    };
    match (array("mu")?, array("sigma")?) {
        (Some(mean), Some(covariance)) => {
            let statistics =
                SetStatistics { mean: mean.into_doubles(), covariance: covariance.into_doubles() };
            return Ok(FeatureFile::Statistics(statistics));
        }
        (Some(_), None) => return Err("it has `mu` without `sigma`, and statistics need both".to_owned()),
        (None, Some(_)) => return Err("it has `sigma` without `mu`, and statistics need both".to_owned()),
        (None, None) => {}
    }
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.trim_end_matches(".npy")).collect();
    let chosen = match names[..] {
        [only] => only,
        _ => *["features", "arr_0"].iter().find(|name| names.contains(*name)).ok_or_else(|| {
            format!(
                "the archive holds {}; features need one array, or one named `features`, and statistics need `mu` and `sigma`",
                if names.is_empty() { "no arrays".to_owned() } else { listed(&names) }
            )
        })?,
    };
    let found = array(chosen)?.ok_or_else(|| format!("`{chosen}` is not an array of numpy"))?;
    found.into_rows().map(FeatureFile::Rows)
}

/// Returns the digest that identifies the content of a file.
pub(crate) fn digest_of(path: &Path) -> Result<Digest, ExtractorError> {
    Ok(Digest::of(&bytes(path)?))
}

fn bytes(path: &Path) -> Result<Vec<u8>, ExtractorError> {
    fs::read(path).map_err(|error| about(path, error.to_string()))
}

fn about(path: &Path, reason: String) -> ExtractorError {
    ExtractorError::File { path: path.display().to_string(), reason }
}
