//! The operators' view of a recruiting study: a message of bounded size, however large the study is.

use std::sync::Arc;

use hype_core::protocol::terms::HourlyPay;

use crate::crowd::recruiter::{
    CrowdStatus, HeldWork, LONGEST_REASON, ListingStatus, OpenPayment, WorkCounts,
};
use crate::web::wire::crowd::{
    CrowdListing, CrowdMoney, CrowdSeen, ReasonLength, UnsettledPayment, UnsettledState, WaitingWork,
};

/// The most listings, pieces of work, payments, failed checks and problems in a message.
const LISTINGS: usize = 12;
const WAITING: usize = 24;
const UNSETTLED: usize = 24;
const CHECKS: usize = 6;
const PROBLEMS: usize = 8;

/// The longest text of a problem in a message, in characters.
const TEXT: usize = 400;

/// Returns the operators' view of a status, with the problems of the latest step.
pub(super) fn seen(status: &CrowdStatus, hourly: Option<HourlyPay>, problems: &[String]) -> CrowdSeen {
    let WorkCounts { recruited, pending, working, to_review, approved, rejected, returned, finished, .. } =
        status.work;
    let length = |characters: usize| u32::try_from(characters).unwrap_or(u32::MAX);
    CrowdSeen {
        recruited,
        pending,
        working,
        to_review,
        approved,
        rejected,
        returned,
        finished,
        needed: status.demand,
        offered: status.supply,
        money: CrowdMoney {
            currency: Arc::clone(&status.currency),
            paid: status.money.paid,
            fees: status.money.fees,
            promised: status.money.promised,
            unclear: status.money.unclear,
            committed: status.money.committed(),
            limit: status.limit,
            hourly: status.hourly,
            hourly_least: hourly.map(|hourly| hourly.least),
            hourly_recommended: hourly.map(|hourly| hourly.recommended),
        },
        listings: status.listings.iter().rev().take(LISTINGS).map(listing).collect(),
        listings_left_out: left_out(status.listings.len(), LISTINGS),
        waiting: status.held.iter().take(WAITING).map(waiting).collect(),
        waiting_left_out: left_out(status.held.len(), WAITING),
        reason: status
            .shortest_reason
            .map(|shortest| ReasonLength { shortest: length(shortest), longest: length(LONGEST_REASON) }),
        unsettled: status.by_hand.iter().take(UNSETTLED).map(unsettled).collect(),
        unsettled_left_out: left_out(status.by_hand.len(), UNSETTLED),
        problems: problems.iter().take(PROBLEMS).map(|problem| shortened(problem)).collect(),
    }
}

fn listing(ListingStatus { listing, state, places, taken, .. }: &ListingStatus) -> CrowdListing {
    CrowdListing { listing: *listing, state: (*state).into(), places: *places, taken: *taken }
}

fn waiting(held: &HeldWork) -> WaitingWork {
    WaitingWork {
        work: Arc::clone(&held.name),
        rater: held.rater.clone(),
        why: held.why.into(),
        failed: held.failed.iter().take(CHECKS).cloned().collect(),
        earned: held.earned,
    }
}

fn unsettled(open: &OpenPayment) -> UnsettledPayment {
    UnsettledPayment {
        work: Arc::clone(&open.payment.session),
        purpose: open.payment.purpose,
        amount: open.amount,
        state: if open.state == "unclear" { UnsettledState::Unclear } else { UnsettledState::ByHand },
        why: open.reason.as_deref().map(shortened),
        sendings: open.sendings,
    }
}

fn left_out(all: usize, shown: usize) -> u32 {
    u32::try_from(all.saturating_sub(shown)).unwrap_or(u32::MAX)
}

/// A text, cut where it is too long.
pub(super) fn shortened(text: &str) -> Arc<str> {
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}
