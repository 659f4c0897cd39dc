//! `hype crowd ledger`.

use std::sync::Arc;

use hype_core::model::ledger::PaymentKey;
use hype_core::model::time::utc;
use hype_core::protocol::ledger::{Ledger, LedgerPayment, LedgerTotals, PaymentState};
use hype_core::words::counted;
use hype_core::{Amount, Study};
use schemars::JsonSchema;
use serde::Serialize;

use super::tables::short;
use crate::args::CrowdLedgerArguments;
use crate::failure::Failure;
use crate::grid::{Grid, NO_BREAK};
use crate::output::{Page, print_json};
use crate::study_folder;

/// The output of `crowd ledger --json`. It has no ids of people or of listings.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "A ledger of hype")]
pub(crate) struct PrintedLedger<'a> {
    /// The currency (ISO 4217) of all amounts; `null` if raters are not paid.
    currency: Option<Arc<str>>,
    /// Money by state.
    totals: LedgerTotals,
    /// The listings.
    listings: Vec<PrintedListing>,
    /// The promises and payments.
    payments: Vec<PrintedPayment<'a>>,
    /// Work that was rejected.
    rejections: Vec<PrintedRejection<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PrintedListing {
    /// Its number in the study.
    listing: u32,
    /// The number of places that it offers.
    places: u32,
    /// Whether it was closed.
    is_closed: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PrintedPayment<'a> {
    /// The payment.
    payment: &'a PaymentKey,
    /// The key of the rater.
    rater: &'a str,
    /// The amount for the rater.
    amount: Amount,
    /// The panel's fee, in addition.
    fee: Amount,
    /// `planned`, `sent`, `unclear`, `confirmed`, `failed` or `cancelled`.
    state: &'static str,
    /// Why it is unclear, failed or cancelled.
    reason: Option<&'a str>,
    /// How many times it was sent.
    sendings: u32,
    /// When its state changed last, in UTC.
    changed: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PrintedRejection<'a> {
    /// The session, or the name of work without one.
    session: &'a str,
    /// The key of the rater.
    rater: &'a str,
    /// The reason that the rater reads.
    reason: &'a str,
    /// The operator who decided; `null` for a rule of the spec.
    by: Option<&'a str>,
}

pub(super) fn run(arguments: &CrowdLedgerArguments) -> Result<(), Failure> {
    let opened = study_folder::read(&arguments.study)?;
    let ledger = hype::block_on(hype_core::study::ledger::ledger(opened.store()))?;
    let currency = currency(opened.study());
    if arguments.json {
        return print_json(&printed(&ledger, currency));
    }
    let mut page = Page::default();
    ledger_on(&mut page, &ledger, currency.as_deref().unwrap_or_default());
    page.print()
}

fn currency(study: &Study) -> Option<Arc<str>> {
    study.raters().payment.as_ref().map(|payment| Arc::clone(&payment.currency))
}

fn reason(payment: &LedgerPayment) -> Option<&str> {
    match &payment.state {
        PaymentState::Unclear { reason, .. }
        | PaymentState::Failed { reason }
        | PaymentState::Cancelled { reason } => Some(reason),
        _ => None,
    }
}

fn printed(ledger: &Ledger, currency: Option<Arc<str>>) -> PrintedLedger<'_> {
    let listings = ledger.listings().iter().map(|(&listing, one)| PrintedListing {
        listing,
        places: one.places,
        is_closed: one.is_closed,
    });
    let payments = ledger.payments().iter().map(|(key, payment)| PrintedPayment {
        payment: key,
        rater: &payment.rater,
        amount: payment.amount,
        fee: payment.fee,
        state: payment.state.name(),
        reason: reason(payment),
        sendings: payment.sendings,
        changed: utc(payment.unix_ms),
    });
    let rejections = ledger.rejections().iter().map(|(session, rejection)| PrintedRejection {
        session,
        rater: &rejection.rater,
        reason: &rejection.reason,
        by: rejection.by.as_deref(),
    });
    PrintedLedger {
        currency,
        totals: ledger.totals(),
        listings: listings.collect(),
        payments: payments.collect(),
        rejections: rejections.collect(),
    }
}

fn ledger_on(page: &mut Page, ledger: &Ledger, currency: &str) {
    if ledger.payments().is_empty() && ledger.rejections().is_empty() {
        page.line("nothing was promised or paid so far");
        return;
    }
    let mut grid = Grid::new(["payment", "rater", "amount", "fee", "state", "since", "why"]);
    grid.right(2);
    grid.right(3);
    for (key, payment) in ledger.payments() {
        grid.row([
            key.to_string(),
            short(&payment.rater),
            payment.amount.to_string(),
            payment.fee.to_string(),
            payment.state.name().to_owned(),
            utc(payment.unix_ms).replace(' ', &NO_BREAK.to_string()),
            reason(payment).unwrap_or("-").to_owned(),
        ]);
    }
    page.table(&grid);
    for (session, rejection) in ledger.rejections() {
        page.line(format_args!("rejected: {session}, because: {}", rejection.reason));
    }
    let totals = ledger.totals();
    page.line(format_args!(
        "{}: {} {currency} paid, {} fees, {} promised, {} unclear",
        counted(ledger.payments().len(), "payment"),
        totals.paid,
        totals.fees,
        totals.promised,
        totals.unclear
    ));
}
