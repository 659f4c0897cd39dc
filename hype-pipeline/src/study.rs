//! The metrics of a study: from its images to a value for each model.
//!
//! Rows come from *sources*: an extractor, or the first step of a metric. The rows of a source are computed once for each
//! content, whatever metrics, models and sets use them, and kept in the folder of the study's metrics. Values are then computed
//! from all rows, so they depend neither on who computed which row nor on interruptions. Metrics that can read rows in
//! parts do, and others hold all rows of one model, and of what it is compared with, in memory.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hype_core::model::findings::MetricFindings;
use hype_core::model::stimulus::Stimuli;
use hype_core::plugin::extractor::ExtractorError;
use hype_core::plugin::metric::{
    BesideRows, MetricBeside, MetricFault, MetricReads, MetricSample, MetricSpec, MetricValue, RowOrigin,
    StoredBeside, StoredRows, StoredSample,
};
use hype_core::study::spec::MetricSpecs;
use hype_core::words::counted;
use hype_core::{Digest, StimulusId, Streams};
use hype_images::ImageError;
use serde::{Deserialize, Serialize};

use crate::cache::replace;
use crate::values::{model_metric, software};

mod rows;
mod samples;
mod sources;

use self::rows::{Beside, check_widths};
use self::samples::{Member, ModelSample, samples};
use self::sources::{Sources, reason};

/// The version of the layout of [`ComputedMetrics`].
const FORMAT: u32 = 1;
/// The results within the folder of a study's metrics.
const RESULTS: &str = "metrics.json";

/// Metrics of a study that were computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "programs read it")]
pub struct ComputedMetrics {
    /// The version of this layout.
    pub format: u32,
    /// The program that computed them.
    pub software: Arc<str>,
    /// The digest of the stimuli that they are of.
    pub stimuli: Digest,
    /// The metrics, in the order of the spec.
    pub metrics: Vec<ComputedMetric>,
}

/// A metric of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "programs read it")]
pub struct ComputedMetric {
    /// The values of models.
    #[serde(flatten)]
    pub findings: MetricFindings,
    /// The values of outputs, by model and by their names in scores; empty for a metric of whole sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_output: BTreeMap<Arc<str>, BTreeMap<Arc<str>, f64>>,
}

impl ComputedMetrics {
    /// Reads the results in the folder of a study's metrics; `None` if there are none.
    ///
    /// # Errors
    /// If the disk fails, or the file is not one of results.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        let path = folder.join(RESULTS);
        let text = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        let found: Self = serde_json::from_slice(&text)
            .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
        if found.format != FORMAT {
            let reason =
                format!("{} has format {}, and this program reads {FORMAT}", path.display(), found.format);
            return Err(io::Error::other(reason));
        }
        Ok(Some(found))
    }

    /// Writes the results, in whole or not at all, and returns their path.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        fs::create_dir_all(folder)?;
        let path = folder.join(RESULTS);
        let mut text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        text.push('\n');
        replace(&path, |to| to.write_all(text.as_bytes()))?;
        Ok(path)
    }
}

/// The part of the rows that one process computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    of: usize,
}

/// A text does not name a shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a shard is written as I/N with I from 1 to N, such as 3/16")]
pub struct NotAShard;

impl Shard {
    /// All rows.
    pub const ALL: Self = Self { index: 0, of: 1 };

    /// Whether all rows are computed.
    #[must_use]
    pub const fn is_all(self) -> bool {
        self.of == 1
    }

    /// The name of the files that it appends to.
    fn name(self) -> String {
        format!("{}-of-{}-{}", self.index + 1, self.of, std::process::id())
    }

    const fn has(self, batch: usize) -> bool {
        batch % self.of == self.index
    }
}

impl std::str::FromStr for Shard {
    type Err = NotAShard;

    fn from_str(text: &str) -> Result<Self, NotAShard> {
        let (index, of) = text.split_once('/').ok_or(NotAShard)?;
        let number = |text: &str| text.parse::<usize>().map_err(|_| NotAShard);
        let (index, of) = (number(index)?, number(of)?);
        if index == 0 || index > of {
            return Err(NotAShard);
        }
        Ok(Self { index: index - 1, of })
    }
}

/// Receives the progress of a computation.
pub trait MetricProgress: Sync {
    /// `done` of the `total` rows of a source are known.
    fn reached(&self, source: &str, done: usize, total: usize);
}

