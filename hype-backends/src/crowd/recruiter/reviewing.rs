//! Reviewing: carries out what the rules or an operator decide about work.

use std::sync::Arc;

use hype_core::model::ledger::{PaymentKey, PaymentPurpose};
use hype_core::protocol::ledger::{Due, Ledger, LedgerPayment};
use hype_core::{Amount, Ending};

use super::listings::HANDED_IN;
use super::payments::outcome;
use super::retry::Retry;
use super::review::{ReviewDecision, decide};
use super::work::Work;
use super::{RecruitError, Recruiter, Seen};
use crate::crowd::platform::{
    ListingAdmission, Platform, PlatformError, PlatformLimits, Submission, SubmissionState,
};

/// The longest reason for a rejection, in characters.
pub(crate) const LONGEST_REASON: usize = 1_000;

/// How long people have to hand in finished work themselves, in milliseconds.
const HAND_IN_AFTER_MS: u64 = 5 * 60_000;

/// The reason that raters read when they are asked to return work.
const RETURN_REASON: &str = "Your work was handed in, but the study did not receive a finished session from you. Please return \
                             it, or write to us if you did finish.";

impl Recruiter {
    /// Decides on work that was handed in, by the declared rules, and carries out earlier decisions.
    pub(super) async fn review(
        &self,
        seen: &Seen,
        retry: Retry,
        unix_ms: u64,
        problems: &mut Vec<String>,
    ) -> Result<(), RecruitError> {
        let Some((platform, limits)) = self.interface() else { return Ok(()) };
        let can_be_returned = limits.has_return_requests;
        for work in &seen.work {
            let Some(submission) = &work.submission else { continue };
            let ledger = self.ledger.current();
            // An operator's decision comes before the rules.
            let decided = if submission.state != SubmissionState::ToReview {
                ReviewDecision::Nothing
            } else if let Some(rejection) = ledger.rejections().get(&work.name) {
                ReviewDecision::Reject { reason: Arc::clone(&rejection.reason) }
            } else if ledger.payments().contains_key(&reward_of(work)) {
                ReviewDecision::Approve
            } else {
                decide(&self.settings.review, can_be_returned, work)
            };
            let done = match decided {
                ReviewDecision::Approve => {
                    self.approve_work(platform, seen, work, submission, (retry, unix_ms), problems).await?
                }
                ReviewDecision::Reject { reason } => {
                    let rater = work
                        .session
                        .as_ref()
                        .map_or_else(|| Arc::clone(&work.name), |one| Arc::clone(&one.rater));
                    let rejects = |ledger: &Ledger| {
                        Ok::<_, RecruitError>(ledger.reject(&work.name, &rater, &reason, None))
                    };
                    self.ledger.append(&*self.store, unix_ms, rejects).await?;
                    platform.reject(submission, &reason).await
                }
                ReviewDecision::RequestReturn => self.request_return(platform, submission).await,
                ReviewDecision::Hold(_) | ReviewDecision::Nothing => Ok(()),
            };
            if let Err(error) = done {
                problems.push(format!("{}: {error}", work.name));
            }
        }
        Ok(())
    }

    /// Hands work in for people who have finished a while ago and have not done so: their code was lost on the way. It is tried
    /// once by each process, as a study that an earlier version has listed does not know the code.
    pub(super) async fn hand_in(&self, seen: &Seen, problems: &mut Vec<String>) -> Result<(), RecruitError> {
        let Some((platform, _)) = self.interface().filter(|_| self.settings.facts.hands_in) else {
            return Ok(());
        };
        let code = self.people.keys().completion_code(HANDED_IN);
        let mut handed_in = self.handed_in.lock().await;
        for work in seen.work.iter().filter(|work| is_lost(work, seen.unix_ms)) {
            let Some(submission) = &work.submission else { continue };
            if !handed_in.insert(Arc::clone(&submission.id)) {
                continue;
            }
            if let Err(error) = platform.hand_in(submission, &code).await {
                if !matches!(error, PlatformError::Refused { .. }) {
                    handed_in.remove(&submission.id);
                }
                problems.push(format!("{}: {error}", work.name));
            }
        }
        Ok(())
    }

