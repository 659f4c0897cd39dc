//! Perceptual distance from the activations of a network's layers.

use hype_core::diagnostics::Diagnostics;
use hype_core::model::findings::Fact;
use hype_core::model::item::ConditionKind;
use hype_core::model::score::{Direction, Measure};
use hype_core::model::stimulus::Stimuli;
use hype_core::plugin::extractor::{ExtractedLayer, ExtractorSpec};
use hype_core::plugin::metric::{
    Metric, MetricBeside, MetricFault, MetricInputs, MetricReads, MetricSample, MetricUnit, MetricValue,
    Observed,
};
use hype_core::protocol::chance::Streams;
use hype_core::register_metric;
use hype_metrics::perceptual::{Layer, LayerWeights, perceptual_distance, perceptual_diversity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::numbers::{fault, mean, mean_of};
use super::pairs::check_condition;

/// The note on distances without trained weights.
const UNWEIGHTED: &str = "no weights are given: all channels weigh the same";

/// Checks the weights of channels.
fn check_weights(weights: &[Vec<f32>], at: &mut Diagnostics) {
    if let Some(found) = weights.iter().flatten().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
        at.field("weights")
            .error("out-of-range", format!("{found} is not a weight of a distance"))
            .help("use numbers from 0 on");
    }
}

/// The distance of the two stimuli of a unit.
fn distance(unit: &MetricUnit<'_>, weights: &[Vec<f32>]) -> Result<Vec<f64>, MetricFault> {
    let (Observed::Layers(one), Some(Observed::Layers(other))) = (unit.output, unit.other) else {
        return Err(MetricFault::data("this metric needs the layers of two images"));
    };
    let equal: Vec<Vec<f32>> = match weights {
        [] => one.iter().map(|layer| vec![1.0; channels(layer)]).collect(),
        _ => Vec::new(),
    };
    let given = if weights.is_empty() { &equal } else { weights };
    let slices: Vec<&[f32]> = given.iter().map(Vec::as_slice).collect();
    let weights = LayerWeights::new(&slices).map_err(fault)?;
    Ok(vec![perceptual_distance(&layers(one)?, &layers(other)?, weights).map_err(fault)?])
}

fn channels(layer: &ExtractedLayer) -> usize {
    layer.shape.first().copied().unwrap_or(0)
}

fn layers(of: &[ExtractedLayer]) -> Result<Vec<Layer<'_>>, MetricFault> {
    of.iter().map(|layer| Layer::new(&layer.values, channels(layer)).map_err(fault)).collect()
}

/// The metric `lpips`.
///
/// # Method
/// The activations of each layer are divided by their length over channels; squared differences are weighted by channel,
/// averaged over places and added over layers; the mean over outputs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Lpips {
    /// Which image of an output's item it is compared with: `source` (default), `control` or `subject`.
    pub against: ConditionKind,
    /// Where features come from; by default the study's `extractor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extractor: Option<Box<dyn ExtractorSpec>>,
    /// The weights of the channels of each layer; empty if all weigh 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<Vec<f32>>,
}

impl Default for Lpips {
    fn default() -> Self {
        Self { against: ConditionKind::Source, extractor: None, weights: Vec::new() }
    }
}

impl Metric for Lpips {
    fn inputs(&self) -> MetricInputs<'_> {
        MetricInputs {
            reads: MetricReads::Layers(self.extractor.as_deref()),
            beside: MetricBeside::Condition(self.against),
        }
    }

    fn measures(&self) -> Vec<Measure> {
        vec![Measure::new("lpips", "LPIPS", "", Direction::Lower)]
    }

    fn check(&self, stimuli: &Stimuli, at: &mut Diagnostics) {
        check_condition(self.against, stimuli, at);
        check_weights(&self.weights, at);
    }

    fn row(&self, unit: &MetricUnit<'_>) -> Result<Vec<f64>, MetricFault> {
        distance(unit, &self.weights)
    }

    fn compute(&self, sample: &MetricSample<'_>, chance: &Streams) -> Result<Vec<MetricValue>, MetricFault> {
        let value = mean_of("LPIPS", &sample.rows.column(0)?, chance.seed("lpips"))?;
        Ok(vec![value.cautions(self.weights.is_empty().then_some(UNWEIGHTED))])
    }

    fn of_identical(&self) -> Vec<Option<f64>> {
        vec![Some(0.0)]
    }
}

register_metric!(
    Lpips,
    "lpips",
    summary = "The perceptual distance of an output to the image that it should equal",
    citation = "Zhang, Isola, Efros, Shechtman & Wang 2018, The Unreasonable Effectiveness of Deep Features as a Perceptual Metric, CVPR",
    example = "{ kind: lpips, against: source }",
);

/// The metric `lpips_diversity`.
///
/// # Method
/// The mean perceptual distance of all pairs of outputs of one item; the mean over items, whose standard deviation stands
/// beside it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LpipsDiversity {
    /// Where features come from; by default the study's `extractor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extractor: Option<Box<dyn ExtractorSpec>>,
    /// The weights of the channels of each layer; empty if all weigh 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<Vec<f32>>,
}

impl Metric for LpipsDiversity {
    fn inputs(&self) -> MetricInputs<'_> {
        MetricInputs { reads: MetricReads::Layers(self.extractor.as_deref()), beside: MetricBeside::Siblings }
    }

    fn measures(&self) -> Vec<Measure> {
        vec![Measure::new("lpips_diversity", "LPIPS diversity", "", Direction::Higher)]
    }

    fn check(&self, _: &Stimuli, at: &mut Diagnostics) {
        check_weights(&self.weights, at);
    }

    fn row(&self, unit: &MetricUnit<'_>) -> Result<Vec<f64>, MetricFault> {
        distance(unit, &self.weights)
    }

    fn compute(&self, sample: &MetricSample<'_>, chance: &Streams) -> Result<Vec<MetricValue>, MetricFault> {
        let mut by_item: std::collections::BTreeMap<u32, Vec<f64>> = std::collections::BTreeMap::new();
        for (item, distance) in sample.items().into_iter().zip(sample.rows.column(0)?) {
            by_item.entry(item).or_default().push(distance);
        }
        if by_item.is_empty() {
            return Ok(vec![MetricValue::undefined("no item has two outputs of the model")]);
        }
        let distances: Vec<Vec<f64>> = by_item.into_values().collect();
        let found = perceptual_diversity(&distances, chance.seed("lpips diversity")).map_err(fault)?;
        let mut value = mean(&found).detail(Fact::new("items", "items", found.count as u64));
        if let Some(spread) = found.standard_deviation {
            value = value.detail(Fact::new("items_sd", "standard deviation over items", spread));
        }
        Ok(vec![value.cautions(self.weights.is_empty().then_some(UNWEIGHTED))])
    }

    fn of_identical(&self) -> Vec<Option<f64>> {
        vec![Some(0.0)]
    }
}

register_metric!(
    LpipsDiversity,
    "lpips_diversity",
    summary = "How different the outputs of a model for one input are",
    citation = "Lee et al. 2018, Diverse Image-to-Image Translation via Disentangled Representations, ECCV",
    example = "{ kind: lpips_diversity }",
);
