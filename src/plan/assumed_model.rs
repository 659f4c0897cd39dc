//! Assumptions about one model.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

/// Assumptions about the raters of one model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AssumedModel {
    /// The model.
    pub model: Arc<str>,
    /// The mean over raters; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The standard deviation over raters.
    pub sd: f64,
    /// The 80 % upper limit of the standard deviation, from a pilot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sd_limit: Option<f64>,
    /// Raters behind these numbers; absent if they are declared or published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raters: Option<u64>,
    /// How many independent answers of yes and no a rater's share is worth; absent if the measure is not a share or raters answer
    /// unequally often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<f64>,
}
