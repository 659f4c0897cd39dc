//! Bonuses: set up, paid once, and found again.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hype_core::Amount;
use hype_core::protocol::fees::Fees;
use hyper::http::Method;
use serde_json::json;

use super::Prolific;
use super::api::{Effect, not_understood, part, refused};
use super::platform::LIMITS;
use super::wire::{BulkBonus, CENT, StudyCost, SubmissionBody, cents, of_cents};
use crate::crowd::platform::{MadePayment, PaymentOrder, PlatformError, Settlement};

/// The largest difference due to the rounding of an amount, in cents.
const ROUNDING: f64 = 0.51;

impl Prolific {
    /// Sets up payments, and pays them by a second request. Only the second one moves money, so a failure of the first is never
    /// unclear.
    pub(super) async fn pay_bonuses(
        &self,
        study: &str,
        orders: &[PaymentOrder],
    ) -> Result<(), PlatformError> {
        const SET_UP: &str = "set up bonuses";
        const PAY: &str = "pay bonuses";
        if orders.len() > LIMITS.payments_at_once {
            let reason =
                format!("{} bonuses at once are more than {}", orders.len(), LIMITS.payments_at_once);
            return Err(refused(SET_UP, reason));
        }
        let bonuses = json!({ "study_id": part(SET_UP, study)?, "csv_bonuses": lines(SET_UP, orders)? });
        let _alone = self.paying.lock().await;
        let bulk: BulkBonus = self
            .api
            .write(SET_UP, Effect::None, (Method::POST, "submissions/bonus-payments/"), &bonuses)
            .await?;
        compare(SET_UP, &bulk, orders, &self.settings.customer_fees())?;
        let path = format!("bulk-bonus-payments/{}/pay/", part(PAY, &bulk.id)?);
        self.api.change(PAY, (Method::POST, &path), &json!({})).await
    }

    /// Looks for bonuses of the submissions. That one is missing proves nothing, since Prolific pays later than it is asked to. One
    /// of the order's amount is the one that was sent; before anything was sent, it is that of another copy of the study, or was paid
    /// by hand. What no submission lists was made all the same if the study has cost exactly so much more.
    pub(super) async fn settle_bonuses(
        &self,
        study: &str,
        orders: &[PaymentOrder],
    ) -> Result<Vec<Settlement>, PlatformError> {
        const ACTION: &str = "list bonuses";
        let listed = match orders {
            [] => Vec::new(),
            [order] => {
                self.bonuses_of(ACTION, self.submission_body(ACTION, &order.submission).await?).await?
            }
            _ => {
                let of: BTreeSet<&str> = orders.iter().map(|order| &*order.submission).collect();
                self.bonuses(ACTION, study, |submission| of.contains(submission)).await?
            }
        };
        let mut said: Vec<Settlement> = orders.iter().map(|order| settlement(order, &listed)).collect();
        let is_missing = |(order, said): (&PaymentOrder, &Settlement)| {
            *said == Settlement::Unknown && order.sent_unix_ms.is_some()
        };
        let missing = orders.iter().zip(&said).filter(|&(order, said)| is_missing((order, said)));
        let missing = missing.fold(Amount(0), |sum, (order, _)| sum.plus(order.amount));
        // A platform that does not name the cost leaves it unknown.
        if missing > Amount(0) && self.costs_more_than_listed(study, missing).await == Ok(true) {
            for (order, said) in orders.iter().zip(&mut said) {
                if is_missing((order, said)) {
                    *said = Settlement::Made;
                }
            }
        }
        Ok(said)
    }

    /// Whether a study has cost exactly so much more in bonuses than its submissions list.
    async fn costs_more_than_listed(&self, study: &str, missing: Amount) -> Result<bool, PlatformError> {
        const ACTION: &str = "read the cost of a study";
        let cost: StudyCost =
            self.api.read(ACTION, &format!("studies/{}/cost/", part(ACTION, study)?)).await?;
        let cost = cost.bonuses.and_then(|bonuses| of_cents(bonuses.rewards?.amount));
        let Some(cost) = cost else { return Ok(false) };
        // A bonus that is listed since was in the cost as well.
        let listed = self.all_bonuses(study).await?;
        let listed = listed.iter().fold(Amount(0), |sum, made| sum.plus(made.amount));
        Ok(cost == listed.plus(missing))
    }

    pub(super) async fn all_bonuses(&self, study: &str) -> Result<Vec<MadePayment>, PlatformError> {
        self.bonuses("list bonuses", study, |_| true).await
    }

    /// The bonuses of those submissions of a study that are asked for.
    async fn bonuses(
        &self,
        action: &'static str,
        study: &str,
        is_asked_for: impl Fn(&str) -> bool,
    ) -> Result<Vec<MadePayment>, PlatformError> {
        let mut payments = Vec::new();
        for body in self.submission_bodies(action, study).await? {
            if is_asked_for(&body.id) {
                payments.extend(self.bonuses_of(action, body).await?);
            }
        }
        Ok(payments)
    }

