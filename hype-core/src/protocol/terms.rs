//! Terms for money at a panel.

use std::sync::Arc;

use crate::model::units::{Amount, Micros};
use crate::protocol::fees::Fees;

/// Microseconds of a minute.
const MINUTE_US: u64 = 60_000_000;

/// Terms for money at a panel.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "backends make it")]
pub struct PanelTerms {
    /// The panel's name for people, such as `Prolific`.
    pub name: Arc<str>,
    /// The panel's fees for each payment.
    pub fees: Fees,
    /// The currencies in which it pays; empty if it pays in any.
    pub currencies: Vec<&'static str>,
    /// Whether it lists no work without a reward.
    pub needs_reward: bool,
    /// The hourly pay that it asks for in the study's currency, if it says so.
    pub hourly: Option<HourlyPay>,
    /// The minutes that a session takes by the settings of the listing; `None` if they leave that to the task.
    pub minutes: Option<u32>,
}

/// The minutes that people are told a session takes: as declared, or for a typical rater, and ten if neither is known.
#[must_use]
pub fn minutes_told(declared: Option<u32>, typical: Option<Micros>) -> u32 {
    let typical = || u32::try_from(typical?.0.div_ceil(MINUTE_US)).ok();
    declared.or_else(typical).unwrap_or(10).max(1)
}

/// The hourly pay that a panel asks for. Rewards alone have to reach it, as raters cannot rely on bonuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "backends make it")]
pub struct HourlyPay {
    /// The least, by the median time that raters take.
    pub least: Amount,
    /// The recommended pay.
    pub recommended: Amount,
}
