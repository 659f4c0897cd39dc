//! Findings over the levels of facets.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Comparison, Estimate, Interval, Test};
use crate::model::facet::FacetScale;

/// The models at one level of a facet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FacetLevelFindings {
    /// The facet.
    pub facet: Arc<str>,
    /// The level.
    pub level: Arc<str>,
    /// Raters whose values count.
    pub raters: u64,
    /// One estimate for each model, the best first if the measure has a direction. A model with levels of other facets is
    /// named with these.
    pub estimates: Vec<Estimate>,
    /// Tests over all models.
    pub tests: Vec<Test>,
    /// Comparisons of pairs of models.
    pub comparisons: Vec<Comparison>,
    /// The comparisons among which p values are adjusted; absent if none are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<Arc<str>>,
}

/// The joint analysis of a facet's levels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FacetInteraction {
    /// The facet.
    pub facet: Arc<str>,
    /// Its levels, in their order.
    pub levels: Vec<Arc<str>>,
    /// Whether differences between models are the same at all levels; absent for fewer than two models, and for a measure other
    /// than another one that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Test>,
    /// The mean of each model over its levels, each level with the same weight; empty for strengths.
    pub macro_means: Vec<Estimate>,
    /// The same with the levels weighted by their shares of a population; absent if none are declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weighted: Option<WeightedMeans>,
    /// The pairs at all levels, if their p values are adjusted together; absent if those of each level are adjusted by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<Arc<str>>,
}

/// The scores of models over levels that are weighted by their shares of a population (post-stratification).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WeightedMeans {
    /// The share of each level, in their order; they sum to 1.
    pub shares: Vec<f64>,
    /// The weighted mean of each model, the best first if the measure has a direction.
    pub estimates: Vec<Estimate>,
    /// For each model how many times larger the weights make the variance than that over as many raters (for a facet of items, as
    /// many items) drawn in these shares: Kish's design effect.
    pub design_effects: BTreeMap<Arc<str>, f64>,
    /// Comparisons of the weighted means of pairs of models.
    pub comparisons: Vec<Comparison>,
    /// The comparisons among which p values are adjusted; absent for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<Arc<str>>,
}

/// How the mean of a model changes along a facet whose levels are numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FacetTrend {
    /// The model, with its levels of other facets.
    pub model: Arc<str>,
    /// The facet.
    pub facet: Arc<str>,
    /// The scale of its numbers.
    pub scale: FacetScale,
    /// Change of the mean for one unit of the scale; for `log`, for e times as much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slope: Option<f64>,
    /// Its standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub se: Option<f64>,
    /// Its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Slope over standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t: Option<f64>,
    /// Degrees of freedom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub df: Option<f64>,
    /// The p value of the hypothesis that the slope is 0, two-sided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The p value corrected by Holm's method over the trends of all models; absent for one model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_adjusted: Option<f64>,
    /// Whether the means depart from a line; absent for two levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub departure: Option<Test>,
    /// Why the trend is not defined for these data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Arc<str>>,
}
