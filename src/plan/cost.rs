//! What raters are paid, and what a panel takes for its service.

use std::sync::Arc;

use hype_core::{Amount, Study};
use schemars::JsonSchema;
use serde::Serialize;

use super::sample::Sessions;

/// What a panel takes for its service.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "callers make it")]
pub struct Fees {
    /// Its name for people.
    pub label: Arc<str>,
    /// The share of what raters are paid.
    pub share: f64,
    /// The value-added tax on the fee, as a share of it.
    pub vat: f64,
}

impl Fees {
    /// Those of Prolific for academic and for corporate studies, as of September 2026.
    #[must_use]
    pub fn prolific(vat: f64) -> Vec<Self> {
        [("Prolific, academic", 0.333), ("Prolific, corporate", 0.428)]
            .map(|(label, share)| Self { label: label.into(), share, vat })
            .to_vec()
    }
}

/// The expected cost of a study.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Cost {
    /// Which fees are included, such as `without fees`.
    pub label: Arc<str>,
    /// The fee as a share of what raters are paid, with tax.
    pub fee: f64,
    /// The total.
    pub total: Amount,
    /// Its currency.
    pub currency: Arc<str>,
}

/// The expected costs of this many sessions, without fees and with each of them.
pub(super) fn costs(study: &Study, session: &Sessions, sessions: u32, fees: &[Fees]) -> Vec<Cost> {
    let spec = study.spec();
    let (Some(payment), Some(correct)) = (&spec.protocol.payment, session.correct) else {
        return Vec::new();
    };
    let replacements = spec.collection.raters.replacements;
    let pay = payment.expected(correct, session.passing, sessions, replacements).total;
    let cost = |label: Arc<str>, fee: f64| Cost {
        label,
        fee,
        total: Amount((pay.0 as f64 * (1.0 + fee)).round() as u64),
        currency: Arc::clone(&payment.currency),
    };
    let with = fees.iter().map(|fees| cost(Arc::clone(&fees.label), fees.share * (1.0 + fees.vat)));
    std::iter::once(cost("without fees".into(), 0.0)).chain(with).collect()
}
