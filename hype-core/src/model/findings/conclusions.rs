//! Conclusions from estimates: whether a value differs from a reference or is near enough to it, whether a model is no worse than
//! real stimuli, and how sure the order of models is.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Interval;
use crate::model::score::ReferenceValue;

/// How the estimates of a measure compare with the measure's reference value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgainstReference {
    /// The reference value.
    pub reference: ReferenceValue,
    /// The confidence level: tests of difference are two-sided at one minus this, tests of equivalence one-sided.
    pub level: f64,
    /// The margin that was declared before the results were known; absent if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// The models among which p values, intervals and margins are adjusted by Bonferroni's correction; absent if there is
    /// nothing to adjust for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<Arc<str>>,
    /// One for each model, in the order of the estimates.
    pub models: Vec<ReferenceComparison>,
}

/// How a model's estimate compares with the reference value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceComparison {
    /// The model.
    pub model: Arc<str>,
    /// The estimate minus the reference value.
    pub difference: f64,
    /// The interval of the estimate, simultaneous over the family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The adjusted p value of the hypothesis that the true value is the reference value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The test of equivalence within the declared margin (two one-sided tests).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_margin: Option<MarginTest>,
    /// The margin above which equivalence would be shown. One that is chosen after looking at it has no error rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest_margin: Option<f64>,
    /// Why nothing can be said for these data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Arc<str>>,
}

/// A test whose alternative is that a value lies within a declared margin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MarginTest {
    /// The adjusted p value of the hypothesis that the value is beyond the margin.
    pub p: f64,
    /// Whether the value is shown to lie within the margin.
    pub shown: bool,
}

/// How models compare with real stimuli about which the same was asked: whether they are worse by less than a margin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgainstReal {
    /// The confidence level: tests are one-sided at one minus this.
    pub level: f64,
    /// The method of the differences.
    pub method: Arc<str>,
    /// The margin that was declared before the results were known; absent if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// The comparisons among which p values, bounds and margins are adjusted by Bonferroni's correction; absent if there is
    /// nothing to adjust for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<Arc<str>>,
    /// One for each model and set of real stimuli, in the order of the estimates.
    pub models: Vec<RealComparison>,
}

/// How a model compares with real stimuli.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RealComparison {
    /// The model.
    pub model: Arc<str>,
    /// The set of real stimuli.
    pub real: Arc<str>,
    /// The estimate of the model minus that of the real stimuli.
    pub difference: f64,
    /// The standard error of the difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub se: Option<f64>,
    /// Degrees of freedom: of raters, of items, or of raters and then of items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub df: Vec<f64>,
    /// The one-sided confidence bound of the difference on the side where the model is worse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// The test of non-inferiority within the declared margin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_margin: Option<MarginTest>,
    /// The margin above which non-inferiority would be shown; at most 0 where the model is shown to be better. A margin that is
    /// chosen after looking at it has no error rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest_margin: Option<f64>,
    /// Why nothing can be said for these data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Arc<str>>,
}

/// How sure the order of models is: for each a set of ranks that its true rank lies in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankFindings {
    /// The confidence level.
    pub level: f64,
    /// The method.
    pub method: Arc<str>,
    /// One for each model, in the order of the estimates.
    pub models: Vec<ModelRanks>,
}

/// The ranks that a model may have; 1 is the best, and equal models share the best of their ranks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRanks {
    /// The model.
    pub model: Arc<str>,
    /// The ranks from a set that covers the ranks of all models together.
    pub simultaneous: RankRange,
    /// The ranks from a set that covers the rank of this model by itself.
    pub marginal: RankRange,
}

/// A range of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RankRange {
    /// The best rank.
    pub best: u64,
    /// The worst rank.
    pub worst: u64,
}

/// How often each model led and each order came up among resamples.
///
/// The shares say how the order depends on the sample. They are not probabilities that an order is true: of two equal models
/// one leads in nine of ten resamples in a fifth of all studies, and more often with few raters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResampledOrders {
    /// The units that were resampled, such as `raters`.
    pub units: Arc<str>,
    /// Resamples that count.
    pub resamples: u64,
    /// Resamples that do not, because a model has no value in them.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub undefined: u64,
    /// For each model the share of resamples in which it led, in the order of the estimates; models that were equal share the
    /// lead.
    pub lead: Vec<ResampledLead>,
    /// The most frequent orders.
    pub orders: Vec<ResampledOrder>,
}

/// The share of resamples in which a model led.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResampledLead {
    /// The model.
    pub model: Arc<str>,
    /// The share.
    pub share: f64,
}

/// The share of resamples in which the models stood in one order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResampledOrder {
    /// The models from the best to the worst; those in one group were equal.
    pub order: Vec<Vec<Arc<str>>>,
    /// The share.
    pub share: f64,
}
