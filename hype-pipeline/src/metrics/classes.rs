//! Metrics of the output of a classifier.

use std::sync::Arc;

use hype_core::diagnostics::{Diagnostics, nearest};
use hype_core::model::bounds::Bounded;
use hype_core::model::findings::Fact;
use hype_core::model::score::{Direction, Measure};
use hype_core::model::stimulus::Stimuli;
use hype_core::plugin::extractor::ExtractorSpec;
use hype_core::plugin::metric::{Metric, MetricFault, MetricInputs, MetricRows, MetricSample, MetricValue};
use hype_core::protocol::chance::Streams;
use hype_core::register_metric;
use hype_metrics::inception_score::{ClassOutput, conditional_inception_score, inception_score};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::numbers::{fault, features, interval, share_of};

/// The quantity that a classifier returns for each class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "classifiers give either")]
pub enum ClassOutputKind {
    /// Unnormalized logarithms.
    #[default]
    Logits,
    /// Probabilities that sum to 1.
    Probabilities,
}

impl ClassOutputKind {
    const fn output(self) -> ClassOutput {
        match self {
            Self::Logits => ClassOutput::Logits,
            Self::Probabilities => ClassOutput::Probabilities,
        }
    }
}

/// The published number of splits.
const SPLITS: usize = 10;

/// The metric `inception_score`.
///
/// # Method
/// exp(E KL(p(y|x) ‖ p(y))) in ten splits, and the mean over them. The score depends on which outputs share a split: they are put
/// into an order that follows from their class outputs alone, and then shuffled by the study's seed.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Inception {
    /// Where features come from; by default the study's `extractor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extractor: Option<Box<dyn ExtractorSpec>>,
    /// `logits` (default) or `probabilities`.
    pub output: ClassOutputKind,
}

impl Metric for Inception {
    fn inputs(&self) -> MetricInputs<'_> {
        MetricInputs::features(self.extractor.as_deref())
    }

    fn measures(&self) -> Vec<Measure> {
        vec![Measure::new("inception_score", "IS", "", Direction::Higher)]
    }

    fn compute(&self, sample: &MetricSample<'_>, chance: &Streams) -> Result<Vec<MetricValue>, MetricFault> {
        let shuffled = shuffled(sample.rows, chance);
        let found = inception_score(&features(&shuffled)?, self.output.output(), SPLITS).map_err(fault)?;
        let spread = Fact::new("splits_sd", "standard deviation over splits", found.standard_deviation);
        let number = Fact::new("splits", "splits", SPLITS as u64);
        Ok(vec![MetricValue::new(found.mean).detail(spread).detail(number)])
    }
}

register_metric!(
    Inception,
    "inception_score",
    summary = "Whether a classifier is sure of each output, and sees many classes in all of them",
    citation = "Salimans et al. 2016, Improved Techniques for Training GANs, NeurIPS",
    example = "{ kind: inception_score, output: logits }",
);

/// The rows in an order that does not depend on the one in which they were given.
fn shuffled(rows: &MetricRows, chance: &Streams) -> MetricRows {
    let mut order = rows.order_by_content();
    chance.stream("inception score").shuffle(&mut order);
    rows.select(&order)
}

/// The metric `conditional_inception_score`.
///
/// # Method
/// The Inception Score with the marginal p(y) taken within the outputs of each item: it asks for diversity among the
/// outputs of one input; every input has the same weight.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConditionalInception {
    /// Where features come from; by default the study's `extractor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extractor: Option<Box<dyn ExtractorSpec>>,
    /// `logits` (default) or `probabilities`.
    pub output: ClassOutputKind,
}

impl Metric for ConditionalInception {
    fn inputs(&self) -> MetricInputs<'_> {
        MetricInputs::features(self.extractor.as_deref())
    }

    fn measures(&self) -> Vec<Measure> {
        vec![Measure::new("conditional_inception_score", "CIS", "", Direction::Higher)]
    }

    fn compute(&self, sample: &MetricSample<'_>, chance: &Streams) -> Result<Vec<MetricValue>, MetricFault> {
        let (items, seed) = (sample.items(), chance.seed("conditional inception score"));
        let found = conditional_inception_score(&features(sample.rows)?, self.output.output(), &items, seed)
            .map_err(fault)?;
        let inputs = Fact::new("inputs", "inputs", found.divergence.count as u64);
        let method = "exponential of the expanded percentile bootstrap over inputs, 10000 resamples";
        let limits = found.interval.map(|limits| interval(limits, method));
        Ok(vec![MetricValue::new(found.score).interval(limits).detail(inputs)])
    }
}