/// Why the metrics of a study cannot be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyMetricsError {
    /// An extractor cannot be used.
    #[error(transparent)]
    Extractor(#[from] ExtractorError),
    /// An image cannot be decoded.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A clip cannot be decoded.
    #[error("{path}: {reason}")]
    Clip {
        /// The clip.
        path: Arc<str>,
        /// Why.
        reason: String,
    },
    /// An image is not the one that the study was opened with.
    #[error("{path} has changed since the study was opened")]
    Changed {
        /// The image.
        path: Arc<str>,
    },
    /// The extractors of a metric do not fit it, or each other.
    #[error("{metric}: {reason}")]
    Extractors {
        /// The metric.
        metric: Arc<str>,
        /// The fault, and what would be right.
        reason: String,
    },
    /// An output cannot be measured.
    #[error("{metric}: {unit}: {fault}")]
    Unit {
        /// The metric.
        metric: Arc<str>,
        /// The output, and what it was compared with.
        unit: String,
        /// Why.
        fault: MetricFault,
    },
    /// A metric broke its contract, or this program does not have it.
    #[error("{metric} of {model}: {fault}")]
    Metric {
        /// The metric.
        metric: Arc<str>,
        /// The model.
        model: Arc<str>,
        /// Why.
        fault: MetricFault,
    },
    /// Rows are missing that other shards have to compute.
    #[error(
        "{missing} of {total} rows of {source_name} are missing: run the other shards, or name their folders"
    )]
    Incomplete {
        /// The source.
        source_name: String,
        /// The rows that are missing.
        missing: usize,
        /// All rows.
        total: usize,
    },
    /// The disk failed.
    #[error(transparent)]
    Disk(#[from] io::Error),
}

/// The computation of a study's metrics.
pub struct StudyMetrics<'a> {
    stimuli: &'a Stimuli,
    specs: &'a MetricSpecs,
    folder: &'a Path,
    chance: Streams,
    sources: Sources<'a>,
}

impl<'a> StudyMetrics<'a> {
    /// Prepares the computation: opens extractors and reads what is known already.
    ///
    /// Paths of stimuli and of settings are relative to `folder`; rows are kept in `kept`, and read from `others` as well.
    ///
    /// # Errors
    /// If an extractor cannot be used or does not fit its metric, or the disk fails.
    pub fn open(
        stimuli: &'a Stimuli,
        specs: &'a MetricSpecs,
        folder: &'a Path,
        kept: &Path,
        others: &[PathBuf],
        chance: Streams,
    ) -> Result<Self, StudyMetricsError> {
        let mut sources = Sources::open(specs, folder, kept)?;
        for metric in &specs.metrics {
            for sample in samples(stimuli, &**metric) {
                sources.ask(stimuli, &**metric, &sample)?;
            }
        }
        sources.read(others)?;
        Ok(Self { stimuli, specs, folder, chance, sources })
    }

    /// Computes the rows of a shard that are not known, and stores them as they come.
    ///
    /// # Errors
    /// If an image or an extractor fails, an output cannot be measured, or the disk fails. What was computed before is kept.
    pub fn compute_rows(
        &mut self,
        shard: Shard,
        progress: &dyn MetricProgress,
    ) -> Result<(), StudyMetricsError> {
        self.sources.compute(self.stimuli, self.folder, shard, progress)
    }

    /// Computes the values from all rows.
    ///
    /// # Errors
    /// If rows are missing, or the program does not have a metric. What has no value for other reasons is marked as undefined.
    pub fn values(mut self) -> Result<ComputedMetrics, StudyMetricsError> {
        self.sources.complete()?;
        let mut metrics: Vec<ComputedMetric> = Vec::new();
        for metric in &self.specs.metrics {
            metrics.extend(self.of_metric(&**metric)?);
        }
        Ok(ComputedMetrics {
            format: FORMAT,
            software: software().into(),
            stimuli: self.stimuli.digest(),
            metrics,
        })
    }

    fn of_metric(&self, metric: &dyn MetricSpec) -> Result<Vec<ComputedMetric>, StudyMetricsError> {
        let (name, pipeline) = self.sources.described(metric, self.stimuli.kind());
        let mut found: Vec<ComputedMetric> = metric
            .measures()
            .into_iter()
            .map(|mut measure| {
                if let Some(name) = &name {
                    measure.label = format!("{} ({name})", measure.label).into();
                }
                let findings = MetricFindings { measure, pipeline: pipeline.clone(), values: Vec::new() };
                ComputedMetric { findings, by_output: BTreeMap::new() }
            })
            .collect();
        for sample in samples(self.stimuli, metric) {
            let failed = |fault: MetricFault| failed(metric, &sample.model, fault);
            let defined = self.sources.are_defined(self.stimuli, metric, &sample.members).map_err(failed)?;
            let without = sample.members.iter().zip(&defined).find(|(_, is_defined)| !**is_defined);
            let without =
                without.map(|(member, _)| self.without_value(metric, *member, &defined)).transpose()?;
            let mut kept = defined.iter();
            let mut sample = sample;
            sample.members.retain(|_| kept.next().is_none_or(|is_defined| *is_defined));
            let mut values = self.of_model(metric, &sample)?;
            if let Some(reason) = without {
                values.iter_mut().for_each(|value| value.add_reason(&reason, sample.members.is_empty()));
            }
            for (into, value) in found.iter_mut().zip(values) {
                let by_row = value.by_row.iter().zip(&sample.members);
                // Pooled models would name each output twice.
                if !sample.is_pooled {
                    let known: BTreeMap<Arc<str>, f64> = by_row
                        .filter_map(|(value, member)| {
                            Some((self.stimuli.label(member.output).into(), (*value)?))
                        })
                        .collect();
                    if !known.is_empty() {
                        into.by_output.insert(Arc::clone(&sample.model), known);
                    }
                }
                let units = sample.members.len() as u64;
                into.findings.values.push(model_metric(&sample.model, value, units));
            }
        }
        Ok(found)
    }

