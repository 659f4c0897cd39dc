//! Metrics: numbers that are computed from stimuli, to be read together with human judgments.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::diagnostics::Diagnostics;
use crate::model::facet::Levels;
use crate::model::findings::{Fact, Interval};
use crate::model::item::ConditionKind;
use crate::model::score::Measure;
use crate::model::stimulus::Stimuli;
use crate::plugin::extractor::{ExtractedLayer, ExtractorSpec, RgbPixels};
use crate::protocol::chance::Streams;

mod rows;
mod stored;

pub use self::rows::{MetricRows, RowValues};
pub use self::stored::{StoredRows, order_of_stored};

/// Computes numbers from the outputs of a model.
///
/// A metric works in two steps. [`row`](Self::row) turns each unit, such as an image or a pair of images, into a row of
/// numbers; rows are cached by content, and computed on any number of machines. [`compute`](Self::compute) turns all rows
/// into the values. Metrics of features have no first step: their rows are the output of an
/// [`Extractor`](crate::plugin::extractor::Extractor).
///
/// Metrics read no files and no clock. Register an implementation with [`register_metric!`](crate::register_metric) to use
/// it from YAML.
pub trait Metric: Debug + Clone + Send + Sync + 'static {
    /// Returns its inputs.
    fn inputs(&self) -> MetricInputs<'_>;

    /// Its values, in the order in which [`compute`](Self::compute) returns them.
    fn measures(&self) -> Vec<Measure>;

    /// Checks the rules across fields, and against the stimuli of a study. Adds every fault to `at`.
    fn check(&self, _stimuli: &Stimuli, _at: &mut Diagnostics) {}

    /// The row of a unit. Not called where rows are features.
    ///
    /// # Errors
    /// If the unit cannot be measured, for example because two images differ in size.
    fn row(&self, _unit: &MetricUnit<'_>) -> Result<Vec<f64>, MetricFault> {
        Ok(Vec::new())
    }

    /// The values of a model, one for each of [`measures`](Self::measures), from the rows of all its units.
    ///
    /// Values do not depend on the order of rows.
    ///
    /// # Errors
    /// If the rows have no values, for example because there are too few.
    fn compute(&self, sample: &MetricSample<'_>, chance: &Streams) -> Result<Vec<MetricValue>, MetricFault>;

    /// The values of [`compute`](Self::compute), to the bit, from rows that are read in parts; `None` where all rows are needed
    /// at once. Drivers ask this first, so sets may be larger than the memory.
    fn compute_stored(
        &self,
        _sample: &StoredSample<'_>,
        _chance: &Streams,
    ) -> Option<Result<Vec<MetricValue>, MetricFault>> {
        None
    }

    /// The values where what is compared is identical, one for each of [`measures`](Self::measures), where they are known: 0
    /// for a distance. Conformance compares them. Empty by default.
    fn of_identical(&self) -> Vec<Option<f64>> {
        Vec::new()
    }
}

/// The inputs of a metric.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "metrics make it")]
pub struct MetricInputs<'a> {
    /// The part of each stimulus that is read.
    pub reads: MetricReads<'a>,
    /// The stimuli with which outputs are compared.
    pub beside: MetricBeside<'a>,
}

impl<'a> MetricInputs<'a> {
    /// The pixels of each output by itself.
    pub const PIXELS: Self = Self { reads: MetricReads::Pixels, beside: MetricBeside::Nothing };

    /// The pixels of each output and of the image that is a condition of its item, or the luma of their frames, one by one, if
    /// both are clips.
    #[must_use]
    pub const fn pixels_against(kind: ConditionKind) -> Self {
        Self { reads: MetricReads::Pixels, beside: MetricBeside::Condition(kind) }
    }

    /// The features of outputs by themselves.
    #[must_use]
    pub const fn features(extractor: Option<&'a dyn ExtractorSpec>) -> Self {
        Self { reads: MetricReads::Features(extractor), beside: MetricBeside::Nothing }
    }

    /// The features of outputs and of a reference set, by its name in the spec.
    #[must_use]
    pub const fn features_against(
        extractor: Option<&'a dyn ExtractorSpec>,
        reference: Option<&'a str>,
    ) -> Self {
        Self { reads: MetricReads::Features(extractor), beside: MetricBeside::Reference(reference) }
    }

