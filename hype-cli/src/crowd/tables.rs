//! The state of a recruiting study as text for the terminal.

use std::sync::Arc;

use hype::backends::crowd::recruiter::{CrowdStatus, WorkCounts};
use hype_core::Amount;
use hype_core::words::{counted, listed};

use crate::grid::Grid;
use crate::output::Page;

/// Adds the state of a study.
pub(super) fn status_on(page: &mut Page, status: &CrowdStatus) {
    page.line(format_args!(
        "{}: {} to fill, {} on offer or at work",
        status.panel,
        counted(status.demand, "place"),
        status.supply
    ));
    match status.waiting {
        Some(room) if room.is_called => page.line("raters were called, and none is waiting"),
        Some(room) => page.line(format_args!(
            "waiting now: {} of {}; `hype crowd call` lets them begin",
            room.waiting, room.raters
        )),
        None => {}
    }
    if !status.listings.is_empty() {
        let mut grid = Grid::new(["listing", "state", "places", "taken"]).right_from(2);
        for listing in &status.listings {
            grid.row([
                listing.listing.to_string(),
                listing.state.to_owned(),
                listing.places.to_string(),
                listing.taken.to_string(),
            ]);
        }
        page.table(&grid);
    }
    let WorkCounts { recruited, pending, working, to_review, approved, rejected, returned, finished, .. } =
        status.work;
    page.line(format_args!(
        "work: {recruited} recruited, {working} working, {finished} finished, {to_review} to review, {approved} approved, \
         {rejected} rejected, {returned} returned or timed out"
    ));
    if pending > 0 {
        let sessions = counted(pending, "session");
        page.line(format_args!("pending: {sessions} whose work {} does not list yet", status.panel));
    }
    money_on(page, status);
    if !status.held.is_empty() {
        page.line("");
        held_on(page, status);
    }
    awaited_on(page, status);
    if status.queued > 0 {
        page.line(format_args!(
            "{} until the request for others that is under way is settled, or for ten minutes",
            if status.queued == 1 {
                "1 bonus waits".to_owned()
            } else {
                format!("{} bonuses wait", status.queued)
            }
        ));
    }
    by_hand_on(page, status);
    if status.is_settled() {
        page.line("nothing is left to do");
    }
}

fn money_on(page: &mut Page, status: &CrowdStatus) {
    let (money, currency) = (&status.money, &status.currency);
    let limit = status.limit.map_or_else(|| "no limit".to_owned(), |limit| format!("of {limit} {currency}"));
    page.line(format_args!(
        "money: {} {currency} paid, {} fees, {} promised, {} unclear; {} {limit}",
        money.paid,
        money.fees,
        money.promised,
        money.unclear,
        money.committed()
    ));
    if let Some(hourly) = status.hourly {
        // Rounded down, to promise no rater more than was paid.
        let whole_cents = Amount(hourly.0 / 10_000 * 10_000);
        page.line(format_args!("raters who finished have earned {whole_cents} {currency} an hour"));
    }
}

/// Adds the work that waits for a decision.
pub(super) fn held_on(page: &mut Page, status: &CrowdStatus) {
    if status.held.is_empty() {
        page.line("no work waits for a decision");
        return;
    }
    let mut grid = Grid::new(["work", "rater", "earned", "fails", "why it waits"]);
    grid.right(2);
    for held in &status.held {
        let failed: Vec<&str> = held.failed.iter().map(|check| &**check).collect();
        grid.row([
            held.name.to_string(),
            held.rater.as_ref().map_or("-".to_owned(), short),
            held.earned.to_string(),
            if failed.is_empty() { "-".to_owned() } else { failed.join(", ") },
            held.why.to_owned(),
        ]);
    }
    page.table(&grid);
    page.line("decide with `hype crowd review SPEC --approve WORK`, or `--reject WORK --reason TEXT`");
}

/// Adds finished sessions that the platform does not list, and what the ledger does not have yet.
fn awaited_on(page: &mut Page, status: &CrowdStatus) {
    if status.expected > 0 {
        page.line(format_args!(
            "{} finished and not handed in yet; their time is not over",
            counted(status.expected, "session")
        ));
    }
    if !status.not_handed_in.is_empty() {
        page.line(format_args!(
            "finished but never handed in, and therefore not payable through the platform: {}",
            listed(&status.not_handed_in)
        ));
    }
    if !status.pays_by_hand() && status.owed > Amount(0) {
        page.line(format_args!(
            "earned and not in the ledger yet, with fees: {} {}",
            status.owed, status.currency
        ));
    }
}

/// Adds the payments whose outcome an operator has to state.
fn by_hand_on(page: &mut Page, status: &CrowdStatus) {
    if status.by_hand.is_empty() {
        return;
    }
    page.line("");
    let mut grid = Grid::new(["payment", "amount", "state", "why"]);
    grid.right(1);
    for open in &status.by_hand {
        grid.row([
            open.payment.to_string(),
            open.amount.to_string(),
            open.state.to_owned(),
            open.reason.as_deref().unwrap_or("-").to_owned(),
        ]);
    }
    page.table(&grid);
    page.line(match status.pays_by_hand() {
        true => "pay them by a sheet, `hype crowd pay SPEC --sheet FILE`, and read it back by `--made FILE`",
        false => {
            "say what has become of them with `hype crowd pay SPEC --made PAYMENT` or `--not-made PAYMENT`"
        }
    });
}

/// The beginning of a rater's key.
pub(super) fn short(key: &Arc<str>) -> String {
    key.chars().take(8).collect()
}
