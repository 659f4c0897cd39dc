//! The extractor `files`: rows that another program wrote.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use hype_core::diagnostics::Diagnostics;
use hype_core::plugin::extractor::{
    ExtractedLayer, Extractor, ExtractorError, ExtractorReads, OpenExtractor, ToExtract,
};
use hype_core::plugin::surroundings::Surroundings;
use hype_core::words::listed;
use hype_core::{Digest, Fact, register_extractor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files::{FeatureFile, NamedRows, digest_of};

/// The extractor `files`.
///
/// Rows are in single precision. A file for each set has one row for each image in the order of their paths; a table names the
/// image, or the item, of each row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GivenFeatures {
    /// The name by which results are labelled; by default that of the preset or the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Arc<str>>,
    /// A file for each set, by the set's name in `stimuli`: `.npy`, `.npz`, `.csv`, `.tsv` or `.parquet`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<Arc<str>, String>,
    /// One table for all sets, with a column `image` of paths as in the spec, or `item` of items' keys. Lines that follow each
    /// other with one name, such as those of detections, are one row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The columns of the tables that are read, by their headers; all columns of numbers if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<Arc<str>>,
}

impl Extractor for GivenFeatures {
    fn check(&self, surroundings: &Surroundings<'_>, at: &mut Diagnostics) {
        if self.table.is_none() && self.sets.is_empty() {
            at.error("missing-field", "no file is named")
                .help("write `table: features.csv`, or a file for each set under `sets`");
        }
        let names: Vec<&str> = surroundings.stimuli.sets().iter().map(|set| &*set.name).collect();
        for name in self.sets.keys() {
            let is_known = surroundings
                .stimuli
                .sets()
                .iter()
                .any(|set| *set.name == **name || *set.declared_name() == **name);
            if !is_known {
                at.within("sets", |at| {
                    at.field(name)
                        .error("unknown-set", format!("no set of stimuli is named `{name}`"))
                        .suggest(hype_core::diagnostics::nearest(name, names.iter().copied()));
                });
            }
        }
    }

    fn open(&self, folder: &Path) -> Result<Box<dyn OpenExtractor>, ExtractorError> {
        let read = |file: &str| -> Result<ReadFile, ExtractorError> {
            let path = folder.join(file);
            let about = |reason: String| ExtractorError::File { path: path.display().to_string(), reason };
            let found = match FeatureFile::read(&path)? {
                FeatureFile::Rows(found) => found,
                FeatureFile::Statistics(_) => {
                    let reason = "it holds the mean and covariance of a set, and not a row for each image: `fid` compares with them \
                         by its setting `statistics`";
                    return Err(about(reason.to_owned()));
                }
            };
            let columns = chosen(&found, &self.columns).map_err(about)?;
            Ok(ReadFile { file: file.to_owned(), digest: digest_of(&path)?, rows: found, columns })
        };
        let sets = self
            .sets
            .iter()
            .map(|(set, file)| Ok((Arc::clone(set), read(file)?)))
            .collect::<Result<BTreeMap<Arc<str>, ReadFile>, ExtractorError>>()?;
        let table = self.table.as_deref().map(read).transpose()?;
        let mut by_name = HashMap::new();
        if let Some(table) = &table {
            let about = |reason| ExtractorError::File { path: table.file.clone(), reason };
            if table.rows.names.is_empty() {
                return Err(about(
                    "no column names the rows: add one with the header `image` or `item`".to_owned(),
                ));
            }
            for (name, row) in table.rows.by_name().map_err(about)? {
                by_name.insert(Arc::from(name), row);
            }
        }
        let name = self.name.clone().unwrap_or_else(|| "given features".into());
        Ok(Box::new(OpenFiles { name, sets, table, by_name }))
    }
}

register_extractor!(
    GivenFeatures,
    "files",
    summary = "Features, class outputs, scores or detections from files that another program wrote",
    citation = "",
    example = "{ kind: files, name: MobileNetV2, sets: { stylegan: features/stylegan.npy, real: features/real.npy } }",
);

/// A file with the places of the columns that are read; `None` for all.
struct ReadFile {
    file: String,
    digest: Digest,
    rows: NamedRows,
    columns: Option<Vec<usize>>,
}

fn chosen(found: &NamedRows, columns: &[Arc<str>]) -> Result<Option<Vec<usize>>, String> {
    if columns.is_empty() {
        return Ok(None);
    }
    let place = |column: &Arc<str>| {
        found.columns.iter().position(|known| known == column).ok_or_else(|| {
            let known = listed(&found.columns);
            format!("there is no column `{column}`; the columns of numbers are {known}")
        })
    };
    columns.iter().map(place).collect::<Result<_, _>>().map(Some)
}

struct OpenFiles {
    name: Arc<str>,
    sets: BTreeMap<Arc<str>, ReadFile>,
    table: Option<ReadFile>,
    by_name: HashMap<Arc<str>, usize>,
}

impl ReadFile {
    fn row(&self, row: usize) -> Vec<f32> {
        let values = self.rows.rows.row(row);
        let single = |value: f64| value as f32;
        match &self.columns {
            None => values.into_iter().map(single).collect(),
            Some(columns) => {
                columns.iter().filter_map(|&column| values.get(column).copied().map(single)).collect()
            }
        }
    }
}

impl OpenFiles {
    fn file_of(&self, set: &str) -> Option<&ReadFile> {
        let declared = || set.split('/').next().and_then(|declared| self.sets.get(declared));
        self.sets.get(set).or_else(declared)
    }

    fn row(&self, wanted: &ToExtract<'_>) -> Result<Vec<f32>, ExtractorError> {
        if let Some(file) = self.file_of(wanted.set) {
            let rows = file.rows.rows.len();
            if rows != wanted.of {
                return Err(ExtractorError::File {
                    path: file.file.clone(),
                    reason: format!(
                        "it has {rows} rows, and the set `{}` has {} images",
                        wanted.set, wanted.of
                    ),
                });
            }
            return Ok(file.row(wanted.place));
        }
        let found = self.table.as_ref().zip(self.by_name.get(wanted.path));
        let (table, &row) = found.ok_or_else(|| ExtractorError::Stimulus {
            stimulus: wanted.path.into(),
            reason: match &self.table {
                Some(table) => format!("{} has no row of this name", table.file),
                None => format!("no file is named for the set `{}`", wanted.set),
            },
        })?;
        Ok(table.row(row))
    }
}

impl OpenExtractor for OpenFiles {
    fn name(&self) -> &str {
        &self.name
    }

    fn pipeline(&self) -> Vec<Fact> {
        let files = self.sets.values().chain(&self.table);
        files
            .map(|file| {
                let value = format!("{}, SHA-256 {}", file.file, file.digest);
                Fact::new("features_file", "features", value)
            })
            .collect()
    }

    fn digest(&self) -> Digest {
        let files: Vec<(&str, Digest)> =
            self.sets.values().chain(&self.table).map(|file| (&*file.file, file.digest)).collect();
        Digest::of_json(&serde_json::json!(["files", files]))
    }

    fn reads(&self) -> ExtractorReads {
        ExtractorReads::Name
    }

    fn extract(&mut self, batch: &[ToExtract<'_>]) -> Result<Vec<Vec<ExtractedLayer>>, ExtractorError> {
        let layer = |values: Vec<f32>| vec![ExtractedLayer { shape: vec![values.len()], values }];
        batch.iter().map(|wanted| self.row(wanted).map(layer)).collect()
    }
}
