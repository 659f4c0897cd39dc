//! Payments: planned, sent and settled by the rules of the ledger.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use hype_core::Amount;
use hype_core::model::ledger::{LedgerChange, PaymentKey, PaymentPurpose};
use hype_core::model::record::Earned;
use hype_core::protocol::ledger::{Due, Ledger, PaymentState};

use super::retry::Retry;
use super::work::{SessionFacts, Work};
use super::{RecruitError, Recruiter, Seen, due};
use crate::crowd::platform::{
    PaymentOrder, Platform, PlatformError, PlatformLimits, Settlement, Submission, SubmissionState,
};

/// The facts about work that a platform needs to pay for it.
#[derive(Clone, Copy)]
pub(super) struct Paid<'a> {
    submission: &'a Submission,
    earned: &'a Earned,
}

/// Where payments are sent.
pub(super) struct To<'a> {
    pub(super) platform: &'a dyn Platform,
    pub(super) limits: PlatformLimits,
    /// The listing at the platform.
    pub(super) listing: &'a str,
    /// When the time was read by which entries are made.
    pub(super) began: Instant,
}

impl Recruiter {
    /// Finds out what has become of payments that were sent, and cancels those whose work was returned.
    pub(super) async fn settle(
        &self,
        seen: &Seen,
        unix_ms: u64,
        problems: &mut Vec<String>,
    ) -> Result<(), RecruitError> {
        let Some((platform, _)) = self.interface() else { return Ok(()) };
        let by_name: BTreeMap<&str, &Work> = seen.work.iter().map(|work| (&*work.name, work)).collect();
        let mut by_listing: BTreeMap<u32, Vec<(&PaymentKey, PaymentOrder)>> = BTreeMap::new();
        for (key, payment) in seen.ledger.payments() {
            let work = by_name.get(&*key.session).copied();
            let submission = work.and_then(|work| work.submission.as_ref());
            let change = match (&payment.state, key.purpose) {
                (PaymentState::Sent { .. } | PaymentState::Unclear { .. }, PaymentPurpose::Reward) => {
                    settled_reward(key, submission)
                }
                // Only an operator can settle a payment that was never sent.
                (PaymentState::Unclear { .. }, _) if payment.is_unexplained() => continue,
                (
                    PaymentState::Sent { unix_ms: sent, .. } | PaymentState::Unclear { unix_ms: sent, .. },
                    _,
                ) => {
                    let number = work.and_then(|work| work.listing);
                    let earned = work.and_then(|work| work.session.as_ref()).map(|session| &session.earned);
                    match (submission, earned, number) {
                        (Some(submission), Some(earned), Some(number)) => {
                            let token = self.people.keys().payment(key).into();
                            let paid = Paid { submission, earned };
                            let order = order(&paid, &token, payment.amount, Some(*sent));
                            by_listing.entry(number).or_default().push((key, order));
                            continue;
                        }
                        _ => unclear(key, "the platform does not list the work"),
                    }
                }
                (PaymentState::Planned | PaymentState::Failed { .. }, PaymentPurpose::Reward) => {
                    match submission.map(|one| one.state) {
                        // It was approved at the platform, or the time for a decision was over.
                        Some(SubmissionState::Approved) => {
                            LedgerChange::Confirmed { payment: key.clone(), by: None }
                        }
                        Some(state) if state.is_gone() => LedgerChange::Cancelled {
                            payment: key.clone(),
                            reason: "the work was returned or rejected at the platform".into(),
                        },
                        _ => continue,
                    }
                }
                _ => continue,
            };
            self.change(unix_ms, change).await?;
        }
        for (number, sent) in by_listing {
            let Some(listing) = seen.listings.get(&number) else { continue };
            let (keys, orders): (Vec<_>, Vec<_>) = sent.into_iter().unzip();
            match platform.settle(&listing.id, &orders).await {
                Ok(said) => {
                    for (key, settlement) in keys.into_iter().zip(said) {
                        self.change(unix_ms, settled(key, settlement)).await?;
                    }
                }
                Err(error) => problems.extend(keys.first().map(|key| format!("{key}: {error}"))),
            }
        }
        Ok(())
    }

