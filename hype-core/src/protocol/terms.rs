//! What holds for money at a panel.

use std::sync::Arc;

use crate::model::units::Amount;
use crate::protocol::fees::Fees;

/// What holds for money at a panel.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "backends make it")]
pub struct PanelTerms {
    /// The panel's name for people, such as `Prolific`.
    pub name: Arc<str>,
    /// What it takes of each payment.
    pub fees: Fees,
    /// The only currency in which it pays; `None` if that depends on the account.
    pub currency: Option<&'static str>,
    /// Whether it lists no work without a reward.
    pub needs_reward: bool,
    /// The hourly pay that it asks for in the study's currency, if it says so.
    pub hourly: Option<HourlyPay>,
}

/// The hourly pay that a panel asks for. Rewards alone have to reach it, as nobody can rely on bonuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "backends make it")]
pub struct HourlyPay {
    /// The least, by the median time that raters take.
    pub least: Amount,
    /// What it recommends.
    pub recommended: Amount,
}