    /// The features of outputs, and the published mean and covariance of those of a reference set.
    #[must_use]
    pub const fn features_against_statistics(
        extractor: Option<&'a dyn ExtractorSpec>,
        file: &'a str,
    ) -> Self {
        Self { reads: MetricReads::Features(extractor), beside: MetricBeside::Statistics(file) }
    }
}

/// The part of each stimulus that a metric reads.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum MetricReads<'a> {
    /// Pixels, from which [`Metric::row`] makes a row.
    Pixels,
    /// The first output of an extractor, which is the row. `None` for the extractor of the study.
    Features(Option<&'a dyn ExtractorSpec>),
    /// All outputs of an extractor, from which [`Metric::row`] makes a row. `None` for the extractor of the study.
    Layers(Option<&'a dyn ExtractorSpec>),
}

/// The stimuli with which a metric compares outputs.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum MetricBeside<'a> {
    /// Nothing: each output is a unit.
    Nothing,
    /// A set of other stimuli, compared as a whole. `None` for the real stimuli with the levels of the model.
    Reference(Option<&'a str>),
    /// The mean and the covariance of the features of a reference set, in a file of this path in the folder of the study.
    Statistics(&'a str),
    /// The stimulus that is a condition of the output's item: the two are a unit.
    Condition(ConditionKind),
    /// The text from which the output's item was generated, as an extractor embeds it: rows of outputs and of texts belong
    /// together. `None` for the extractor of prompts, or else that of the study.
    Prompt(Option<&'a dyn ExtractorSpec>),
    /// Other outputs of the same model for the same item: each pair is a unit.
    Siblings,
}

/// The unit that [`Metric::row`] measures.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "drivers and tests make it")]
pub struct MetricUnit<'a> {
    /// The output.
    pub output: Observed<'a>,
    /// The observation with which it is compared, if any.
    pub other: Option<Observed<'a>>,
}

/// The observation of one stimulus.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Observed<'a> {
    /// Its pixels.
    Pixels(RgbPixels<'a>),
    /// One frame of a clip. The row of the clip is the mean over those of its frames.
    Luma(LumaPixels<'a>),
    /// The outputs of an extractor.
    Layers(&'a [ExtractedLayer]),
}

/// The luma of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "drivers and tests make it")]
pub struct LumaPixels<'a> {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The luma of each pixel, row by row from the top left.
    pub samples: &'a [u8],
}

/// The rows of a model, and of what it is compared with.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "drivers and tests make it")]
pub struct MetricSample<'a> {
    /// A row for each unit.
    pub rows: &'a MetricRows,
    /// The rows with which they are compared; absent where the rows hold it already, or nothing is compared.
    pub beside: Option<BesideRows<'a>>,
    /// Where each row comes from; empty if nothing is known of it.
    pub origins: &'a [RowOrigin],
}

/// The kind of rows with which others are compared.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum BesideRows<'a> {
    /// Other rows: as many as there are for a reference set, or one for each row for texts.
    Rows(&'a MetricRows),
    /// The mean and the d × d sample covariance of d features of a reference set.
    Statistics {
        /// Mean of each feature.
        mean: &'a [f64],
        /// Covariance, row by row.
        covariance: &'a [f64],
    },
}

/// The rows of a model, and of what it is compared with, which are read as they are needed.
#[derive(Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "drivers and tests make it")]
pub struct StoredSample<'a> {
    /// A row for each unit.
    pub rows: &'a dyn StoredRows,
    /// The rows with which they are compared; absent where the rows hold it already, or nothing is compared.
    pub beside: Option<StoredBeside<'a>>,
}

/// The rows with which stored rows are compared.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum StoredBeside<'a> {
    /// Other rows: as many as there are for a reference set, or one for each row for texts.
    Rows(&'a dyn StoredRows),
    /// The mean and the d × d sample covariance of d features of a reference set.
    Statistics {
        /// Mean of each feature.
        mean: &'a [f64],
        /// Covariance, row by row.
        covariance: &'a [f64],
    },
}

/// Where a row comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_structs, reason = "drivers and tests make it")]
pub struct RowOrigin {
    /// The number of the item; of the output itself in a study without items.
    pub item: u32,
    /// The levels of the output's set and of its item.
    pub levels: Levels,
}

impl MetricSample<'_> {
    /// The item of each row; its own number where nothing is known of rows.
    #[must_use]
    pub fn items(&self) -> Vec<u32> {
        match self.origins {
            [] => (0..self.rows.len() as u32).collect(),
            known => known.iter().map(|origin| origin.item).collect(),
        }
    }

    /// The level of each row of a facet; an error if a row has none.
    ///
    /// # Errors
    /// If a row has no level of the facet.
    pub fn levels(&self, facet: &str) -> Result<Vec<&Arc<str>>, MetricFault> {
        let found: Option<Vec<&Arc<str>>> =
            self.origins.iter().map(|origin| origin.levels.get(facet)).collect();
        found
            .filter(|found| found.len() == self.rows.len())
            .ok_or_else(|| MetricFault::Data(format!("not every output has a level of the facet `{facet}`")))
    }
}