    /// The bonuses of a submission, which is read by itself if a list has left them out.
    async fn bonuses_of(
        &self,
        action: &'static str,
        body: SubmissionBody,
    ) -> Result<Vec<MadePayment>, PlatformError> {
        let submission = body.id;
        let bonuses = match body.bonus_payments {
            Some(bonuses) => bonuses,
            None => self.submission_body(action, &submission).await?.bonus_payments.unwrap_or_default(),
        };
        let made = amounts(action, &bonuses)?.into_iter();
        Ok(made.map(|amount| MadePayment { submission: submission.clone(), amount }).collect())
    }
}

/// Settles an order by the bonuses listed for its submission.
fn settlement(order: &PaymentOrder, listed: &[MadePayment]) -> Settlement {
    let mut paid = listed.iter().filter(|made| made.submission == order.submission).peekable();
    if paid.peek().is_none() {
        return Settlement::Unknown;
    }
    let is_there = paid.any(|made| made.amount == order.amount);
    if order.sent_unix_ms.is_some() && is_there { Settlement::Made } else { Settlement::Unexplained }
}

/// Compares what a set-up will cost with what was planned. Prolific may round the fee of each bonus or that of all of them together.
fn compare(
    action: &'static str,
    bulk: &BulkBonus,
    orders: &[PaymentOrder],
    fees: &Fees,
) -> Result<(), PlatformError> {
    let in_cents = |amount: Amount| amount.0 as f64 / CENT.0 as f64;
    let planned: f64 = orders.iter().map(|order| in_cents(order.amount)).sum();
    let fee: f64 = orders.iter().map(|order| in_cents(fees.on(order.amount))).sum();
    let amount = bulk.amount.unwrap_or(planned);
    let taken = bulk.total_amount - planned;
    let named = bulk.fees.zip(bulk.vat).map_or(taken, |(fees, vat)| fees + vat);
    let shown = |cents: f64| format!("{:.2}", cents / 100.0);
    if (amount - planned).abs() > ROUNDING || (named - taken).abs() > ROUNDING {
        let reason = format!(
            "bonuses of {} were set up as {} and {} with fees: nothing is paid",
            shown(planned),
            shown(amount),
            shown(bulk.total_amount)
        );
        return Err(refused(action, reason));
    }
    if taken > fee + ROUNDING || taken < fee - orders.len() as f64 - ROUNDING {
        let reason = format!(
            "its fees and value-added tax on bonuses of {} are {} and not {} as planned: nothing is paid; set `platform.customer` \
             and `platform.vat` to what your account has",
            shown(planned),
            shown(taken),
            shown(fee)
        );
        return Err(refused(action, reason));
    }
    Ok(())
}

fn amounts(action: &'static str, bonuses: &[f64]) -> Result<Vec<Amount>, PlatformError> {
    let amounts = bonuses.iter().map(|&bonus| of_cents(bonus)).collect::<Option<Vec<_>>>();
    amounts.ok_or_else(|| not_understood(action, "a bonus is not a number of cents"))
}

/// The lines of a set-up, such as `60ff44a1d00991f1dfe405d9,4.25`.
fn lines(action: &'static str, orders: &[PaymentOrder]) -> Result<String, PlatformError> {
    let mut lines = String::new();
    for order in orders {
        let cents = cents(order.amount)
            .filter(|&cents| cents > 0)
            .ok_or_else(|| refused(action, format!("{} is not a number of cents", order.amount)))?;
        let id = part(action, &order.submission)?;
        let separator = if lines.is_empty() { "" } else { "\n" };
        // Writing to a string cannot fail.
        let _ = write!(lines, "{separator}{id},{}.{:02}", cents / 100, cents % 100);
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(submission: &str, amount: u64) -> PaymentOrder {
        PaymentOrder {
            token: "t".into(),
            submission: submission.into(),
            participant: "p".into(),
            amount: Amount(amount),
            reason: "r".into(),
            sent_unix_ms: None,
        }
    }

    #[test]
    fn bonuses_are_lines_with_decimals() {
        let written = lines("pay", &[order("a1", 1_500_000), order("b2", 20_000), order("c3", 30_000_000)]);
        assert_eq!(written.unwrap(), "a1,1.50\nb2,0.02\nc3,30.00");
    }

    #[test]
    fn unpayable_bonuses_are_refused_before_any_request() {
        for bad in [order("a1", 15_000), order("a1", 0), order("a1,99.00\nb2", 10_000), order("", 10_000)] {
            assert!(matches!(lines("pay", &[bad]), Err(PlatformError::Refused { .. })));
        }
    }
}
