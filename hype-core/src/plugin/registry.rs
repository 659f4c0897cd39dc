//! The registry of linked tasks, rubrics, aggregators, backends, cohorts, stopping rules, metrics, extractors and surveys.

use schemars::{Schema, SchemaGenerator};
use serde::Serialize;

mod macros;

/// The part of a spec that a plugin fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SpecPart {
    /// A [`Task`](crate::Task).
    Task,
    /// A [`Rubric`](crate::Rubric).
    Rubric,
    /// An [`Aggregator`](crate::Aggregator).
    Aggregator,
    /// A [`Backend`](crate::Backend).
    Backend,
    /// A [`Cohort`](crate::Cohort).
    Cohort,
    /// A [`StoppingRule`](crate::StoppingRule).
    Stopping,
    /// A [`Metric`](crate::Metric).
    Metric,
    /// An [`Extractor`](crate::Extractor).
    Extractor,
    /// A [`Survey`](crate::Survey).
    Survey,
}

/// One linked plugin.
#[derive(Debug, Clone, Copy)]
pub struct PluginEntry {
    /// The part of a spec that it fills.
    pub part: SpecPart,
    /// Its `kind` in YAML.
    pub kind: &'static str,
    /// A one-line summary.
    pub summary: &'static str,
    /// The publication that describes the method; empty for an unpublished one.
    pub citation: &'static str,
    /// An example of its YAML.
    pub example: &'static str,
    /// The crate that registers it.
    pub crate_name: &'static str,
    /// That crate's version.
    pub crate_version: &'static str,
    /// The schema of its YAML, without `kind`.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// The schema of a task's answers.
    pub answers: Option<fn(&mut SchemaGenerator) -> Schema>,
}

inventory::collect!(PluginEntry);

/// All linked plugins, sorted by part and kind.
#[derive(Debug, Clone)]
pub struct Registry {
    entries: Vec<PluginEntry>,
}

/// The linked plugins conflict; the author of the program has to change which crates are linked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two plugins for the same part of a spec have the same kind, so YAML cannot distinguish them.
    #[error("two plugins have the kind `{kind}`: one in crate {first}, one in crate {second}")]
    Duplicate {
        /// The kind.
        kind: &'static str,
        /// The crate of one plugin.
        first: &'static str,
        /// The crate of the other plugin.
        second: &'static str,
    },
}

impl Registry {
    /// The plugins that are linked into this program.
    ///
    /// A crate that is listed in `Cargo.toml` but never named in the source is not linked. Name it with `use my_plugin
    /// as _;`.
    ///
    /// # Errors
    /// If two of them have the same kind.
    pub fn linked() -> Result<Self, RegistryError> {
        Self::with(inventory::iter::<PluginEntry>.into_iter().copied())
    }

    /// A registry with the given plugins, for programs without automatic registration, such as a static library that is
    /// called from C.
    ///
    /// # Errors
    /// If two of them have the same kind.
    pub fn with(entries: impl IntoIterator<Item = PluginEntry>) -> Result<Self, RegistryError> {
        let mut entries: Vec<PluginEntry> = entries.into_iter().collect();
        entries.sort_by_key(|entry| (entry.part, entry.kind, entry.crate_name));
        for pair in entries.windows(2) {
            if (pair[0].part, pair[0].kind) == (pair[1].part, pair[1].kind) {
                return Err(RegistryError::Duplicate {
                    kind: pair[0].kind,
                    first: pair[0].crate_name,
                    second: pair[1].crate_name,
                });
            }
        }
        Ok(Self { entries })
    }

    /// All plugins, sorted by part and kind.
    #[must_use]
    pub fn entries(&self) -> &[PluginEntry] {
        &self.entries
    }

    /// The plugins of one part, sorted by kind.
    pub fn of(&self, part: SpecPart) -> impl Iterator<Item = &PluginEntry> {
        self.entries.iter().filter(move |entry| entry.part == part)
    }

    /// The plugin of one part with this kind.
    #[must_use]
    pub fn find(&self, part: SpecPart, kind: &str) -> Option<&PluginEntry> {
        self.of(part).find(|entry| entry.kind == kind)
    }
}
