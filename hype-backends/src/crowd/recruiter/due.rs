//! What is due: a pure function of a piece of work and the study's payment.

use hype_core::model::ledger::{PaymentKey, PaymentPurpose};
use hype_core::protocol::fees::Fees;
use hype_core::protocol::ledger::Due;
use hype_core::{Amount, Payment};

use super::work::SessionFacts;

/// The payment of a session for a purpose; `None` if nothing was earned.
fn due(session: &SessionFacts, purpose: PaymentPurpose, amount: Amount, fees: &Fees) -> Option<Due> {
    (amount > Amount(0)).then(|| Due {
        payment: PaymentKey { session: session.session.clone(), purpose },
        rater: session.rater.clone(),
        amount,
        fee: fees.on(amount),
    })
}

/// The reward of approved work, which the panel pays in full whatever was earned.
pub(super) fn reward(session: &SessionFacts, payment: &Payment, fees: &Fees) -> Option<Due> {
    due(session, PaymentPurpose::Reward, payment.base, fees)
}

/// The base that was earned, for panels without an interface.
pub(super) fn base(session: &SessionFacts, fees: &Fees) -> Option<Due> {
    due(session, PaymentPurpose::Reward, session.earned.base, fees)
}

/// The bonus that was earned.
pub(super) fn bonus(session: &SessionFacts, fees: &Fees) -> Option<Due> {
    due(session, PaymentPurpose::Bonus, session.earned.bonus, fees)
}

/// The most that one more place can cost: the base and a bonus for each trial, with fees.
pub(super) fn most(payment: &Payment, trials_at_most: u32, fees: &Fees) -> Amount {
    let bonus = payment.per_correct.times(u64::from(trials_at_most));
    [payment.base, bonus].into_iter().fold(Amount(0), |sum, part| sum.plus(part).plus(fees.on(part)))
}
