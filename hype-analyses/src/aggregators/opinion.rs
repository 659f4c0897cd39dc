//! The aggregator `opinion`: opinion scores of stimuli, and the bias and consistency of their raters.
//!
//! A stimulus is a model's output for an item. Its mean opinion score (MOS) is the mean of all its scores, and a
//! model's estimate is the mean over its stimuli, so that each stimulus has the same weight. Models that share no
//! rater, not even through other models, are analysed separately: raters are compared with those who saw the same
//! models.
//!
//! # Screening
//!
//! Raters are always screened by ITU-R BT.500, and the table `raters` shows the outcome, but no rater is excluded
//! unless `screening` requires it: exclusions have to be declared. Each estimate then also shows its value with every
//! rater. As in P.913, scores are adjusted first and raters screened by the adjusted scores; whether a rater is
//! rejected depends on the others, and screening is applied once.
//!
//! # Intervals
//!
//! The standard error is that of the jackknife over raters (Tukey 1958), and the interval is by Student's t with R - 1 degrees
//! of freedom; where every rater scored every stimulus, that is the t interval of the raters' means. Screening, and each
//! rater's bias and weight, stay fixed at their values for the data; the origin of the biases moves with the raters. A stimulus
//! that only the omitted rater scored is omitted too. With `bootstrap`, raters are resampled instead, those of models that share
//! raters together, and the interval is the percentile one. Intervals generalise to other raters and the same stimuli.
//!
//! The standard deviation and standard error reported with an interval are those of the raters' mean scores for a model, as
//! they were given (or as z scores).

use hype_core::plugin::aggregator::Aggregation;
use hype_core::{Aggregator, Diagnostics, Measure, NumberBounds, register_aggregator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::measures::check_rated;
use super::rated::check_measure;
use super::resampling::{Bootstrap, LEVEL};
use crate::score_rows::{ScoreRows, aggregates_score_rows};

mod estimates;
mod findings;
mod part;
mod tables;

/// The aggregator `opinion`. The default is the plain mean opinion score of ITU-T P.800 without exclusions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OpinionScores {
    /// The measure, by its name in findings; by default the study's score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
    /// Whether raters who are rejected by BT.500 are excluded.
    pub screening: ScreeningRule,
    /// How scores are adjusted before they are averaged.
    pub adjust: AdjustmentRule,
    /// Whether estimates are mean opinion scores or qualities by a model of raters.
    pub model: SubjectModel,
    /// The ends of the scale, for the SOS hypothesis.
    pub scale: [f64; 2],
    /// The confidence level: by default 0.95.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: Option<f64>,
    /// Computes intervals from percentiles of a bootstrap, which are too narrow with few units; without it they are by standard
    /// errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<Bootstrap>,
}

impl Default for OpinionScores {
    fn default() -> Self {
        Self {
            measure: None,
            screening: ScreeningRule::None,
            adjust: AdjustmentRule::None,
            model: SubjectModel::Mos,
            scale: [1.0, 5.0],
            level: None,
            bootstrap: None,
        }
    }
}

/// Whether raters are excluded by ITU-R BT.500.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScreeningRule {
    /// No rater; the table of raters shows those that `bt500` would exclude.
    #[default]
    None,
    /// Raters that the recommendation rejects.
    Bt500,
}

/// How scores are adjusted before they are averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AdjustmentRule {
    /// Nothing.
    #[default]
    None,
    /// Each rater's bias is subtracted (ITU-T P.913, 12.4).
    BiasRemoved,
    /// Each rater's scores become z scores; estimates are in standard deviations.
    ZScores,
}

/// The meaning of estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectModel {
    /// Means of mean opinion scores.
    #[default]
    Mos,
    /// Means of the qualities that ITU-T P.910, annex E, estimates together with each rater's bias and inconsistency.
    P910,
}

impl OpinionScores {
    /// The confidence level of intervals.
    fn level(&self) -> f64 {
        self.level.unwrap_or(LEVEL)
    }

    /// The ends of the scale of a mean opinion score; none of z scores and of qualities by a model, which can lie beyond.
    fn bounds(&self, score: f64) -> Option<[f64; 2]> {
        let [least, most] = self.scale;
        let is_score = self.model == SubjectModel::Mos && self.adjust != AdjustmentRule::ZScores;
        (is_score && (least..=most).contains(&score)).then_some(self.scale)
    }
}

impl Aggregator for OpinionScores {
    aggregates_score_rows!();

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        check_measure(self.measure.as_deref(), measures, at);
        check_rated("opinion", self.measure.as_deref(), measures, at);
        let [low, high] = self.scale;
        if !(low.is_finite() && high.is_finite() && low < high) {
            at.field("scale")
                .error("out-of-range", format!("a scale from {low} to {high} has no width"))
                .help("write the lowest and the highest score that raters can give, such as [1, 5]");
        }
        if self.model == SubjectModel::P910 {
            if self.adjust != AdjustmentRule::None {
                at.field("adjust")
                    .error("contradiction", "P.910 estimates biases itself, from the original scores")
                    .help("leave `adjust` out, or use `model: mos`");
            }
            if self.screening != ScreeningRule::None {
                at.field("screening")
                    .warning(
                        "screened-twice",
                        "P.910 weighs raters by their consistency instead of screening them",
                    )
                    .help("leave `screening` out to count everyone");
            }
        }
    }

    fn begin(&self, context: &Aggregation) -> ScoreRows {
        let first = context.measures.first().map(|measure| measure.name.to_string());
        let wanted: Vec<String> = self.measure.clone().or(first).into_iter().collect();
        ScoreRows::new(Some(&wanted), context)
    }
}

register_aggregator!(
    OpinionScores,
    "opinion",
    summary = "Opinion scores: MOS and SOS of stimuli, BT.500 screening, P.910 rater bias and inconsistency",
    citation = "ITU-T P.800, P.910 annex E, P.913 12.4; ITU-R BT.500; Li et al. 2020; Hossfeld et al. 2011; Tukey 1958",
    example = "{ kind: opinion, screening: bt500, adjust: none, model: mos }",
);
