//! Values of automated metrics, which are reported together with what raters said.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Fact, Interval};
use crate::model::score::Measure;

/// With fewer models, a correlation over models says little.
pub const FEW_MODELS: u64 = 10;

/// The values of a metric that was computed from stimuli, or read from a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::exhaustive_structs, reason = "programs with metrics of their own make it")]
pub struct MetricFindings {
    /// The measure.
    pub measure: Measure,
    /// The facts needed to reproduce the values: decoder, preprocessing, weights with their digest, precision. Empty for
    /// values from a table, whose origin is unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pipeline: Vec<Fact>,
    /// One entry for each model, in the order of the spec.
    pub values: Vec<ModelMetric>,
}

/// The value of a metric for one model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::exhaustive_structs, reason = "programs with metrics of their own make it")]
pub struct ModelMetric {
    /// The model; of a study with facets a model at its levels, or a model at all of them.
    pub model: Arc<str>,
    /// The value; absent if it is not defined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Arc<str>>,
    /// Its interval, where one is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The images or pairs of images behind it; absent if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<u64>,
    /// Numbers that are customarily quoted with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Fact>,
    /// Why it may mislead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cautions: Vec<Arc<str>>,
}

impl ModelMetric {
    /// The name of the detail with the number of images that a model is compared with.
    pub const REFERENCE_IMAGES: &str = "reference_images";

    /// The number of images that the model is compared with; `None` if it is compared with none, or they are not known.
    #[must_use]
    pub fn reference_images(&self) -> Option<u64> {
        let detail = self.details.iter().find(|fact| &*fact.name == Self::REFERENCE_IMAGES)?;
        detail.value.as_u64()
    }
}

impl MetricFindings {
    /// The models that have a value, with that value.
    pub fn known(&self) -> impl Iterator<Item = (&Arc<str>, f64)> {
        self.values.iter().filter_map(|one| Some((&one.model, one.value?)))
    }

    /// The pipelines of metrics, each once, with the labels of the metrics that it belongs to.
    #[must_use]
    pub fn pipelines(metrics: &[Self]) -> Vec<(&[Fact], Vec<&str>)> {
        let mut found: Vec<(&[Fact], Vec<&str>)> = Vec::new();
        for metric in metrics.iter().filter(|metric| !metric.pipeline.is_empty()) {
            match found.iter_mut().find(|(known, _)| *known == &metric.pipeline[..]) {
                Some((_, labels)) => labels.push(&metric.measure.label),
                None => found.push((&metric.pipeline, vec![&metric.measure.label])),
            }
        }
        found
    }
}
