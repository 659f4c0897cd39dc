//! The ledger of a study that recruits, as a table for accounts.

use std::io::Write;

use hype_core::model::ledger::{PaymentKey, PaymentPurpose};
use hype_core::model::time::utc;
use hype_core::protocol::ledger::{LedgerPayment, PaymentState, Rejection};
use hype_core::{Amount, Store, Study};
use serde_json::{Value, json};

use crate::exchange::error::ExportError;
use crate::exchange::rows::RowWriter;

/// Writes what was promised, paid and rejected in the layout [`LEDGER`](crate::exchange::layout::LEDGER), by session. It has no
/// ids of people or of listings.
///
/// # Errors
/// If the store fails or a row cannot be written.
pub fn payments<W: Write + Send>(
    study: &Study,
    store: &dyn Store,
    out: &mut RowWriter<W>,
) -> Result<(), ExportError> {
    let ledger = crate::block_on(hype_core::study::ledger::ledger(store))?;
    let currency = study.raters().payment.as_ref().map(|payment| json!(payment.currency)).unwrap_or_default();
    let paid = ledger.payments().iter().map(|(key, payment)| (key.clone(), row(key, payment, &currency)));
    let rejected = ledger.rejections().iter().map(|(session, rejection)| {
        let key = PaymentKey { session: session.clone(), purpose: PaymentPurpose::Reward };
        (key, rejected(session, rejection, &currency))
    });
    let mut rows: Vec<(PaymentKey, [Value; 10])> = paid.chain(rejected).collect();
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    rows.iter().try_for_each(|(_, row)| out.write(row))
}

fn row(key: &PaymentKey, payment: &LedgerPayment, currency: &Value) -> [Value; 10] {
    let reason = match &payment.state {
        PaymentState::Unclear { reason, .. }
        | PaymentState::Failed { reason }
        | PaymentState::Cancelled { reason } => json!(reason),
        _ => Value::Null,
    };
    [
        json!(key.session),
        json!(payment.rater),
        json!(key.purpose.name()),
        json!(payment.amount),
        json!(payment.fee),
        currency.clone(),
        json!(payment.state.name()),
        json!(utc(payment.unix_ms)),
        json!(payment.sendings),
        reason,
    ]
}

fn rejected(session: &str, rejection: &Rejection, currency: &Value) -> [Value; 10] {
    [
        json!(session),
        json!(rejection.rater),
        json!(PaymentPurpose::Reward.name()),
        json!(Amount(0)),
        json!(Amount(0)),
        currency.clone(),
        json!("rejected"),
        Value::Null,
        json!(0),
        json!(rejection.reason),
    ]
}
