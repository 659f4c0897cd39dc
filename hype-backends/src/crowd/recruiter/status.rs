//! The state of a recruiting study, for commands and the operator's page.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hype_core::Amount;
use hype_core::model::ledger::{PaymentKey, PaymentPurpose};
use hype_core::protocol::ledger::{Ledger, LedgerPayment, LedgerTotals, PaymentState};
use hype_core::protocol::waiting::WaitingRoom;
use schemars::JsonSchema;
use serde::Serialize;

use super::payments::over;
use super::review::{ReviewDecision, decide};
use super::sending::HELD_MS;
use super::supply::{supply, taken};
use super::work::Work;
use super::{RecruitError, Recruiter, Seen};
use crate::crowd::platform::{ListingAdmission, SubmissionState};

/// Milliseconds of a minute.
const MINUTE_MS: u64 = 60_000;

/// Milliseconds of an hour.
const HOUR_MS: u128 = 3_600_000;

/// The state of a recruiting study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CrowdStatus {
    /// The panel's name for people.
    pub panel: Arc<str>,
    /// The listings at the platform.
    pub listings: Vec<ListingStatus>,
    /// How many pieces of work are in each state.
    pub work: WorkCounts,
    /// Work that waits for the operator.
    pub held: Vec<HeldWork>,
    /// Raters who wait until the study begins; `None` if its spec does not say that it is held open.
    pub waiting: Option<WaitingRoom>,
    /// The number of places that have to be filled now.
    pub demand: u32,
    /// The number of places that may still be filled through the listings.
    pub supply: u32,
    /// The currency (ISO 4217) of all amounts.
    pub currency: Arc<str>,
    /// Money by state.
    pub money: LedgerTotals,
    /// The spending limit with fees, if there is one.
    pub limit: Option<Amount>,
    /// The hourly earnings of raters who finished, on average over all their time; `None` until a rater has finished.
    pub hourly: Option<Amount>,
    /// Payments that may or may not have been made.
    pub unclear: Vec<PaymentKey>,
    /// Payments that an operator has to confirm or deny: those that are unclear and, with a panel without an interface
    /// for programs, all that were not made yet.
    pub by_hand: Vec<OpenPayment>,
    /// Payments that are not sent yet because a request for others is under way or its outcome is unclear, and the platform takes one at
    /// a time. They are sent once it is settled, or after ten minutes.
    pub queued: u32,
    /// The amount earned that is not in the ledger yet, with fees.
    pub owed: Amount,
    /// People whose session is over with pay, whose work the platform does not list yet, and who still have time to hand it in.
    pub expected: u32,
    /// Sessions with pay that were not handed in at the platform in time, by name. They cannot be paid through it.
    pub not_handed_in: Vec<Arc<str>>,
    /// The shortest reason for a rejection, in characters; `None` if work is approved and rejected at the panel, by hand.
    pub shortest_reason: Option<usize>,
    /// Faults of single requests, which are repeated if that is safe.
    pub problems: Vec<String>,
}

impl CrowdStatus {
    /// Whether nothing is left to do for this program: no one is at work, nothing waits, and no money is open but that which
    /// people pay [by hand](Self::by_hand).
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let WorkCounts { working, to_review, .. } = self.work;
        let is_paid = match self.pays_by_hand() {
            true => self.owed == Amount(0),
            false => self.money.promised == Amount(0) && self.money.unclear == Amount(0),
        };
        self.demand == 0 && working == 0 && to_review == 0 && self.expected == 0 && is_paid
    }

    /// Whether the panel has no interface for programs, so people approve work and pay for it there.
    #[must_use]
    pub const fn pays_by_hand(&self) -> bool {
        self.shortest_reason.is_none()
    }
}

/// A listing of a study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ListingStatus {
    /// Its number in the study.
    pub listing: u32,
    /// Whether people can enter: `open`, `paused`, `closed`, `unknown` if the platform says something that this
    /// version does not know, or `planned` before the platform has created it.
    pub state: &'static str,
    /// The number of places that it offers.
    pub places: u32,
    /// The number of places that are taken.
    pub taken: u32,
}