/// One value of a metric.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::exhaustive_structs, reason = "metrics make it")]
pub struct MetricValue {
    /// The value; `None` where it is not defined or infinite.
    pub value: Option<f64>,
    /// Why there is no value.
    pub undefined: Option<Arc<str>>,
    /// The interval of the value; `None` where none is valid.
    pub interval: Option<Interval>,
    /// Numbers that are customarily quoted with it, such as the standard deviation over subsets.
    pub details: Vec<Fact>,
    /// Why the value may mislead.
    pub cautions: Vec<Arc<str>>,
    /// The value of each row by itself, to be compared with the judgments of the same item; `None` where one has none. Empty
    /// for a metric of whole sets.
    pub by_row: Vec<Option<f64>>,
}

impl MetricValue {
    /// A value without an interval.
    #[must_use]
    pub fn new(value: f64) -> Self {
        Self { value: Some(value), ..Self::default() }
    }

    /// No value, with the reason.
    #[must_use]
    pub fn undefined(reason: impl Into<Arc<str>>) -> Self {
        Self { undefined: Some(reason.into()), ..Self::default() }
    }

    /// Sets the interval.
    #[must_use]
    pub fn interval(self, interval: Option<Interval>) -> Self {
        Self { interval, ..self }
    }

    /// Adds a number that is customarily quoted with the value.
    #[must_use]
    pub fn detail(mut self, fact: Fact) -> Self {
        self.details.push(fact);
        self
    }

    /// Adds reasons why the value may mislead.
    #[must_use]
    pub fn cautions<T: ToString>(mut self, cautions: impl IntoIterator<Item = T>) -> Self {
        self.cautions.extend(cautions.into_iter().map(|caution| Arc::from(caution.to_string())));
        self
    }

    /// Adds why some units have no value, or, if there are no others, why there is none at all.
    pub fn add_reason(&mut self, reason: &str, are_all: bool) {
        match are_all {
            true => *self = Self::undefined(reason),
            false => self.cautions.push(reason.into()),
        }
    }

    /// Sets the value of each row.
    #[must_use]
    pub fn by_row(self, by_row: Vec<Option<f64>>) -> Self {
        Self { by_row, ..self }
    }
}

/// Why a metric has no values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetricFault {
    /// The data have no value of the metric; the author of the study corrects them.
    #[error("{0}")]
    Data(String),
    /// Rows cannot be read from where they are kept; the operator looks after the disk.
    #[error("{0}")]
    Unread(String),
    /// This program cannot compute the metric; the operator installs one that can.
    #[error("{metric} is not part of this program: build it with the feature `{feature}`")]
    NotBuilt {
        /// The metric.
        metric: &'static str,
        /// The missing feature.
        feature: &'static str,
    },
    /// The metric gave a value that is not a number, which is a bug of the metric.
    #[error(
        "the value of `{measure}` is {value}, which a metric must not return: this is a bug of the metric"
    )]
    NotANumber {
        /// The measure.
        measure: Arc<str>,
        /// The value as text.
        value: String,
    },
    /// The metric gave another number of values than it declares, which is a bug of the metric.
    #[error("the metric declares {declared} values and returned {found}: this is a bug of the metric")]
    Count {
        /// The number declared.
        declared: usize,
        /// The number returned.
        found: usize,
    },
}

impl MetricFault {
    /// The data have no value of the metric, for this reason.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "errors are handed over by `map_err`")]
    pub fn data(reason: impl ToString) -> Self {
        Self::Data(reason.to_string())
    }
}

/// A metric as a spec holds it, by its `kind`. Implemented by [`register_metric!`](crate::register_metric).
#[typetag::serialize(tag = "kind")]
pub trait MetricSpec: DynMetric {}

crate::plugin::kinds::read_by_kind!(MetricSpec);