    /// Approves work, which pays its reward.
    async fn approve_work(
        &self,
        platform: &dyn Platform,
        seen: &Seen,
        work: &Work,
        submission: &Submission,
        (retry, unix_ms): (Retry, u64),
        problems: &mut Vec<String>,
    ) -> Result<Result<(), PlatformError>, RecruitError> {
        let due = self.reward_due(seen, work);
        self.plan(&due, unix_ms, problems).await?;
        if let Some(postponed) = self.postponed(&due.payment, retry, unix_ms) {
            problems.push(postponed);
            return Ok(Ok(()));
        }
        let may_be_sent = |_: &Ledger, payment: &LedgerPayment| retry.from(payment) <= unix_ms;
        if self.begin(&due.payment, unix_ms, may_be_sent).await?.is_none() {
            return Ok(Ok(()));
        }
        let approved = platform.approve(submission).await;
        self.change(unix_ms, outcome(&due.payment, &approved)).await?;
        Ok(approved)
    }

    /// The reward of a piece of work, with or without a session.
    pub(super) fn reward_due(&self, seen: &Seen, work: &Work) -> Due {
        let amount = seen.payment().base;
        let rater = work.session.as_ref().map_or(&work.name, |session| &session.rater);
        Due { payment: reward_of(work), rater: Arc::clone(rater), amount, fee: self.fees().on(amount) }
    }

    /// Asks a rater once to return work.
    async fn request_return(
        &self,
        platform: &dyn Platform,
        submission: &Submission,
    ) -> Result<(), PlatformError> {
        let mut asked = self.asked.lock().await;
        if !asked.contains(&submission.id) {
            platform.request_return(submission, RETURN_REASON).await?;
            asked.insert(Arc::clone(&submission.id));
        }
        Ok(())
    }

    /// An operator approves work that waits. The decision is kept before the platform is asked, and the next step repeats what the
    /// platform has not carried out. Approving approved work changes nothing.
    ///
    /// # Errors
    /// If no such work waits for a decision, it was rejected, the spending limit is reached, or the store or the platform fails
    /// before the decision was kept.
    pub async fn approve(&self, name: &str, by: &str, unix_ms: u64) -> Result<Carried, RecruitError> {
        let _turn = self.turn.lock().await;
        let (platform, _) = self.deciding("approve")?;
        let seen = self.see(unix_ms).await?;
        if seen.ledger.rejections().contains_key(name) {
            return Err(RecruitError::NotPossible(format!("{name} was rejected")));
        }
        let reward = PaymentKey { session: name.into(), purpose: PaymentPurpose::Reward };
        let work = match waiting(&seen, name) {
            Err(_) if seen.ledger.payments().contains_key(&reward) => return Ok(Carried::Out),
            work => work?,
        };
        let Some(submission) = &work.submission else { return Ok(Carried::Out) };
        let due = self.reward_due(&seen, work);
        let limit = self.settings.limit;
        self.ledger
            .append(&*self.store, unix_ms, |ledger| Ok::<_, RecruitError>(ledger.plan_by(&due, limit, by)?))
            .await?;
        let approved = self
            .approve_work(platform, &seen, work, submission, (Retry::Now, unix_ms), &mut Vec::new())
            .await?;
        Ok(Carried::of(approved))
    }