/// How many pieces of work are in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct WorkCounts {
    /// People who came, with or without a session, and whose work the platform lists if it has an interface for programs.
    pub recruited: u32,
    /// Sessions whose work the platform does not list yet: it lists work only once it is handed in, or is behind, or does not know who
    /// has come. They count elsewhere once they are listed.
    pub pending: u32,
    /// People at work.
    pub working: u32,
    /// Work that waits for a decision, or is in a state that this version does not know.
    pub to_review: u32,
    /// Approved work.
    pub approved: u32,
    /// Rejected work.
    pub rejected: u32,
    /// Work that was returned, timed out or abandoned.
    pub returned: u32,
    /// Sessions that are over.
    pub finished: u32,
}

/// Work that waits for the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct HeldWork {
    /// Its name, by which it is approved or rejected.
    pub name: Arc<str>,
    /// The key of its rater, if there is a session.
    pub rater: Option<Arc<str>>,
    /// Why it waits.
    pub why: &'static str,
    /// The checks that the rater fails.
    pub failed: Vec<Arc<str>>,
    /// The rater's earnings.
    pub earned: Amount,
}

/// A payment that an operator has to confirm or deny.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct OpenPayment {
    /// The payment.
    pub payment: PaymentKey,
    /// The amount for the rater.
    pub amount: Amount,
    /// Its state: `unclear`, or `planned` or `failed` if people pay by hand.
    pub state: &'static str,
    /// Why it is in that state, if there is something to say.
    pub reason: Option<Arc<str>>,
    /// How many times it was sent.
    pub sendings: u32,
}

impl OpenPayment {
    fn of(key: &PaymentKey, payment: &LedgerPayment, pays_by_hand: bool) -> Option<Self> {
        let reason = match &payment.state {
            PaymentState::Unclear { reason, .. } => Some(Arc::clone(reason)),
            PaymentState::Failed { reason } if pays_by_hand => Some(Arc::clone(reason)),
            PaymentState::Planned if pays_by_hand => None,
            _ => return None,
        };
        Some(Self {
            payment: key.clone(),
            amount: payment.amount,
            state: payment.state.name(),
            reason,
            sendings: payment.sendings,
        })
    }
}

impl Recruiter {
    /// Reads everything again, and sums it up.
    pub(super) async fn status_of(
        &self,
        unix_ms: u64,
        mut problems: Vec<String>,
    ) -> Result<CrowdStatus, RecruitError> {
        let seen = self.see(unix_ms).await?;
        self.look_behind(&seen, &mut problems).await?;
        Ok(self.sum_up(&seen, problems).await)
    }

    pub(super) async fn sum_up(&self, seen: &Seen, mut problems: Vec<String>) -> CrowdStatus {
        let currency = seen.payment().currency;
        problems.extend(self.behind(&currency).await);
        let limits = self.settings.facts.limits;
        let can_be_returned = limits.is_some_and(|limits| limits.has_return_requests);
        let held = |work: &Work| match decide(&self.settings.review, can_be_returned, work) {
            ReviewDecision::Hold(why) if !is_decided(&seen.ledger, &work.name) => {
                let session = work.session.as_ref();
                Some(HeldWork {
                    name: Arc::clone(&work.name),
                    rater: session.map(|session| Arc::clone(&session.rater)),
                    why: why.describe(),
                    failed: session.map(|session| session.failed.clone()).unwrap_or_default(),
                    earned: session.map_or(Amount(0), |session| session.earned.total()),
                })
            }
            _ => None,
        };
        let listings = seen.ledger.listings().iter().map(|(&number, listing)| ListingStatus {
            listing: number,
            state: match seen.listings.get(&number).map(|state| state.admission) {
                _ if listing.is_closed => "closed",
                None => "planned",
                Some(ListingAdmission::Open) => "open",
                Some(ListingAdmission::Paused) => "paused",
                Some(ListingAdmission::Closed) => "closed",
                Some(ListingAdmission::Unknown) => "unknown",
            },
            places: listing.places,
            taken: limits.map_or(0, |limits| taken(limits, number, &seen.work)),
        });
        let payments = || seen.ledger.payments().iter();
        let unclear = payments()
            .filter(|(_, payment)| matches!(payment.state, PaymentState::Unclear { .. }))
            .map(|(key, _)| key.clone());
        let pays_by_hand = limits.is_none();
        let by_hand = payments().filter_map(|(key, payment)| OpenPayment::of(key, payment, pays_by_hand));
        let lacking = seen.work.iter().filter(|work| !pays_by_hand && work.lacks_submission());
        let has_time = |work: &&Work| {
            let opened = work.session.as_ref().and_then(|session| session.opened_unix_ms);
            let longest = u64::from(self.settings.listing.longest(&seen.study)) * MINUTE_MS;
            opened.is_some_and(|opened| seen.unix_ms <= opened.saturating_add(longest))
        };
        let (expected, late): (Vec<&Work>, Vec<&Work>) = lacking.partition(has_time);
        CrowdStatus {
            panel: self.panel_name(),
            listings: listings.collect(),
            work: counts(&seen.work, limits.is_some()),
            held: seen.work.iter().filter_map(held).collect(),
            waiting: seen.waiting_room(),
            demand: seen.demand(),
            supply: limits.map_or(0, |limits| supply(limits, seen.ledger.listings(), &seen.work)),
            currency,
            money: seen.ledger.totals(),
            limit: self.settings.limit,
            hourly: hourly(&seen.work),
            unclear: unclear.collect(),
            by_hand: by_hand.collect(),
            queued: if limits.is_some_and(|limits| !limits.knows_tokens) { queued(seen) } else { 0 },
            owed: self.owed(seen, &seen.ledger),
            expected: u32::try_from(expected.len()).unwrap_or(u32::MAX),
            not_handed_in: late.iter().map(|work| Arc::clone(&work.name)).collect(),
            shortest_reason: limits.map(|limits| limits.shortest_reason.max(1)),
            problems,
        }
    }
}

