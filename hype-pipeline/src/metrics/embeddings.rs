//! Metrics of the embeddings of images and of the texts that they were made from.

use hype_core::diagnostics::Diagnostics;
use hype_core::model::findings::Fact;
use hype_core::model::item::ConditionKind;
use hype_core::model::score::{Direction, Measure};
use hype_core::model::stimulus::Stimuli;
use hype_core::plugin::extractor::ExtractorSpec;
use hype_core::plugin::metric::{
    Metric, MetricBeside, MetricFault, MetricInputs, MetricReads, MetricSample, MetricValue, StoredBeside,
    StoredRows, StoredSample,
};
use hype_core::protocol::chance::Streams;
use hype_core::register_metric;
use hype_metrics::clip::{clip_scores, retrieval, scores_of_pairs};
use hype_metrics::heim::aesthetic_scores;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::numbers::{beside, fault, features, in_blocks, mean, mean_of, share};

/// The name of CLIPScore in messages.
const CLIP_SCORE: &str = "CLIPScore";

/// Checks that every judged output was made from a text.
fn check_prompts(stimuli: &Stimuli, at: &mut Diagnostics) {
    let mut outputs = stimuli.models().flat_map(|model| stimuli.members(model));
    let lacking = outputs
        .find(|&&id| stimuli.item_of(id).is_none_or(|item| item.text(ConditionKind::Prompt).is_none()));
    if let Some(first) = lacking.and_then(|&id| stimuli.get(id)) {
        at.error("missing-condition", format!("{} has no prompt to be compared with", first.path))
            .help("give every item a `prompt` in the section `items`");
    }
}

/// The metric `clip_score`.
///
/// # Method
/// max(100 cos, 0) of the embeddings of each output and of its prompt, as HEIM and torchmetrics have it; the mean over outputs.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("x-removed" = { "scale": ["hundred", "divide values by 40: the paper's are 2.5 max(cos, 0)"] }))]
pub struct ClipScore {
    /// Where features come from; by default the study's `extractor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extractor: Option<Box<dyn ExtractorSpec>>,
    /// Where the embeddings of prompts come from; by default the study's `text_extractor`, or else its `extractor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texts: Option<Box<dyn ExtractorSpec>>,
}

fn clip_score_of_blocks(
    rows: &dyn StoredRows,
    texts: &dyn StoredRows,
    seed: u64,
) -> Result<Vec<MetricValue>, MetricFault> {
    let scores = in_blocks(rows, |block, images| {
        let texts = texts.read(block)?;
        scores_of_pairs(&features(images)?, &features(&texts)?).map_err(fault)
    })?;
    Ok(vec![mean_of(CLIP_SCORE, &scores, seed)?])
}

impl Metric for ClipScore {
    fn inputs(&self) -> MetricInputs<'_> {
        MetricInputs {
            reads: MetricReads::Features(self.extractor.as_deref()),
            beside: MetricBeside::Prompt(self.texts.as_deref()),
        }
    }

    fn measures(&self) -> Vec<Measure> {
        vec![Measure::new("clip_score", "CLIPScore (100 cos)", "", Direction::Higher)]
    }

    fn check(&self, stimuli: &Stimuli, at: &mut Diagnostics) {
        check_prompts(stimuli, at);
    }

    fn compute(&self, sample: &MetricSample<'_>, chance: &Streams) -> Result<Vec<MetricValue>, MetricFault> {
        let (images, texts) = (features(sample.rows)?, features(beside(sample)?)?);
        let seed = chance.seed("clip score");
        let found = clip_scores(&images, &texts, seed).map_err(fault)?;
        Ok(vec![mean(&found.summary).by_row(found.scores.into_iter().map(Some).collect())])
    }

    fn compute_stored(
        &self,
        sample: &StoredSample<'_>,
        chance: &Streams,
    ) -> Option<Result<Vec<MetricValue>, MetricFault>> {
        let Some(StoredBeside::Rows(texts)) = sample.beside else { return None };
        // Values that cannot be compared are refused with all rows at hand.
        let fits =
            sample.rows.len() == texts.len() && sample.rows.width().is_some() && texts.width().is_some();
        fits.then(|| clip_score_of_blocks(sample.rows, texts, chance.seed("clip score")))
    }

    fn of_identical(&self) -> Vec<Option<f64>> {
        vec![Some(100.0)]
    }
}

register_metric!(
    ClipScore,
    "clip_score",
    summary = "How well each output fits its prompt, by the cosine of their embeddings",
    citation =
        "Hessel et al. 2021, CLIPScore: A Reference-free Evaluation Metric for Image Captioning, EMNLP",
    example = "{ kind: clip_score }",
);