    /// Plans and sends what is due in addition to rewards; with a panel without an interface, plans everything.
    pub(super) async fn pay_due(
        &self,
        seen: &Seen,
        retry: Retry,
        unix_ms: u64,
        problems: &mut Vec<String>,
    ) -> Result<(), RecruitError> {
        let fees = self.fees();
        let Some((platform, limits)) = self.interface() else {
            for session in seen.work.iter().filter_map(over) {
                for due in [due::base(session, fees), due::bonus(session, fees)].into_iter().flatten() {
                    self.plan(&due, unix_ms, problems).await?;
                }
            }
            return Ok(());
        };
        let mut by_listing: BTreeMap<u32, Vec<(PaymentKey, Paid<'_>)>> = BTreeMap::new();
        for work in &seen.work {
            let (Some(submission), Some(listing)) = (&work.submission, work.listing) else { continue };
            if work.session.is_none() && submission.state == SubmissionState::Approved {
                self.record_unknown(seen, work, unix_ms).await?;
            }
            let Some(session) = over(work) else { continue };
            let reward = PaymentKey { session: Arc::clone(&work.name), purpose: PaymentPurpose::Reward };
            if submission.state == SubmissionState::Approved {
                // Work that others approved is in the ledger before anything is added to it.
                self.record_approved(seen, session, unix_ms).await?;
            } else if submission.state == SubmissionState::Unknown || !self.is_confirmed(&reward) {
                continue;
            }
            let Some(due) = due::bonus(session, fees) else { continue };
            self.plan(&due, unix_ms, problems).await?;
            by_listing
                .entry(listing)
                .or_default()
                .push((due.payment, Paid { submission, earned: &session.earned }));
        }
        for (listing, payments) in by_listing {
            let Some(listing) = seen.listings.get(&listing) else { continue };
            let to = To { platform, limits, listing: &listing.id, began: seen.began };
            self.send_all(&to, payments, (retry, unix_ms), problems).await?;
        }
        Ok(())
    }

    /// Whether a payment was made, as of the last read of the ledger.
    fn is_confirmed(&self, key: &PaymentKey) -> bool {
        let ledger = self.ledger.current();
        ledger.payments().get(key).is_some_and(|payment| payment.state == PaymentState::Confirmed)
    }

    /// Plans a payment. A spending limit that is reached is a problem that the operator sees.
    pub(super) async fn plan(
        &self,
        due: &Due,
        unix_ms: u64,
        problems: &mut Vec<String>,
    ) -> Result<(), RecruitError> {
        let limit = self.settings.limit;
        let planned = self
            .ledger
            .append(&*self.store, unix_ms, |ledger| Ok::<_, RecruitError>(ledger.plan(due, limit)?));
        match planned.await {
            Err(RecruitError::Limit(reached)) => {
                let reached = format!("{}: {reached}", due.payment);
                problems.push(reached);
                Ok(())
            }
            planned => planned.map(drop),
        }
    }

    /// Records the reward of work that the platform has approved although this study did not ask for it. It was paid, so no limit
    /// applies.
    async fn record_approved(
        &self,
        seen: &Seen,
        session: &SessionFacts,
        unix_ms: u64,
    ) -> Result<(), RecruitError> {
        match due::reward(session, &seen.payment(), self.fees()) {
            Some(due) => self.record_paid(seen, due, unix_ms).await,
            None => Ok(()),
        }
    }

    /// As [`record_approved`](Self::record_approved), for work without a session. Where a person was forgotten and the ledger
    /// does not say who, nothing is recorded, since the reward may be in the ledger under the session's name.
    async fn record_unknown(&self, seen: &Seen, work: &Work, unix_ms: u64) -> Result<(), RecruitError> {
        if seen.work.iter().filter(|work| !work.is_known).count() > seen.ledger.forgotten() {
            return Ok(());
        }
        self.record_paid(seen, self.reward_due(seen, work), unix_ms).await
    }

    async fn record_paid(&self, seen: &Seen, due: Due, unix_ms: u64) -> Result<(), RecruitError> {
        if due.amount == Amount(0) || seen.ledger.payments().contains_key(&due.payment) {
            return Ok(());
        }
        let planned = self
            .ledger
            .append(&*self.store, unix_ms, |ledger| Ok::<_, RecruitError>(ledger.plan(&due, None)?));
        planned.await?;
        self.change(unix_ms, LedgerChange::Confirmed { payment: due.payment, by: None }).await
    }

    /// Appends a change, which has no effect if it does not follow from the latest state.
    pub(super) async fn change(&self, unix_ms: u64, change: LedgerChange) -> Result<(), RecruitError> {
        let append = |ledger: &Ledger| Ok::<_, RecruitError>(ledger.accepts(&change).then(|| change.clone()));
        self.ledger.append(&*self.store, unix_ms, append).await.map(drop)
    }

    /// An operator says whether a payment was made: one that is unclear, or any of a panel without an interface.
    ///
    /// # Errors
    /// If there is no such payment, something else was settled already, or the platform can be asked instead; or if the store fails.
    pub async fn settle_by_hand(
        &self,
        key: &PaymentKey,
        settlement: Settlement,
        by: &str,
        unix_ms: u64,
    ) -> Result<(), RecruitError> {
        let sendings = self.ledger().await?.payments().get(key).map_or(0, |payment| payment.sendings);
        self.settle_sending(key, sendings, settlement, by, unix_ms).await
    }

    /// As [`settle_by_hand`](Self::settle_by_hand), of the payment as the operator has seen it: after a number of sendings. What
    /// is said of one sending says nothing about a later one, so saying it again changes nothing.
    ///
    /// # Errors
    /// As [`settle_by_hand`](Self::settle_by_hand), and if the payment was sent again since.
    pub async fn settle_sending(
        &self,
        key: &PaymentKey,
        sendings: u32,
        settlement: Settlement,
        by: &str,
        unix_ms: u64,
    ) -> Result<(), RecruitError> {
        let _turn = self.turn.lock().await;
        let ledger = self.ledger.refresh(&*self.store).await?;
        let not_possible = |reason: String| Err(RecruitError::NotPossible(reason));
        let Some(payment) = ledger.payments().get(key) else {
            return not_possible(format!("the ledger has no payment {key}"));
        };
        if payment.sendings != sendings {
            return not_possible(format!("the payment {key} was sent again since: look at it again"));
        }
        let by_hand = self.interface().is_none();
        match (&payment.state, settlement) {
            (PaymentState::Confirmed, Settlement::Made)
            | (PaymentState::Failed { .. }, Settlement::NotMade) => return Ok(()),
            (PaymentState::Unclear { .. }, _) => {}
            (PaymentState::Planned | PaymentState::Failed { .. }, _) if by_hand => {}
            (state, _) => return not_possible(format!("the payment {key} is {}", state.name())),
        }
        let by = Some(Arc::from(by));
        let payment = key.clone();
        let change = match settlement {
            Settlement::Made => LedgerChange::Confirmed { payment, by },
            Settlement::NotMade => {
                LedgerChange::Failed { payment, reason: "an operator says that it was not made".into(), by }
            }
            Settlement::Unknown | Settlement::Unexplained => {
                return not_possible("say whether the payment was made or not".into());
            }
        };
        let settles = self.ledger.append(&*self.store, unix_ms, |ledger| {
            let known = ledger.payments().get(key).filter(|known| known.sendings == sendings);
            Ok::<_, RecruitError>(known.filter(|_| ledger.accepts(&change)).map(|_| change.clone()))
        });
        settles.await.map(drop)
    }
}

/// A session that is over.
pub(super) fn over(work: &Work) -> Option<&SessionFacts> {
    work.session.as_ref().filter(|session| session.ending.is_some())
}

/// Returns the order for a payment of a session.
pub(super) fn order(
    work: &Paid<'_>,
    token: &Arc<str>,
    amount: Amount,
    sent_unix_ms: Option<u64>,
) -> PaymentOrder {
    PaymentOrder {
        token: Arc::clone(token),
        submission: Arc::clone(&work.submission.id),
        participant: Arc::clone(&work.submission.participant),
        amount,
        reason: reason(work.earned).into(),
        sent_unix_ms,
    }
}

/// Returns the reason for a bonus that a rater reads.
pub(super) fn reason(earned: &Earned) -> &'static str {
    let (bonus, waiting) = (!earned.bonus.is_zero(), !earned.waiting.is_zero());
    match (bonus, waiting) {
        (true, true) => "For your right answers, and for waiting until the study began. Thank you!",
        (false, true) => "For waiting until the study began. Thank you!",
        _ => "For your right answers. Thank you!",
    }
}