/// How many bonuses wait for a request that may be under way.
fn queued(seen: &Seen) -> u32 {
    if !seen.ledger.is_paying(&BTreeSet::new(), seen.unix_ms, HELD_MS) {
        return 0;
    }
    let is_queued = |(key, payment): &(&PaymentKey, &LedgerPayment)| {
        let is_open = matches!(payment.state, PaymentState::Planned | PaymentState::Failed { .. });
        key.purpose == PaymentPurpose::Bonus && is_open
    };
    u32::try_from(seen.ledger.payments().iter().filter(is_queued).count()).unwrap_or(u32::MAX)
}

/// Whether work has been decided on, even if the platform has not carried it out yet.
fn is_decided(ledger: &Ledger, name: &Arc<str>) -> bool {
    let reward = PaymentKey { session: Arc::clone(name), purpose: PaymentPurpose::Reward };
    ledger.rejections().contains_key(name) || ledger.payments().contains_key(&reward)
}

/// Counts work, at a platform that lists it or at one that does not.
fn counts(work: &[Work], is_listed: bool) -> WorkCounts {
    let mut counts = WorkCounts::default();
    let mut states: BTreeMap<SubmissionState, u32> = BTreeMap::new();
    for work in work {
        if is_listed && work.is_pending() {
            counts.pending += 1;
            continue;
        }
        counts.recruited += 1;
        counts.finished += u32::from(over(work).is_some());
        if let Some(submission) = &work.submission {
            *states.entry(submission.state).or_default() += 1;
        }
    }
    let mut take = |state| states.remove(&state).unwrap_or_default();
    counts.working = take(SubmissionState::Working);
    counts.to_review = take(SubmissionState::ToReview) + take(SubmissionState::Unknown);
    counts.approved = take(SubmissionState::Approved);
    counts.rejected = take(SubmissionState::Rejected);
    counts.returned = take(SubmissionState::Returned) + take(SubmissionState::TimedOut);
    counts
}

/// Returns the hourly earnings of raters who finished, over all their time.
fn hourly(work: &[Work]) -> Option<Amount> {
    let mut earned = 0_u128;
    let mut took_ms = 0_u128;
    for session in work.iter().filter_map(over) {
        if let Some(took) = session.took_ms {
            earned += u128::from(session.earned.total().0);
            took_ms += u128::from(took);
        }
    }
    let hourly = (earned * HOUR_MS).checked_div(took_ms)?;
    Some(Amount(u64::try_from(hourly).unwrap_or(u64::MAX)))
}
