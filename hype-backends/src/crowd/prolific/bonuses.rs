//! Bonuses: set up, paid once, and found again.

use std::fmt::Write as _;

use hype_core::Amount;
use hyper::http::Method;
use serde_json::json;

use super::Prolific;
use super::api::{Effect, not_understood, part, refused};
use super::platform::LIMITS;
use super::wire::{BulkBonus, cents, of_cents};
use crate::crowd::platform::{MadePayment, PaymentOrder, PlatformError, Settlement};

impl Prolific {
    /// Sets up payments, and pays them by a second request. Only the second one moves money, so that a failure of the first is
    /// never unclear.
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
        let path = format!("bulk-bonus-payments/{}/pay/", part(PAY, &bulk.id)?);
        self.api.change(PAY, (Method::POST, &path), &json!({})).await
    }

    /// Looks for a bonus of the order's amount among those of the submission. That it is missing proves nothing, since Prolific
    /// pays later than it is asked to.
    pub(super) async fn settle_bonus(&self, order: &PaymentOrder) -> Result<Settlement, PlatformError> {
        const ACTION: &str = "read the bonuses of a submission";
        let submission = self.submission_body(ACTION, &order.submission).await?;
        let paid = amounts(ACTION, submission.bonus_payments.as_deref().unwrap_or_default())?;
        Ok(if paid.contains(&order.amount) { Settlement::Made } else { Settlement::Unknown })
    }

    pub(super) async fn all_bonuses(&self, study: &str) -> Result<Vec<MadePayment>, PlatformError> {
        const ACTION: &str = "list bonuses";
        let mut payments = Vec::new();
        for body in self.submission_bodies(ACTION, study).await? {
            let submission = body.id;
            let bonuses = match body.bonus_payments {
                Some(bonuses) => bonuses,
                None => {
                    let body = self.submission_body(ACTION, &submission).await?;
                    body.bonus_payments.unwrap_or_default()
                }
            };
            let made = amounts(ACTION, &bonuses)?.into_iter();
            payments.extend(made.map(|amount| MadePayment { submission: submission.clone(), amount }));
        }
        Ok(payments)
    }
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
            sent_unix_ms: 0,
        }
    }

    #[test]
    fn bonuses_are_lines_with_decimals() {
        let written = lines("pay", &[order("a1", 1_500_000), order("b2", 20_000), order("c3", 30_000_000)]);
        assert_eq!(written.unwrap(), "a1,1.50\nb2,0.02\nc3,30.00");
    }

    #[test]
    fn what_cannot_be_paid_is_refused_before_anything_is_sent() {
        for bad in [order("a1", 15_000), order("a1", 0), order("a1,99.00\nb2", 10_000), order("", 10_000)] {
            assert!(matches!(lines("pay", &[bad]), Err(PlatformError::Refused { .. })));
        }
    }
}