    fn of_model(
        &self,
        metric: &dyn MetricSpec,
        sample: &ModelSample,
    ) -> Result<Vec<MetricValue>, StudyMetricsError> {
        let rows = self.sources.rows(self.stimuli, metric, &sample.members);
        let beside = self.sources.beside(self.stimuli, metric, sample);
        if let (MetricBeside::Prompt(_), Some(Beside::Rows(texts))) = (metric.inputs().beside, &beside) {
            check_widths(metric, [rows.width(), texts.width()])?;
        }
        // By name, so another metric or model changes no number.
        let chance = self.chance.child(&format!("{}/{}", metric.typetag_name(), sample.model), 0);
        let stored = StoredSample { rows: &rows, beside: beside.as_ref().map(Beside::stored) };
        let found = match metric.compute_stored(&stored, &chance) {
            Some(found) => found,
            None => self.of_all(metric, &stored, sample, &chance),
        };
        let fault = match found {
            Ok(mut values) => {
                let cautions = self.sources.cautions(self.stimuli, metric, sample);
                values
                    .iter_mut()
                    .for_each(|value| value.cautions.extend(cautions.iter().map(|one| Arc::from(&**one))));
                return Ok(values);
            }
            Err(MetricFault::Data(reason)) => {
                let reason: Arc<str> = reason.into();
                let undefined = |_| MetricValue::undefined(Arc::clone(&reason));
                return Ok(metric.measures().into_iter().map(undefined).collect());
            }
            Err(fault) => fault,
        };
        Err(failed(metric, &sample.model, fault))
    }

    /// How many outputs have no value, with the first of them and why.
    fn without_value(
        &self,
        metric: &dyn MetricSpec,
        first: Member,
        defined: &[bool],
    ) -> Result<String, StudyMetricsError> {
        let path = self.stimuli.get(first.output).map_or("", |stimulus| &*stimulus.path);
        let reason = match metric.inputs().reads {
            MetricReads::Pixels => reason(metric, first, self.stimuli, self.folder)?,
            _ => None,
        };
        let reason = reason.unwrap_or_else(|| "it cannot be compared".to_owned());
        let count = defined.iter().filter(|is_defined| !**is_defined).count();
        Ok(format!("no value for {count} of {}, such as {path}: {reason}", counted(defined.len(), "output")))
    }

    /// The values of a metric that needs all rows at once.
    fn of_all(
        &self,
        metric: &dyn MetricSpec,
        stored: &StoredSample<'_>,
        sample: &ModelSample,
        chance: &Streams,
    ) -> Result<Vec<MetricValue>, MetricFault> {
        let all = |rows: &dyn StoredRows| rows.read(&(0..rows.len()).collect::<Vec<usize>>());
        let rows = all(stored.rows)?;
        let read;
        let beside = match stored.beside {
            Some(StoredBeside::Rows(rows)) => {
                read = all(rows)?;
                Some(BesideRows::Rows(&read))
            }
            Some(StoredBeside::Statistics { mean, covariance }) => {
                Some(BesideRows::Statistics { mean, covariance })
            }
            _ => None,
        };
        let origins: Vec<RowOrigin> =
            sample.members.iter().map(|member| origin(self.stimuli, member.output)).collect();
        metric.compute(&MetricSample { rows: &rows, beside, origins: &origins }, chance)
    }
}

fn failed(metric: &dyn MetricSpec, model: &Arc<str>, fault: MetricFault) -> StudyMetricsError {
    StudyMetricsError::Metric { metric: metric.typetag_name().into(), model: Arc::clone(model), fault }
}

/// Where an output comes from.
fn origin(stimuli: &Stimuli, id: StimulusId) -> RowOrigin {
    let item = stimuli.get(id).and_then(|stimulus| stimulus.item).map_or(id.0, |item| item.0);
    let mut levels = stimuli.set_of(id).map(|set| set.levels.clone()).unwrap_or_default();
    if let Some(item) = stimuli.item_of(id) {
        levels.extend(item.levels.clone());
    }
    RowOrigin { item, levels }
}
