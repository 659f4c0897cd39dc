//! Payments in addition to rewards are bonuses.
//!
//! # How an unclear bonus is settled
//!
//! The service lists bonuses with the reason that the worker reads, which ends in a mark of the payment. A bonus with the mark was
//! made. Without it the bonus was not made, and can be sent again:
//!
//! - For 24 hours the service knows the token of the request. If the earlier request is carried out after all, it refuses the
//!   repetition, and the other way around: both together pay once.
//! - After that it has forgotten the token, but no earlier request is on its way any more: the signature of a request is valid for
//!   minutes.
//!
//! Copies of a study make the same tokens, and so the same marks. A bonus that one of them has sent is found by all others,
//! however long ago that was. Copies that go on separately give the same names to sessions of different workers: a token that has
//! paid for other work is not a payment for this one, which is made once the service has forgotten the token.

use std::slice::from_ref;

use aws_sdk_mturk::types::BonusPayment;
use hype_backends::crowd::platform::{MadePayment, PaymentOrder, Settlement};
use hype_core::Amount;

use crate::failure::{Call, Failure};
use crate::{CENT, MechanicalTurk, PAGE, hexadecimal, request_token, turn_page};

pub(crate) const SEND: Call = Call::once("pay a bonus");
const LIST: Call = Call::read("list bonuses");

/// The digits of a payment's mark.
const MARK: usize = 16;

/// Whose bonuses are listed.
enum Of<'a> {
    Hit(&'a str),
    Assignment(&'a str),
}

impl MechanicalTurk {
    pub(crate) async fn send_bonus(&self, order: &PaymentOrder) -> Result<(), Failure> {
        let price = price(order.amount).filter(|_| order.amount >= CENT);
        let price = price.ok_or_else(|| SEND.refused("the amount is not a number of whole cents"))?;
        let request = self
            .client
            .send_bonus()
            .worker_id(&*order.participant)
            .assignment_id(&*order.submission)
            .bonus_amount(price)
            .reason(reason(order))
            .unique_request_token(request_token(&order.token));
        match self.send(SEND, || request.clone().send()).await {
            Err(failure) if failure.is_repetition() => match self.settle_bonuses("", from_ref(order)).await {
                Ok(settled) if settled == [Settlement::NotMade] => Err(SEND.refused(
                    "its token has paid for other work of a copy of this study; the service forgets it after a day, and then \
                     the bonus is paid",
                )),
                // The service has carried out an earlier request.
                settled => settled.map(drop),
            },
            sent => sent.map(drop),
        }
    }

    /// Settles bonuses of a HIT; the module's documentation gives the reasons.
    pub(crate) async fn settle_bonuses(
        &self,
        hit: &str,
        orders: &[PaymentOrder],
    ) -> Result<Vec<Settlement>, Failure> {
        let listed = match orders {
            [] => Vec::new(),
            [order] => self.list(&Of::Assignment(&order.submission)).await?,
            _ => self.list(&Of::Hit(hit)).await?,
        };
        orders.iter().map(|order| self.settlement(order, &listed)).collect()
    }

    /// Settles one bonus by a list of bonuses.
    fn settlement(&self, order: &PaymentOrder, listed: &[BonusPayment]) -> Result<Settlement, Failure> {
        let mark = mark(&order.token);
        let is_it = |bonus: &&BonusPayment| {
            bonus.assignment_id.as_deref() == Some(&*order.submission)
                && bonus.reason.as_deref().is_some_and(|reason| reason.contains(&mark))
        };
        Ok(match listed.iter().find(is_it) {
            Some(bonus) if amount(bonus.bonus_amount.as_deref(), LIST)? == order.amount => Settlement::Made,
            Some(_) => Settlement::Unexplained,
            // By this clock it has not been sent yet: nothing is known about what is on its way.
            None if order.sent_unix_ms > Some(self.unix_ms()) => Settlement::Unknown,
            None => Settlement::NotMade,
        })
    }

    /// All bonuses of a HIT.
    pub(crate) async fn bonuses(&self, hit: &str) -> Result<Vec<MadePayment>, Failure> {
        let listed = self.list(&Of::Hit(hit)).await?;
        let made = listed.into_iter().map(|bonus| {
            let amount = amount(bonus.bonus_amount.as_deref(), LIST)?;
            let submission = bonus.assignment_id.unwrap_or_default().into();
            Ok(MadePayment { submission, amount })
        });
        made.collect()
    }

    async fn list(&self, of: &Of<'_>) -> Result<Vec<BonusPayment>, Failure> {
        let mut all = Vec::new();
        let mut token = None;
        loop {
            let request = self.client.list_bonus_payments().max_results(PAGE).set_next_token(token.clone());
            let request = match of {
                Of::Hit(id) => request.hit_id(*id),
                Of::Assignment(id) => request.assignment_id(*id),
            };
            let page = self.send(LIST, || request.clone().send()).await?;
            all.extend(page.bonus_payments.unwrap_or_default());
            if !turn_page(&mut token, page.next_token) {
                return Ok(all);
            }
        }
    }
}

/// Returns the reason that the worker reads, with the mark at its end.
fn reason(order: &PaymentOrder) -> String {
    format!("{} ({})", order.reason, mark(&order.token))
}

/// The mark by which a payment is found in the service's lists.
fn mark(token: &str) -> String {
    let mut digits = hexadecimal(token);
    digits.truncate(MARK);
    format!("reference {digits}")
}

/// An amount as the protocol writes it; `None` if it is not a number of whole cents.
pub(crate) fn price(amount: Amount) -> Option<String> {
    amount.0.is_multiple_of(CENT.0).then(|| amount.to_string())
}

/// An amount as the protocol writes it, such as `5`, `1.` or `101.42`.
fn amount(price: Option<&str>, call: Call) -> Result<Amount, Failure> {
    let read = || {
        let (whole, cents) = price?.split_once('.').unwrap_or((price?, ""));
        let cents = format!("{cents:0<2}");
        let is_number = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
        if cents.len() != 2 || !is_number(whole) || !is_number(&cents) {
            return None;
        }
        whole.parse::<u64>().ok()?.checked_mul(100)?.checked_add(cents.parse().ok()?)?.checked_mul(CENT.0)
    };
    read().map(Amount).ok_or_else(|| call.not_understood("the service named an amount that cannot be read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_and_read_in_cents() {
        assert_eq!(price(Amount(1_500_000)).as_deref(), Some("1.50"));
        assert_eq!(price(Amount(0)).as_deref(), Some("0.00"));
        assert_eq!(price(Amount(1_505_000)), None);
        for (text, expected) in
            [("5", 5_000_000), ("1.", 1_000_000), ("101.42", 101_420_000), ("0.5", 500_000)]
        {
            assert_eq!(amount(Some(text), LIST).unwrap(), Amount(expected), "{text}");
        }
        for none in [
            None,
            Some(""),
            Some("-1"),
            Some("1.234"),
            Some("1,5"),
            Some("+1.00"),
            Some("99999999999999999999"),
        ] {
            assert!(amount(none, LIST).is_err(), "{none:?}");
        }
    }

    #[test]
    fn marks_follow_from_tokens() {
        assert_eq!(mark("a"), mark("a"));
        assert_ne!(mark("a"), mark("b"));
        assert_eq!(mark("a").len(), "reference ".len() + MARK);
        assert_eq!(request_token("short"), "short");
        assert_eq!(request_token(&"x".repeat(65)).len(), 64);
        assert_eq!(request_token("").len(), 64);
    }
}
