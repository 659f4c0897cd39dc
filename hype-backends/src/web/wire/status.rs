//! The body of `GET operator/status`.

use std::sync::Arc;

use hype_core::{Amount, Findings, Micros};
use schemars::JsonSchema;
use serde::Serialize;

/// Progress, cost and findings of a study.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Status {
    /// The study's name.
    pub name: Arc<str>,
    /// Places in the plan.
    pub places: u32,
    /// Places completed.
    pub done: u32,
    /// Places held by a rater now.
    pub held: u32,
    /// Places given up because no replacement completed them.
    pub given_up: u32,
    /// Places that nobody holds.
    pub free: u32,
    /// `None` in a study without payment.
    pub cost: Option<Cost>,
    /// The findings so far; `None` while there are too few answers to compute any.
    pub findings: Option<Arc<Findings>>,
    /// The age of the findings.
    pub findings_age_us: Micros,
}

/// What a study costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cost {
    /// ISO 4217.
    pub currency: Arc<str>,
    /// Earned so far.
    pub so_far: Amount,
    /// The expected cost of the open places, for typical raters.
    pub to_come: Amount,
}
