//! Audits: the ledger, the earnings in the logs and what the platform says are compared, payment by payment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hype_core::Amount;
use hype_core::model::ledger::{PaymentKey, PaymentPurpose};
use hype_core::model::record::Earned;
use hype_core::protocol::ledger::{LedgerPayment, PaymentState};
use schemars::JsonSchema;
use serde::Serialize;

use super::{RecruitError, Recruiter, Seen};
use crate::crowd::platform::SubmissionState;

/// The comparison of a study's ledger with its logs and with the platform.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Audit {
    /// Every payment that one of them knows.
    pub payments: Vec<AuditedPayment>,
    /// What raters got according to the ledger.
    pub ledger: Amount,
    /// What raters have earned according to the logs.
    pub earned: Amount,
    /// What raters got according to the platform; `None` for a panel without an interface.
    pub platform: Option<Amount>,
}

impl Audit {
    /// The payments on which they do not agree.
    pub fn differences(&self) -> impl Iterator<Item = &AuditedPayment> {
        self.payments.iter().filter(|payment| payment.difference.is_some())
    }
}

/// A payment as the ledger, the logs and the platform know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AuditedPayment {
    /// The payment.
    pub payment: PaymentKey,
    /// What was paid according to the ledger.
    pub ledger: Amount,
    /// What was earned according to the log.
    pub earned: Amount,
    /// What was paid according to the platform; `None` for a panel without an interface.
    pub platform: Option<Amount>,
    /// On what they do not agree; `None` if they do.
    pub difference: Option<Disagreement>,
}

/// On what a ledger, logs and platform do not agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Disagreement {
    /// It was earned and is not paid yet.
    NotPaidYet,
    /// It is unknown whether it was paid.
    Unclear,
    /// The work was rejected.
    Rejected,
    /// The rater returned the work, or its time was over at the platform.
    Returned,
    /// The platform has paid another amount than the ledger says.
    Platform,
    /// More was paid than was earned, by an operator's decision or the platform's.
    MoreThanEarned,
}

impl Recruiter {
    /// Compares the ledger with the earnings in the logs and with what the platform says.
    ///
    /// # Errors
    /// If the store fails, the platform cannot be asked, or a log is damaged.
    pub async fn audit(&self, unix_ms: u64) -> Result<Audit, RecruitError> {
        let _turn = self.turn.lock().await;
        let seen = self.see(unix_ms).await?;
        let base = seen.payment().base;
        let mut earned: BTreeMap<PaymentKey, Amount> = BTreeMap::new();
        let mut platform: BTreeMap<PaymentKey, Amount> = BTreeMap::new();
        let mut by_submission: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
        for work in &seen.work {
            let key = |purpose| PaymentKey { session: Arc::clone(&work.name), purpose };
            if let Some(session) = &work.session {
                // A session that is not over has earned nothing that can be paid yet.
                let is_over = session.ending.is_some();
                let earned_so_far = if is_over { session.earned } else { Earned::default() };
                let parts = [
                    (PaymentPurpose::Reward, earned_so_far.base),
                    (PaymentPurpose::Bonus, earned_so_far.beside_base()),
                ];
                earned.extend(parts.map(|(purpose, amount)| (key(purpose), amount)));
            }
            if let Some(submission) = &work.submission {
                by_submission.insert(Arc::clone(&submission.id), Arc::clone(&work.name));
                if submission.state == SubmissionState::Approved {
                    platform.insert(key(PaymentPurpose::Reward), base);
                }
            }
        }
        let mut of_forgotten: BTreeMap<Arc<str>, Paid> = BTreeMap::new();
        for submission in seen.forgotten.iter().filter(|one| one.state == SubmissionState::Approved) {
            of_forgotten.insert(Arc::clone(&submission.id), Paid { reward: base, bonus: Amount(0) });
        }
        if let Some((interface, _)) = self.interface() {
            for state in seen.listings.values() {
                for paid in interface.payments(&state.id).await? {
                    if let Some(known) = of_forgotten.get_mut(&paid.submission) {
                        known.bonus = known.bonus.plus(paid.amount);
                    }
                    let Some(name) = by_submission.get(&paid.submission) else { continue };
                    let key = PaymentKey { session: Arc::clone(name), purpose: PaymentPurpose::Bonus };
                    let sum = platform.entry(key).or_default();
                    *sum = sum.plus(paid.amount);
                }
            }
        }
        for (submission, paid) in of_forgotten {
            let name = paid
                .found(&seen, &platform)
                .unwrap_or_else(|| self.people.keys().unknown(&submission).into());
            platform.extend(paid.by_key(&name));
        }
        let gone: BTreeSet<&str> =
            seen.work.iter().filter(|work| work.is_gone()).map(|work| &*work.name).collect();
        let is_asked = self.interface().is_some();
        let keys = earned.keys().chain(platform.keys()).chain(seen.ledger.payments().keys());
        let keys: BTreeSet<PaymentKey> = keys.cloned().collect();
        let mut audit = Audit { platform: is_asked.then_some(Amount(0)), ..Audit::default() };
        for payment in keys {
            let known = seen.ledger.payments().get(&payment);
            let is_paid = known.is_some_and(|known| known.state == PaymentState::Confirmed);
            let ledger = known.filter(|_| is_paid).map_or(Amount(0), |known| known.amount);
            let of = |map: &BTreeMap<PaymentKey, Amount>| map.get(&payment).copied().unwrap_or_default();
            let (earned, platform) = (of(&earned), is_asked.then(|| of(&platform)));
            if (ledger, earned, platform.unwrap_or_default()) == (Amount(0), Amount(0), Amount(0))
                && known.is_none()
            {
                continue;
            }
            let unpaid = if seen.ledger.rejections().contains_key(&payment.session) {
                Some(Disagreement::Rejected)
            } else {
                gone.contains(&*payment.session).then_some(Disagreement::Returned)
            };
            let difference = difference(known, unpaid, ledger, earned, platform);
            audit.ledger = audit.ledger.plus(ledger);
            audit.earned = audit.earned.plus(earned);
            audit.platform = audit.platform.map(|sum| sum.plus(platform.unwrap_or_default()));
            audit.payments.push(AuditedPayment { payment, ledger, earned, platform, difference });
        }
        Ok(audit)
    }
}

