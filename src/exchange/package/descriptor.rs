//! `datapackage.json`: the files of a package with their digests, and the tables with their columns, units and keys, as
//! programs read them that know nothing of this one.
//!
//! The format is Frictionless Data's Data Package, version 1 (Walsh & Pollock, Data Package, specs.frictionlessdata.io): a package is
//! a folder of small tables whose columns have units, closed vocabularies and keys, which a Table Schema states and `frictionless
//! validate` checks against the files. `croissant.json` describes the same tables for hubs, which have no words for these.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use hype_core::Digest;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::codebook::{Codebook, ColumnEntry, FileEntry};
use super::protocol::Protocol;
use crate::exchange::error::ExportError;
use crate::exchange::layout::ColumnType;

/// Columns whose values are those of the codebook and no others.
const CLOSED: [&str; 6] = ["better", "ending", "kind", "phase", "role", "use"];

/// Columns that are never empty.
const REQUIRED: [&str; 7] = ["rater", "trial", "phase", "measure", "kind", "stimulus", "sha256"];

/// Which rows of a package are identified by the keys that the tables have for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identified {
    /// Sessions by their raters.
    pub(super) sessions: bool,
    /// Stimuli by set and path.
    pub(super) stimuli: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct DataPackage {
    profile: &'static str,
    name: String,
    title: String,
    description: String,
    keywords: Vec<String>,
    resources: Vec<Resource>,
}