/// Returns the change of the ledger that follows from the result of a request.
pub(super) fn outcome(key: &PaymentKey, result: &Result<(), PlatformError>) -> LedgerChange {
    match result {
        Ok(()) => LedgerChange::Confirmed { payment: key.clone(), by: None },
        Err(error) if error.is_unclear() => unclear(key, &error.to_string()),
        Err(error) => failed(key, &error.to_string()),
    }
}

pub(super) fn unclear(key: &PaymentKey, reason: &str) -> LedgerChange {
    LedgerChange::Unclear { payment: key.clone(), reason: reason.into() }
}

pub(super) fn failed(key: &PaymentKey, reason: &str) -> LedgerChange {
    LedgerChange::Failed { payment: key.clone(), reason: reason.into(), by: None }
}

fn settled(key: &PaymentKey, settlement: Settlement) -> LedgerChange {
    match settlement {
        Settlement::Made => LedgerChange::Confirmed { payment: key.clone(), by: None },
        Settlement::NotMade => failed(key, "the platform says that it was not made"),
        Settlement::Unknown => unclear(key, "the platform does not say whether it was made"),
        Settlement::Unexplained => unclear(key, "the platform lists another bonus for this work"),
    }
}

/// Settles a reward by the state of its submission. Approving twice pays once, so a reward whose submission still waits can be
/// sent again.
fn settled_reward(key: &PaymentKey, submission: Option<&Submission>) -> LedgerChange {
    match submission.map(|one| one.state) {
        Some(SubmissionState::Approved) => LedgerChange::Confirmed { payment: key.clone(), by: None },
        Some(SubmissionState::ToReview) => failed(key, "the work is not approved yet"),
        Some(SubmissionState::Returned | SubmissionState::TimedOut | SubmissionState::Rejected) => {
            failed(key, "the work was returned or rejected at the platform")
        }
        Some(SubmissionState::Working | SubmissionState::Unknown) | None => {
            unclear(key, "the platform does not list the work as handed in")
        }
    }
}