/// The metric `retrieval`.
///
/// # Method
/// Each prompt ranks all outputs by the cosine of embeddings; the share of prompts whose own output is among the first `k`. An
/// equally near other output ranks before the own one.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TextRetrieval {
    /// Where features come from; by default the study's `extractor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extractor: Option<Box<dyn ExtractorSpec>>,
    /// Where the embeddings of prompts come from; by default the study's `text_extractor`, or else its `extractor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texts: Option<Box<dyn ExtractorSpec>>,
    /// Among how many of the best the right one has to be, such as 5 for "top 5".
    pub k: hype_core::Bounded<1, 100_000>,
}

impl Default for TextRetrieval {
    fn default() -> Self {
        Self { extractor: None, texts: None, k: 1.into() }
    }
}

impl Metric for TextRetrieval {
    fn inputs(&self) -> MetricInputs<'_> {
        MetricInputs {
            reads: MetricReads::Features(self.extractor.as_deref()),
            beside: MetricBeside::Prompt(self.texts.as_deref()),
        }
    }

    fn measures(&self) -> Vec<Measure> {
        let label = format!("retrieval (first {})", self.k);
        vec![Measure::new("retrieval", &label, "proportion", Direction::Higher)]
    }

    fn check(&self, stimuli: &Stimuli, at: &mut Diagnostics) {
        check_prompts(stimuli, at);
    }

    fn compute(&self, sample: &MetricSample<'_>, _: &Streams) -> Result<Vec<MetricValue>, MetricFault> {
        let (images, texts) = (features(sample.rows)?, features(beside(sample)?)?);
        let k = self.k.get() as usize;
        let found = retrieval(&texts, &images, &[k]).map_err(fault)?;
        let Some(&(_, recall)) = found.recall.first() else {
            return Err(MetricFault::data("retrieval has no shares"));
        };
        let by_row = found.ranks.iter().map(|&rank| Some(f64::from(u8::from(rank <= k)))).collect();
        let median = Fact::new("median_rank", "median rank", found.median_rank);
        Ok(vec![share(recall).detail(median).by_row(by_row)])
    }
}

register_metric!(
    TextRetrieval,
    "retrieval",
    summary = "The share of prompts that find their own output among all outputs",
    citation = "Xu et al. 2018, AttnGAN: Fine-Grained Text to Image Generation with Attentional Generative Adversarial Networks, CVPR",
    example = "{ kind: retrieval, k: 1 }",
);

/// The metric `aesthetic`.
///
/// # Method
/// A linear head on the embeddings of CLIP's image tower, divided by their lengths: the form of LAION's aesthetic predictor,
/// version 1. Its weights are given; the mean over outputs.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Aesthetic {
    /// Where features come from; by default the study's `extractor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extractor: Option<Box<dyn ExtractorSpec>>,
    /// The weight of each column of the embeddings.
    pub weights: Vec<f64>,
    /// The summand.
    pub bias: f64,
}

impl Metric for Aesthetic {
    fn inputs(&self) -> MetricInputs<'_> {
        MetricInputs::features(self.extractor.as_deref())
    }

    fn measures(&self) -> Vec<Measure> {
        vec![Measure::new("aesthetic", "aesthetic score", "", Direction::Higher)]
    }

    fn check(&self, _: &Stimuli, at: &mut Diagnostics) {
        if self.weights.is_empty() {
            at.field("weights")
                .error("missing-field", "the aesthetic score needs its weights")
                .help("list one for each column of the embeddings");
        }
        if let Some(found) = self.weights.iter().chain([&self.bias]).find(|value| !value.is_finite()) {
            at.field("weights").error("out-of-range", format!("{found} is not a weight"));
        }
    }

    fn compute(&self, sample: &MetricSample<'_>, chance: &Streams) -> Result<Vec<MetricValue>, MetricFault> {
        let scores = aesthetic_scores(&features(sample.rows)?, &self.weights, self.bias).map_err(fault)?;
        Ok(vec![mean_of("aesthetic score", &scores, chance.seed("aesthetic"))?])
    }

    fn compute_stored(
        &self,
        sample: &StoredSample<'_>,
        chance: &Streams,
    ) -> Option<Result<Vec<MetricValue>, MetricFault>> {
        sample.rows.width()?;
        let scores = in_blocks(sample.rows, |_, rows| {
            aesthetic_scores(&features(rows)?, &self.weights, self.bias).map_err(fault)
        });
        Some(
            scores
                .and_then(|scores| Ok(vec![mean_of("aesthetic score", &scores, chance.seed("aesthetic"))?])),
        )
    }
}

register_metric!(
    Aesthetic,
    "aesthetic",
    summary = "A learned score of beauty, linear in the embeddings of CLIP",
    citation = "Schuhmann et al. 2022, LAION-5B, NeurIPS Datasets and Benchmarks",
    example = "{ kind: aesthetic, weights: [0.5, -0.25], bias: 5.0 }",
);
