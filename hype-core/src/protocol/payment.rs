//! What raters earn.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::units::Amount;

/// What raters earn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Payment {
    /// The currency, by its ISO 4217 code.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    pub currency: Arc<str>,
    /// For the qualification, or for taking part where there is none.
    pub base: Amount,
    /// For each right answer after the qualification.
    pub per_correct: Amount,
    /// The hourly pay that the study promises at least; `check` warns if it would pay less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_hourly: Option<Amount>,
}

/// Nothing, in USD: raters are promised only what a spec says.
impl Default for Payment {
    fn default() -> Self {
        Self {
            currency: "USD".into(),
            base: Amount::default(),
            per_correct: Amount::default(),
            minimum_hourly: None,
        }
    }
}
