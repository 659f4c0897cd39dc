//! The expected cost of a study. Everything that shows a cost computes it here.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::units::Amount;
use crate::protocol::fees::Fees;
use crate::protocol::payment::ExpectedPay;
use crate::protocol::raters::Raters;

/// The expected payments of a study, one by one.
///
/// # Examples
/// ```
/// use hype_core::protocol::cost::ExpectedCost;
/// use hype_core::protocol::fees::{Fees, Share};
/// use hype_core::{Amount, Payment, Raters};
///
/// // HYPE-time: 30 raters who are right at 75 % of 450 trials.
/// let payment = Payment { base: Amount(1_000_000), per_correct: Amount(20_000), ..Payment::default() };
/// let raters = Raters { payment: Some(payment), ..Raters::default() };
/// let cost = ExpectedCost::of(&raters, 337.5, 1.0, 30).unwrap();
/// assert_eq!(cost.pay().to_string(), "232.80");
/// let fifth = Fees::new("a market", Share::of(0.2).unwrap()).at_least(Amount(10_000)).in_cents();
/// assert_eq!(cost.with(&fifth).to_string(), "279.60");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpectedCost {
    /// The currency, by its ISO 4217 code.
    pub currency: Arc<str>,
    /// Pay for a completed session.
    pub session: Amount,
    /// The number of raters who do not pass the qualification, and are paid for it.
    pub disqualified: u64,
    /// The payments by purpose, none of them empty.
    pub parts: Vec<CostPart>,
}

/// A purpose for which a study pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CostPurpose {
    /// Taking part.
    Reward,
    /// Right answers.
    Bonus,
    /// Waiting until the study needs raters. It is paid together with the bonus.
    Waiting,
}

impl CostPurpose {
    /// The purpose in a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reward => "reward",
            Self::Bonus => "bonus",
            Self::Waiting => "waiting",
        }
    }
}

/// Payments for one purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CostPart {
    /// The purpose of the payments.
    pub purpose: CostPurpose,
    /// The amount of each, on average.
    pub each: Amount,
    /// Their number.
    pub payments: u64,
}

impl CostPart {
    /// All of them without fees.
    #[must_use]
    pub const fn pay(&self) -> Amount {
        self.each.times(self.payments)
    }
}

impl ExpectedCost {
    /// Returns the expected cost of this many sessions, given the right answers of a typical one and the share of raters who pass
    /// the qualification; `None` if raters are not paid.
    ///
    /// # Method
    /// Rewards and bonuses are those of [`Payment::expected`](crate::Payment::expected). Raters who have qualified in another study
    /// pass. In a study that is held open, as many raters as are let in wait once as long as allowed. Others are let in, and wait as
    /// well, if the first ones finish before the operator calls. Fees are those of separate payments, a cent too high at most for
    /// raters who get a bonus and wait, as both are paid together.
    #[must_use]
    pub fn of(raters: &Raters, correct: f64, passing: f64, sessions: u32) -> Option<Self> {
        let payment = raters.payment.as_ref()?;
        let passing = if raters.recruitment.qualified_by.is_some() { 1.0 } else { passing };
        let ExpectedPay { session, disqualified, .. } =
            payment.expected(correct, passing, sessions, raters.replacements);
        let places = u64::from(sessions);
        let bonus = Amount(session.0.saturating_sub(payment.base.0));
        let waiting = raters.recruitment.hold_open.as_ref();
        let parts = [
            (CostPurpose::Reward, payment.base, places.saturating_add(disqualified)),
            (CostPurpose::Bonus, bonus, places),
            (
                CostPurpose::Waiting,
                waiting.map_or(Amount(0), |retainer| retainer.most()),
                waiting.map_or(0, |retainer| u64::from(retainer.raters.get().min(sessions))),
            ),
        ];
        let parts = parts.map(|(purpose, each, payments)| CostPart { purpose, each, payments });
        Some(Self {
            currency: Arc::clone(&payment.currency),
            session,
            disqualified,
            parts: parts.into_iter().filter(|part| part.pay() > Amount(0)).collect(),
        })
    }

    /// Returns the pay of raters.
    #[must_use]
    pub fn pay(&self) -> Amount {
        self.parts.iter().fold(Amount(0), |sum, part| sum.plus(part.pay()))
    }

    /// Returns the panel's fees on it, with tax: the fee of each payment, as often as it is made.
    #[must_use]
    pub fn fee(&self, fees: &Fees) -> Amount {
        self.parts.iter().fold(Amount(0), |sum, part| sum.plus(fees.on(part.each).times(part.payments)))
    }

    /// Returns the pay of raters with the panel's fees.
    #[must_use]
    pub fn with(&self, fees: &Fees) -> Amount {
        self.pay().plus(self.fee(fees))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::fees::Share;
    use crate::protocol::payment::Payment;
    use crate::protocol::recruitment::{Recruitment, Retainer};

    fn paid(recruitment: Recruitment) -> Raters {
        let payment = Payment { base: Amount(1_000_000), per_correct: Amount(20_000), ..Payment::default() };
        Raters { payment: Some(payment), recruitment, ..Raters::default() }
    }

    #[test]
    fn every_payment_has_a_fee() {
        let cost = ExpectedCost::of(&paid(Recruitment::default()), 100.4, 0.5, 90).unwrap();
        assert_eq!(
            (cost.session, cost.disqualified, cost.pay()),
            (Amount(3_000_000), 90, Amount(360_000_000))
        );
        // 180 rewards of 1.00 and 90 bonuses of 2.00.
        let fees = |share: f64| Fees::new("a market", Share::of(share).unwrap()).in_cents();
        assert_eq!(cost.fee(&fees(0.2)), Amount(72_000_000));
        // 33.3 cents are 34, and 66.6 are 67.
        let third = fees(0.333);
        assert_eq!(cost.fee(&third), Amount(180 * 340_000 + 90 * 670_000));
        assert_eq!(cost.with(&third), Amount(360_000_000 + 180 * 340_000 + 90 * 670_000));
    }

    #[test]
    fn raters_from_a_qualified_pool_pass() {
        let qualified = Recruitment { qualified_by: Some("a.study".into()), ..Recruitment::default() };
        let cost = ExpectedCost::of(&paid(qualified), 100.0, 0.5, 90).unwrap();
        assert_eq!((cost.disqualified, cost.pay()), (0, Amount(270_000_000)));
    }

    #[test]
    fn waiting_costs_once_for_each_rater_who_is_held_open() {
        let waiting_of = |raters: u32| {
            let (per_hour, minutes_at_most) = (Amount(9_000_000), 20.into());
            let retainer = Retainer { raters: raters.into(), per_hour, minutes_at_most };
            Recruitment { hold_open: Some(retainer), ..Recruitment::default() }
        };
        let cost = ExpectedCost::of(&paid(waiting_of(3)), 0.0, 1.0, 10).unwrap();
        let waiting = cost.parts.last().unwrap();
        assert_eq!((waiting.purpose, waiting.pay()), (CostPurpose::Waiting, Amount(9_000_000)));
        assert_eq!(cost.pay(), Amount(19_000_000));
        assert_eq!(cost.parts.len(), 2, "no bonus");
        let few = ExpectedCost::of(&paid(waiting_of(3)), 0.0, 1.0, 2).unwrap();
        assert_eq!(few.pay(), Amount(8_000_000), "two places, and two raters who wait");
        assert_eq!(ExpectedCost::of(&Raters::default(), 0.0, 1.0, 10), None);
    }
}
