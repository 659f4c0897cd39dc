//! The expected cost of a study with each number of raters.

use std::sync::Arc;

use hype_core::protocol::cost::ExpectedCost;
use hype_core::protocol::fees::Fees;
use hype_core::{Amount, Study};
use schemars::JsonSchema;
use serde::Serialize;

use super::sample::Sessions;

/// The expected cost of a study.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlannedCost {
    /// Which fees are included, such as `without fees`.
    pub label: Arc<str>,
    /// The fee as a share of what raters are paid, with tax and without rounding.
    pub fee: f64,
    /// The total.
    pub total: Amount,
    /// Its currency.
    pub currency: Arc<str>,
}

/// The expected costs of this many sessions, without fees and with each of them.
pub(super) fn costs(study: &Study, session: &Sessions, sessions: u32, fees: &[Fees]) -> Vec<PlannedCost> {
    let expected = session
        .correct
        .and_then(|correct| ExpectedCost::of(study.raters(), correct, session.passing, sessions));
    let Some(expected) = expected else { return Vec::new() };
    let cost = |label: &str, fee: f64, total: Amount| PlannedCost {
        label: label.into(),
        fee,
        total,
        currency: Arc::clone(&expected.currency),
    };
    let with = fees.iter().map(|fees| cost(fees.label(), fees.share(), expected.with(fees)));
    std::iter::once(cost("without fees", 0.0, expected.pay())).chain(with).collect()
}
