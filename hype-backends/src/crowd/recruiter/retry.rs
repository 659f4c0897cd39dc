//! When payments that failed are sent again.

use hype_core::model::ledger::PaymentKey;
use hype_core::protocol::ledger::{LedgerPayment, PaymentState};
use hype_core::words::counted;

use super::Recruiter;

/// When payments that failed are sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    /// At once, as an operator asks.
    Now,
    /// After a pause that grows with each sending: a request that the platform keeps refusing must not fill the ledger.
    Patiently,
}

/// How many times a payment that fails is sent without a pause.
const SENDINGS_AT_ONCE: u32 = 3;

/// The first pause, in milliseconds. Each further one is twice as long.
const FIRST_PAUSE_MS: u64 = 60_000;

/// The longest pause, in milliseconds.
const LONGEST_PAUSE_MS: u64 = 6 * 3_600_000;

impl Retry {
    /// When a payment may be sent again, in milliseconds since the Unix epoch.
    pub(super) fn from(self, payment: &LedgerPayment) -> u64 {
        let pauses = payment.sendings.checked_sub(SENDINGS_AT_ONCE);
        match pauses {
            Some(doublings) if self == Self::Patiently => {
                let pause = 1_u64
                    .checked_shl(doublings)
                    .map_or(u64::MAX, |times| FIRST_PAUSE_MS.saturating_mul(times));
                payment.unix_ms.saturating_add(pause.min(LONGEST_PAUSE_MS))
            }
            _ => 0,
        }
    }
}

impl Recruiter {
    /// That a payment which failed is not sent yet, for the operator; `None` if it may be sent.
    pub(super) fn postponed(&self, key: &PaymentKey, retry: Retry, unix_ms: u64) -> Option<String> {
        let ledger = self.ledger.current();
        let payment = ledger.payments().get(key).filter(|payment| retry.from(payment) > unix_ms)?;
        let PaymentState::Failed { reason } = &payment.state else { return None };
        Some(format!(
            "{key} was sent {} and not made: {reason}; it is sent again later, or at once by `hype crowd pay`",
            counted(payment.sendings, "time")
        ))
    }
}

#[cfg(test)]
mod tests {
    use hype_core::Amount;

    use super::*;

    #[test]
    fn pauses_double_up_to_six_hours() {
        let after = |sendings, retry: Retry| {
            let state = PaymentState::Failed { reason: "no money".into() };
            let (amount, fee) = (Amount(1), Amount(0));
            let (rater, denied_by, unix_ms) = ("r".into(), None, 1_000);
            retry.from(&LedgerPayment { rater, amount, fee, state, sendings, denied_by, unix_ms })
        };
        let patiently = [0, 2, 3, 4, 5, 11, 12, 100].map(|sendings| after(sendings, Retry::Patiently));
        let minutes = [1, 2, 4, 256, 360, 360].map(|minutes| 1_000 + minutes * 60_000);
        assert_eq!(patiently[..2], [0, 0]);
        assert_eq!(patiently[2..], minutes);
        assert_eq!([0, 3, 100].map(|sendings| after(sendings, Retry::Now)), [0; 3]);
    }
}
