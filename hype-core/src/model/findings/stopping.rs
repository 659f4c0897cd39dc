//! Findings of a stopping rule at its looks.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::findings::Interval;

/// The stopping rule of a study: its looks, and what it decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoppingFindings {
    /// The rule with all its settings, as declared.
    pub rule: Value,
    /// The measure that it decides by.
    pub measure: Arc<str>,
    /// How it decides, in words.
    pub method: Arc<str>,
    /// The name of the statistic that is compared with the boundary, such as `z`.
    pub statistic: Arc<str>,
    /// Whether looks count the raters of each model, as each rater judges one; otherwise all raters.
    pub per_model: bool,
    /// The number of raters that the plan has without the rule, counted as those of looks.
    pub planned: u32,
    /// The looks, in order: those that were taken, and those to come.
    pub looks: Vec<StoppingLook>,
    /// The look at which the rule ended the collection; absent if it has not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_at: Option<u32>,
    /// Raters at places beyond the last look that was taken, who are not part of it.
    pub beyond: u32,
}

/// A look at the raters of the first places.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoppingLook {
    /// The number of places, of each model if each rater judges one.
    pub raters: u32,
    /// Whether the look was taken: all these places are settled, and no earlier look ended the collection.
    pub taken: bool,
    /// Whether the rule ends the collection here.
    pub stops: bool,
    /// The boundary for the statistic of the first comparison; absent if no statistic can reach it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boundary: Option<f64>,
    /// The error spent up to and with this look; absent for rules whose intervals hold at all looks together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<f64>,
    /// The results of the tests; empty if the look was not taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<StoppingTest>,
}

/// The result of a look for a pair of models, one model, or all of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoppingTest {
    /// The models: two that are compared, or one; empty for all.
    pub models: Vec<Arc<str>>,
    /// The difference of the first model from the second, or the mean of one model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<f64>,
    /// The interval of the estimate, which holds although the rule may stop here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The estimate where the rule has stopped: half of such estimates are above the truth, where `estimate` is mostly too far from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_unbiased: Option<f64>,
    /// The interval of that estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_unbiased_interval: Option<Interval>,
    /// The statistic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<f64>,
    /// The boundary that it has to reach; absent if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boundary: Option<f64>,
    /// The p value before any correction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Whether it is decided, at this look or an earlier one.
    pub decided: bool,
    /// Why there is no statistic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Arc<str>>,
}

impl StoppingLook {
    /// A look that was not taken.
    #[must_use]
    pub const fn ahead(raters: u32, boundary: Option<f64>, spent: Option<f64>) -> Self {
        Self { raters, taken: false, stops: false, boundary, spent, tests: Vec::new() }
    }

    /// The same look, taken.
    #[must_use]
    pub fn found(self, tests: Vec<StoppingTest>, stops: bool) -> Self {
        Self { taken: true, stops, tests, ..self }
    }
}

impl StoppingFindings {
    /// The looks that were taken.
    pub fn taken(&self) -> impl Iterator<Item = &StoppingLook> {
        self.looks.iter().filter(|look| look.taken)
    }
}