#[derive(Debug, Serialize)]
struct Resource {
    profile: &'static str,
    name: String,
    path: String,
    description: String,
    format: &'static str,
    mediatype: &'static str,
    encoding: &'static str,
    bytes: u64,
    hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<Schema>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Schema {
    fields: Vec<Field>,
    missing_values: [&'static str; 1],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    primary_key: &'static [&'static str],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    foreign_keys: Vec<ForeignKey>,
}

#[derive(Debug, Serialize)]
struct Field {
    name: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    description: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    unit: &'static str,
    #[serde(skip_serializing_if = "Constraints::are_none")]
    constraints: Constraints,
}

#[derive(Debug, Default, Serialize)]
struct Constraints {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<&'static str>,
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
}

impl Constraints {
    fn are_none(&self) -> bool {
        !self.required && self.minimum.is_none() && self.pattern.is_none() && self.values.is_empty()
    }
}

#[derive(Debug, Serialize)]
struct ForeignKey {
    fields: &'static [&'static str],
    reference: Reference,
}

#[derive(Debug, Serialize)]
struct Reference {
    resource: &'static str,
    fields: &'static [&'static str],
}

impl DataPackage {
    /// Describes files that are complete, in the order given.
    pub(super) fn of(
        protocol: &Protocol,
        codebook: &Codebook,
        files: &[(&str, &str)],
        identified: Identified,
        folder: &Path,
    ) -> Result<Self, ExportError> {
        let synthetic = if protocol.simulated { "The raters are synthetic. " } else { "" };
        let about =
            protocol.description.as_deref().unwrap_or("Ratings of models by people, and how they were made.");
        let about = if protocol.simulated && protocol.description.is_none() { "" } else { about };
        let resources = files.iter().map(|&(name, about)| {
            let table = codebook.files.iter().find(|file| file.name == name);
            Resource::of(&folder.join(name), name, about, table, identified)
        });
        Ok(Self {
            profile: "data-package",
            name: slug(&protocol.study.name),
            title: format!("{}: ratings and protocol", protocol.study.name),
            description: format!("{synthetic}{about}").trim().to_owned(),
            keywords: vec![
                "human evaluation".into(),
                "generative models".into(),
                protocol.study.task.to_string(),
            ],
            resources: resources.collect::<Result<_, _>>()?,
        })
    }
}

impl Resource {
    fn of(
        file: &Path,
        path: &str,
        about: &str,
        table: Option<&FileEntry>,
        identified: Identified,
    ) -> Result<Self, ExportError> {
        let (bytes, digest) = digest_of(file)?;
        let (stem, extension) = path.rsplit_once('.').unwrap_or((path, ""));
        let (format, mediatype) = match extension {
            "csv" => ("csv", "text/csv"),
            "json" => ("json", "application/json"),
            _ => ("md", "text/markdown"),
        };
        Ok(Self {
            profile: if table.is_some() { "tabular-data-resource" } else { "data-resource" },
            // Names are unique in a package: `codebook.json` stands next to `codebook.md`.
            name: if table.is_some() { stem.to_owned() } else { path.replace('.', "-") },
            path: path.to_owned(),
            description: if table.is_some() { format!("One row: {about}.") } else { about.to_owned() },
            format,
            mediatype,
            encoding: "utf-8",
            bytes,
            hash: format!("sha256:{digest}"),
            schema: table.map(|table| Schema::of(stem, table, identified)),
        })
    }
}

impl Schema {
    fn of(table: &str, entry: &FileEntry, identified: Identified) -> Self {
        let of_rater = || ForeignKey {
            fields: &["rater"],
            reference: Reference { resource: "sessions", fields: &["rater"] },
        };
        let of_trial = || ForeignKey {
            fields: &["rater", "trial"],
            reference: Reference { resource: "trials", fields: &["rater", "trial"] },
        };
        let (primary_key, foreign_keys): (&[&str], Vec<ForeignKey>) = match table {
            "stimuli" if identified.stimuli => (&["set", "stimulus"], Vec::new()),
            "sessions" if identified.sessions => (&["rater"], Vec::new()),
            "trials" if identified.sessions => (&["rater", "trial"], vec![of_rater()]),
            "answers" if identified.sessions => (&[], vec![of_rater(), of_trial()]),
            "scores" if identified.sessions => (&[], vec![of_rater()]),
            _ => (&[], Vec::new()),
        };
        let fields = entry.columns.iter().map(Field::of).collect();
        Self { fields, missing_values: [""], primary_key, foreign_keys }
    }
}

impl Field {
    fn of(column: &ColumnEntry) -> Self {
        let kind = match column.kind {
            // A text, or a JSON list of several.
            ColumnType::Text | ColumnType::Json => "string",
            ColumnType::Integer => "integer",
            ColumnType::Number => "number",
            ColumnType::Boolean => "boolean",
        };
        let constraints = Constraints {
            required: REQUIRED.contains(&column.name),
            minimum: (column.kind == ColumnType::Integer).then_some(0),
            pattern: (column.name == "sha256").then_some("[0-9a-f]{64}"),
            values: if CLOSED.contains(&column.name) { column.values.clone() } else { Vec::new() },
        };
        Self { name: column.name, kind, description: column.meaning, unit: column.unit, constraints }
    }
}

/// The name of a package: the study's name in the characters that the standard allows.
pub(super) fn slug(name: &str) -> String {
    let allowed = |character: char| match character.to_ascii_lowercase() {
        allowed @ ('a'..='z' | '0'..='9' | '.' | '_' | '-') => allowed,
        _ => '-',
    };
    let slug: String = name.chars().map(allowed).collect();
    let slug = slug.trim_matches('-');
    if slug.is_empty() { "study".into() } else { slug.to_owned() }
}

/// The number of a file's bytes, and their digest.
pub(super) fn digest_of(path: &Path) -> std::io::Result<(u64, Digest)> {
    let mut file = File::open(path)?;
    let (mut hasher, mut bytes) = (Sha256::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((bytes, Digest(hasher.finalize().into())));
        }
        hasher.update(&buffer[..read]);
        bytes += read as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_characters_of_the_standard() {
        for (name, want) in [
            ("FFHQ 256, first round", "ffhq-256--first-round"),
            ("étude", "tude"),
            ("研究", "study"),
            ("a_b.c-1", "a_b.c-1"),
        ] {
            assert_eq!(slug(name), want);
        }
    }

    #[test]
    fn digests_are_of_the_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let content = vec![7; (1 << 16) + 9];
        std::fs::write(&path, &content).unwrap();
        assert_eq!(digest_of(&path).unwrap(), (content.len() as u64, Digest::of(&content)));
    }
}