register_metric!(
    ConditionalInception,
    "conditional_inception_score",
    summary = "The Inception Score within the outputs of each input",
    citation = "Huang, Liu, Belongie & Kautz 2018, Multimodal Unsupervised Image-to-Image Translation, ECCV",
    example = "{ kind: conditional_inception_score, output: logits }",
);

/// The metric `accuracy`.
///
/// # Method
/// The share of outputs whose class, which a facet names, is among the `k` classes with the greatest scores, with Wilson's
/// interval. A class with the same score as the given one counts as greater.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Accuracy {
    /// Where features come from; by default the study's `extractor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extractor: Option<Box<dyn ExtractorSpec>>,
    /// The facet, of models or of items, whose levels are the classes asked for.
    pub facet: Arc<str>,
    /// The names of the classes, in the order of the model's numbers.
    pub classes: Vec<Arc<str>>,
    /// Among how many of the best the right one has to be, such as 5 for "top 5".
    pub k: Bounded<1, 100_000>,
}

impl Default for Accuracy {
    fn default() -> Self {
        Self { extractor: None, facet: "class".into(), classes: Vec::new(), k: 1.into() }
    }
}

impl Metric for Accuracy {
    fn inputs(&self) -> MetricInputs<'_> {
        MetricInputs::features(self.extractor.as_deref())
    }

    fn measures(&self) -> Vec<Measure> {
        vec![Measure::new("accuracy", "classification accuracy", "proportion", Direction::Higher)]
    }

    fn check(&self, stimuli: &Stimuli, at: &mut Diagnostics) {
        if self.classes.is_empty() {
            at.field("classes")
                .error("missing-field", "the classes are not named")
                .help("list their names in the order of the classifier's output");
        }
        let of_sets = stimuli.cells().filter_map(|cell| cell.levels.get(&self.facet).cloned());
        let of_items = stimuli.items().iter().filter_map(|item| item.levels.get(&self.facet).cloned());
        let mut levels: Vec<Arc<str>> = of_sets.chain(of_items).collect();
        levels.sort_unstable();
        levels.dedup();
        if levels.is_empty() {
            at.field("facet")
                .error("unknown-facet", format!("no output has a level of the facet `{}`", self.facet))
                .help("declare it in the section `facets`");
        }
        for level in levels.iter().filter(|level| !self.classes.contains(level)) {
            at.field("classes")
                .error("unknown-class", format!("`classes` does not list the level `{level}`"))
                .suggest(nearest(level, self.classes.iter().map(|class| &**class)));
        }
    }

    fn compute(&self, sample: &MetricSample<'_>, _: &Streams) -> Result<Vec<MetricValue>, MetricFault> {
        let rows = features(sample.rows)?;
        if rows.width() != self.classes.len() {
            return Err(MetricFault::Data(format!(
                "the classifier has {} classes, and {} are named",
                rows.width(),
                self.classes.len()
            )));
        }
        let levels = sample.levels(&self.facet)?;
        let mut right = Vec::with_capacity(levels.len());
        for (row, level) in levels.into_iter().enumerate() {
            let class = self.classes.iter().position(|known| known == level);
            let class = class
                .ok_or_else(|| MetricFault::Data(format!("`classes` does not list the level `{level}`")))?;
            let scores = sample.rows.row(row);
            let greater =
                (0..scores.len()).filter(|&other| other != class && scores[other] >= scores[class]).count();
            right.push(greater < self.k.get() as usize);
        }
        Ok(vec![share_of(&right)?])
    }
}

register_metric!(
    Accuracy,
    "accuracy",
    summary = "The share of outputs that a classifier assigns to the class asked for",
    citation = "Choi et al. 2018, StarGAN: Unified Generative Adversarial Networks for Multi-Domain Image-to-Image Translation, CVPR",
    example = "{ kind: accuracy, facet: class, classes: [lemon, daisy], k: 1 }",
);
