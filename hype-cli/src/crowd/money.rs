//! Prints the payments of a collection in a few lines after its findings.

use std::sync::Arc;

use hype::StudyFolder;
use hype_core::plugin::store::all_sessions;
use hype_core::protocol::ledger::Ledger;
use hype_core::words::counted;
use hype_core::{Amount, SessionRecord, Store, StoreExt as _};

use crate::failure::Failure;
use crate::output;

/// Says what a collection has paid, and what people have to pay by hand or cannot be paid.
pub(crate) fn print_money(opened: &StudyFolder) -> Result<(), Failure> {
    let ledger = hype::block_on(hype_core::study::ledger::ledger(opened.store()))?;
    if ledger.entries() == 0 {
        return Ok(());
    }
    let (totals, folder) = (ledger.totals(), opened.path().display());
    let payment = opened.study().raters().payment.as_ref();
    let currency = payment.map(|payment| &*payment.currency).unwrap_or_default();
    output::print(format_args!(
        "paid {} {currency} to raters, with fees of {}: `hype crowd ledger {folder}` lists it",
        totals.paid, totals.fees
    ))?;
    let unpaid = unpaid(&ledger, opened.store())?;
    if unpaid > Amount(0) {
        output::print(format_args!(
            "earned and not paid: {unpaid} {currency}, because of the spending limit, or of work that was not handed in: `hype crowd \
             status` says which"
        ))?;
    }
    let open = ledger.payments().values().filter(|payment| payment.state.is_open()).count();
    if open == 0 {
        return Ok(());
    }
    output::print(format_args!(
        "not settled yet: {} of {} {currency} with fees; a panel without an interface is paid by a sheet, which `hype crowd \
         pay --sheet` writes and `--made` reads back",
        counted(open, "payment"),
        totals.promised.plus(totals.unclear)
    ))
}

/// Returns the earnings of sessions that have neither a payment nor a rejection in the ledger.
fn unpaid(ledger: &Ledger, store: &dyn Store) -> Result<Amount, Failure> {
    let mut unpaid = Amount(0);
    for name in hype::block_on(all_sessions(store))? {
        let session: Arc<str> = name.as_str().into();
        let log = hype::block_on(store.load(&session))?;
        if let Some(earned) = SessionRecord::from_events(log).ok().and_then(|record| record.earned()) {
            unpaid = unpaid.plus(ledger.unpaid(&session, &earned));
        }
    }
    Ok(unpaid)
}