/// The dyn-compatible counterpart of [`Metric`], implemented for every registered metric.
pub trait DynMetric: Any + Debug + Send + Sync {
    /// [`Metric::inputs`].
    fn inputs(&self) -> MetricInputs<'_>;
    /// [`Metric::measures`].
    fn measures(&self) -> Vec<Measure>;
    /// [`Metric::check`].
    fn check(&self, stimuli: &Stimuli, at: &mut Diagnostics);
    /// [`Metric::row`].
    ///
    /// # Errors
    /// As [`Metric::row`], and if a number of the row is NaN, which is a bug of the metric.
    fn row(&self, unit: &MetricUnit<'_>) -> Result<Vec<f64>, MetricFault>;
    /// [`Metric::compute`].
    ///
    /// # Errors
    /// As [`Metric::compute`], and if the metric breaks its contract: the number of values is not that of the measures, or one
    /// is not a number.
    fn compute(&self, sample: &MetricSample<'_>, chance: &Streams) -> Result<Vec<MetricValue>, MetricFault>;
    /// [`Metric::compute_stored`].
    ///
    /// # Errors
    /// As [`compute`](Self::compute), and [`MetricFault::Unread`].
    fn compute_stored(
        &self,
        sample: &StoredSample<'_>,
        chance: &Streams,
    ) -> Option<Result<Vec<MetricValue>, MetricFault>>;
    /// [`Metric::of_identical`].
    fn of_identical(&self) -> Vec<Option<f64>>;
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn MetricSpec>;
}

impl<M: Metric + MetricSpec> DynMetric for M {
    fn inputs(&self) -> MetricInputs<'_> {
        Metric::inputs(self)
    }
    fn measures(&self) -> Vec<Measure> {
        Metric::measures(self)
    }
    fn check(&self, stimuli: &Stimuli, at: &mut Diagnostics) {
        Metric::check(self, stimuli, at);
    }
    fn row(&self, unit: &MetricUnit<'_>) -> Result<Vec<f64>, MetricFault> {
        let row = Metric::row(self, unit)?;
        match row.iter().position(|value| value.is_nan()) {
            None => Ok(row),
            Some(column) => Err(MetricFault::NotANumber {
                measure: format!("column {column} of a row").into(),
                value: f64::NAN.to_string(),
            }),
        }
    }
    fn compute(&self, sample: &MetricSample<'_>, chance: &Streams) -> Result<Vec<MetricValue>, MetricFault> {
        let values = Metric::compute(self, sample, chance)?;
        checked(values, &Metric::measures(self), sample.rows.len())
    }
    fn compute_stored(
        &self,
        sample: &StoredSample<'_>,
        chance: &Streams,
    ) -> Option<Result<Vec<MetricValue>, MetricFault>> {
        let values = Metric::compute_stored(self, sample, chance)?;
        Some(values.and_then(|values| checked(values, &Metric::measures(self), sample.rows.len())))
    }
    fn of_identical(&self) -> Vec<Option<f64>> {
        Metric::of_identical(self)
    }
    fn boxed_clone(&self) -> Box<dyn MetricSpec> {
        Box::new(self.clone())
    }
}

/// Refuses values that a metric must not return: no program shows one that is not a number.
fn checked(
    values: Vec<MetricValue>,
    measures: &[Measure],
    rows: usize,
) -> Result<Vec<MetricValue>, MetricFault> {
    if values.len() != measures.len() {
        return Err(MetricFault::Count { declared: measures.len(), found: values.len() });
    }
    for (found, measure) in values.iter().zip(measures) {
        let limits = found.interval.iter().flat_map(|interval| [interval.low, interval.high]);
        let by_row = found.by_row.iter().copied().flatten();
        if let Some(value) = found.value.into_iter().chain(limits).chain(by_row).find(|one| !one.is_finite())
        {
            return Err(MetricFault::NotANumber {
                measure: Arc::clone(&measure.name),
                value: value.to_string(),
            });
        }
        if !found.by_row.is_empty() && found.by_row.len() != rows {
            return Err(MetricFault::Count { declared: rows, found: found.by_row.len() });
        }
        if found.value.is_none() && found.undefined.is_none() {
            let value = "missing without a reason".to_owned();
            return Err(MetricFault::NotANumber { measure: Arc::clone(&measure.name), value });
        }
    }
    Ok(values)
}

impl Clone for Box<dyn MetricSpec> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