/// What the platform has paid for a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Paid {
    reward: Amount,
    bonus: Amount,
}

impl Paid {
    fn by_key(self, session: &Arc<str>) -> impl Iterator<Item = (PaymentKey, Amount)> {
        let parts = [(PaymentPurpose::Reward, self.reward), (PaymentPurpose::Bonus, self.bonus)];
        let session = Arc::clone(session);
        let paid = parts.into_iter().filter(|(_, amount)| *amount > Amount(0));
        paid.map(move |(purpose, amount)| (PaymentKey { session: Arc::clone(&session), purpose }, amount))
    }

    /// A session of somebody who was forgotten, and for whom the ledger has paid the same amounts. Which of several such sessions it
    /// was does not matter, and cannot be known. Sessions in `taken` belong to others.
    fn found(self, seen: &Seen, taken: &BTreeMap<PaymentKey, Amount>) -> Option<Arc<str>> {
        let sessions = seen.work.iter().filter(|work| !work.is_known && work.session.is_some());
        let mut names = sessions.map(|work| &work.name);
        let is_taken = |name: &Arc<str>| taken.keys().any(|key| key.session == *name);
        let in_ledger = |name: &Arc<str>| -> BTreeMap<PaymentKey, Amount> {
            let payments = seen.ledger.payments().iter();
            let made =
                payments.filter(|(key, one)| key.session == *name && one.state == PaymentState::Confirmed);
            made.map(|(key, one)| (key.clone(), one.amount)).collect()
        };
        names.find(|name| !is_taken(name) && in_ledger(name) == self.by_key(name).collect()).cloned()
    }
}

fn difference(
    known: Option<&LedgerPayment>,
    unpaid: Option<Disagreement>,
    ledger: Amount,
    earned: Amount,
    platform: Option<Amount>,
) -> Option<Disagreement> {
    let is_unclear = known
        .is_some_and(|known| matches!(known.state, PaymentState::Unclear { .. } | PaymentState::Sent { .. }));
    match platform {
        _ if is_unclear => Some(Disagreement::Unclear),
        Some(platform) if platform != ledger => Some(Disagreement::Platform),
        _ if unpaid.is_some() && ledger == Amount(0) && earned > Amount(0) => unpaid,
        _ if ledger < earned => Some(Disagreement::NotPaidYet),
        _ if ledger > earned => Some(Disagreement::MoreThanEarned),
        _ => None,
    }
}
