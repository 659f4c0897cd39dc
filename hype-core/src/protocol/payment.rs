//! Payment of raters.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::units::Amount;

/// Payment of raters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Payment {
    /// The currency, by its ISO 4217 code.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    pub currency: Arc<str>,
    /// The base pay for the qualification, or for taking part if there is none.
    pub base: Amount,
    /// The bonus for each right answer after the qualification.
    pub per_correct: Amount,
    /// The pay of raters who are screened out by a survey before the task: `base` (default) or `nothing`.
    #[serde(skip_serializing_if = "ScreenedOutPay::is_base")]
    pub screened_out: ScreenedOutPay,
    /// The minimum hourly pay that the study promises; `check` warns if a typical session pays less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_hourly: Option<Amount>,
    /// The most that may be spent on raters, with the fees of the panel (default: no limit).
    ///
    /// Raters are not told of it and it may change while a study runs; a [`Spec`](crate::Spec) therefore keeps it with its
    /// collection, and the payment of its protocol has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Amount>,
}

/// The pay of raters who are screened out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScreenedOutPay {
    /// The base.
    #[default]
    Base,
    /// Nothing.
    Nothing,
}

impl ScreenedOutPay {
    /// Whether they earn the base.
    #[must_use]
    pub fn is_base(&self) -> bool {
        *self == Self::Base
    }
}

/// No pay, in USD: raters are promised only what the spec states.
impl Default for Payment {
    fn default() -> Self {
        Self {
            currency: "USD".into(),
            base: Amount::default(),
            per_correct: Amount::default(),
            screened_out: ScreenedOutPay::Base,
            minimum_hourly: None,
            limit: None,
        }
    }
}

/// The expected cost of a study, without fees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedPay {
    /// Pay for a completed session.
    pub session: Amount,
    /// The number of raters who do not pass the qualification; each earns [`Payment::base`].
    pub disqualified: u64,
    /// The total.
    pub total: Amount,
}

impl Payment {
    /// Returns the expected pay of a study with this many places, given the right answers of a typical session, the share of
    /// raters who pass the qualification, and how many replacements each place allows.
    ///
    /// # Method
    /// On average, (1 - p) / p raters fail before one passes, up to the number of replacements.
    #[must_use]
    pub fn expected(&self, correct: f64, passing: f64, places: u32, replacements: u32) -> ExpectedPay {
        let places = u64::from(places);
        let session = self.base.plus(self.per_correct.times(correct.round() as u64));
        let most = places.saturating_mul(u64::from(replacements));
        let failing = (1.0 - passing) / passing * places as f64;
        let disqualified = if failing.is_finite() { (failing.round() as u64).min(most) } else { most };
        let total = session.times(places).plus(self.base.times(disqualified));
        ExpectedPay { session, disqualified, total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raters_who_fail_the_qualification_are_paid_for_it() {
        let payment = Payment { base: Amount(1_000_000), per_correct: Amount(20_000), ..Payment::default() };
        let pay = |passing| {
            let ExpectedPay { session, disqualified, total } = payment.expected(100.4, passing, 90, 20);
            assert_eq!(session, Amount(3_000_000));
            (disqualified, total)
        };
        assert_eq!(pay(1.0), (0, Amount(270_000_000)));
        assert_eq!(pay(0.5), (90, Amount(360_000_000)));
        assert_eq!(pay(0.0), (1_800, Amount(2_070_000_000)));
    }
}