    /// An operator rejects work that waits, with a reason that the rater reads. The decision is kept before the platform is asked,
    /// and the next step repeats what the platform has not carried out. Rejecting work again for the same reason changes nothing.
    ///
    /// # Errors
    /// If no such work waits for a decision, the reason is too short for the platform or too long, the reward is promised or paid, or
    /// the store or the platform fails before the decision was kept.
    pub async fn reject(
        &self,
        name: &str,
        reason: &str,
        by: &str,
        unix_ms: u64,
    ) -> Result<Carried, RecruitError> {
        let _turn = self.turn.lock().await;
        let (platform, limits) = self.deciding("reject")?;
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        let (length, shortest) = (reason.chars().count(), limits.shortest_reason.max(1));
        if length < shortest {
            let name = &self.settings.facts.name;
            return Err(RecruitError::NotPossible(format!(
                "the rater reads the reason, and {name} asks for at least {shortest} characters"
            )));
        }
        if length > LONGEST_REASON {
            return Err(RecruitError::NotPossible(format!(
                "the reason is longer than {LONGEST_REASON} characters"
            )));
        }
        let seen = self.see(unix_ms).await?;
        let before = seen.ledger.rejections().get(name);
        if let Some(before) = before.filter(|before| *before.reason != *reason) {
            return Err(RecruitError::NotPossible(format!("{name} was rejected already: {}", before.reason)));
        }
        let work = match waiting(&seen, name) {
            Err(_) if before.is_some() => return Ok(Carried::Out),
            work => work?,
        };
        let rater = work.session.as_ref().map_or(&work.name, |session| &session.rater);
        let by: Arc<str> = by.into();
        let rejected = self.ledger.append(&*self.store, unix_ms, |ledger| {
            Ok::<_, RecruitError>(ledger.reject(name, rater, &reason, Some(Arc::clone(&by))))
        });
        if !rejected.await? && !self.ledger.current().rejections().contains_key(name) {
            return Err(RecruitError::NotPossible(format!(
                "the reward of {name} is promised or paid already"
            )));
        }
        let Some(submission) = &work.submission else { return Ok(Carried::Out) };
        let rejected = platform.reject(submission, &reason).await;
        let listing = work.listing.and_then(|number| seen.ledger.listings().get(&number));
        let closed = listing.filter(|listing| listing.is_closed).and_then(|listing| listing.id.as_ref());
        Ok(Carried::of(match (rejected, closed) {
            // Its place must not open a listing again that was full when it was closed.
            (Ok(()), Some(id)) => platform.admit(id, ListingAdmission::Closed).await,
            (rejected, _) => rejected,
        }))
    }

    /// The interface of the platform, which a decision needs.
    fn deciding(&self, what: &str) -> Result<(&dyn Platform, PlatformLimits), RecruitError> {
        self.interface().ok_or_else(|| {
            RecruitError::NotPossible(format!(
                "this panel has no interface for programs: {what} the work there"
            ))
        })
    }
}

/// The fate of a decision that is in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a decision is carried out, or is not yet")]
pub enum Carried {
    /// The platform has carried it out.
    Out,
    /// The platform has not, or it is unclear whether it has. The next step looks at the platform, and asks it again if need be.
    NotYet(PlatformError),
}

impl Carried {
    fn of(result: Result<(), PlatformError>) -> Self {
        result.map_or_else(Self::NotYet, |()| Self::Out)
    }
}

/// Whether a rater has finished with pay, and has had enough time since then to hand in the work.
fn is_lost(work: &Work, unix_ms: u64) -> bool {
    let is_at_work = |one: &Submission| one.state == SubmissionState::Working;
    let Some(session) = work.session.as_ref().filter(|_| work.submission.as_ref().is_some_and(is_at_work))
    else {
        return false;
    };
    let has_finished = !matches!(session.ending, None | Some(Ending::Left));
    let ended = session.opened_unix_ms.zip(session.took_ms).map(|(opened, took)| opened.saturating_add(took));
    has_finished
        && session.earned.total() > Amount(0)
        && ended.is_some_and(|ended| ended.saturating_add(HAND_IN_AFTER_MS) <= unix_ms)
}

/// The reward of a piece of work.
fn reward_of(work: &Work) -> PaymentKey {
    PaymentKey { session: Arc::clone(&work.name), purpose: PaymentPurpose::Reward }
}

/// Work that waits for a decision.
fn waiting<'a>(seen: &'a Seen, name: &str) -> Result<&'a Work, RecruitError> {
    let is_waiting =
        |work: &&Work| work.submission.as_ref().is_some_and(|one| one.state == SubmissionState::ToReview);
    seen.work
        .iter()
        .find(|work| *work.name == *name)
        .filter(is_waiting)
        .ok_or_else(|| RecruitError::NotPossible(format!("no work of {name} waits for a decision")))
}
