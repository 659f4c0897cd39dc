//! Finds what is due: a pure function of a piece of work and the study's payment.

use hype_core::model::ledger::{PaymentKey, PaymentPurpose};
use hype_core::protocol::fees::Fees;
use hype_core::protocol::ledger::Due;
use hype_core::{Amount, Payment, Retainer};

use super::Seen;
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

/// The bonus that was earned, and the pay for waiting.
pub(super) fn bonus(session: &SessionFacts, fees: &Fees) -> Option<Due> {
    due(session, PaymentPurpose::Bonus, session.earned.beside_base(), fees)
}

/// The most that one more place can cost: the base, a bonus for each trial, and the pay for waiting, with fees.
pub(super) fn most(payment: &Payment, trials_at_most: u32, waiting: Amount, fees: &Fees) -> Amount {
    let bonus = payment.per_correct.times(u64::from(trials_at_most)).plus(waiting);
    [payment.base, bonus].into_iter().fold(Amount(0), |sum, part| sum.plus(part).plus(fees.on(part)))
}

/// The most that `open` places can cost, among them those of people whose sessions are not over. Those who wait may go on waiting while
/// the study is held open, and all others may have to wait as well.
pub(super) fn most_of(open: u32, seen: &Seen, fees: &Fees) -> Amount {
    let (payment, trials_at_most) = (seen.payment(), seen.study.profile().trials_at_most);
    let still = seen.study.held_open().map_or(Amount(0), Retainer::most);
    let each = |waiting| most(&payment, trials_at_most, waiting, fees);
    let running = seen.work.iter().filter_map(|work| work.session.as_ref());
    let running = running.filter(|session| session.ending.is_none());
    let waited: Vec<Amount> =
        running.map(|session| session.earned.waiting.max(still)).filter(|most| *most > still).collect();
    let rest = open.saturating_sub(u32::try_from(waited.len()).unwrap_or(u32::MAX));
    waited.into_iter().fold(each(still).times(u64::from(rest)), |sum, waited| sum.plus(each(waited)))
}
