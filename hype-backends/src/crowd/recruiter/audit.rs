//! Audits: the ledger, the earnings in the logs and what the platform says are compared, payment by payment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hype_core::Amount;
use hype_core::model::ledger::{PaymentKey, PaymentPurpose};
use hype_core::model::record::Earned;
use hype_core::protocol::ledger::{LedgerPayment, PaymentState};
use schemars::JsonSchema;
use serde::Serialize;

use super::sending::HELD_MS;
use super::{RecruitError, Recruiter, Seen};
use crate::crowd::platform::SubmissionState;

/// How long after it was sent a payment may be missing in the platform's lists, in milliseconds: Prolific pays in the minutes after a
/// request.
const LISTED_WITHIN_MS: u64 = 3_600_000;

/// The comparison of a study's ledger with its logs and with the platform.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Audit {
    /// Every payment that one of them knows.
    pub payments: Vec<AuditedPayment>,
    /// The raters' pay according to the ledger.
    pub ledger: Amount,
    /// The raters' earnings according to the logs.
    pub earned: Amount,
    /// The raters' pay according to the platform; `None` for a panel without an interface.
    pub platform: Option<Amount>,
}

impl Audit {
    /// The payments on which they do not agree, and those that are on their way.
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
    /// The amount paid according to the ledger.
    pub ledger: Amount,
    /// The amount earned according to the log.
    pub earned: Amount,
    /// The amount paid according to the platform; `None` for a panel without an interface.
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
    /// It was sent minutes ago: its outcome is not known yet, or the platform does not list it yet.
    OnItsWay,
    /// It is unknown whether it was paid.
    Unclear,
    /// The work was rejected.
    Rejected,
    /// The rater returned the work, or its time was over at the platform.
    Returned,
    /// The platform has paid it more than once, such as for two copies of the study that paid at the same moment.
    PaidTwice,
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
        let earned = earned(&seen);
        let platform = self.paid_at_platform(&seen).await?;
        // Changes in the ledger since it was read were on their way while the platform was asked.
        let later = self.ledger.refresh(&*self.store).await?;
        let gone: BTreeSet<&str> =
            seen.work.iter().filter(|work| work.is_gone()).map(|work| &*work.name).collect();
        let is_asked = self.interface().is_some();
        let in_ledger = seen.ledger.payments().keys().chain(later.payments().keys());
        let keys: BTreeSet<PaymentKey> =
            earned.keys().chain(platform.keys()).chain(in_ledger).cloned().collect();
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
            let later = later.payments().get(&payment);
            let compared = Compared { known, later, unpaid, ledger, earned, platform, unix_ms };
            let difference = compared.difference();
            audit.ledger = audit.ledger.plus(ledger);
            audit.earned = audit.earned.plus(earned);
            audit.platform = audit.platform.map(|sum| sum.plus(platform.unwrap_or_default()));
            audit.payments.push(AuditedPayment { payment, ledger, earned, platform, difference });
        }
        Ok(audit)
    }

    /// Returns the platform's payments: rewards of approved work, and bonuses.
    async fn paid_at_platform(&self, seen: &Seen) -> Result<BTreeMap<PaymentKey, Amount>, RecruitError> {
        let base = seen.payment().base;
        let mut platform: BTreeMap<PaymentKey, Amount> = BTreeMap::new();
        let mut by_submission: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
        for work in &seen.work {
            let Some(submission) = &work.submission else { continue };
            by_submission.insert(Arc::clone(&submission.id), Arc::clone(&work.name));
            if submission.state == SubmissionState::Approved {
                platform.insert(key(&work.name, PaymentPurpose::Reward), base);
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
                    let sum = platform.entry(key(name, PaymentPurpose::Bonus)).or_default();
                    *sum = sum.plus(paid.amount);
                }
            }
        }
        for (submission, paid) in of_forgotten {
            let name =
                paid.found(seen, &platform).unwrap_or_else(|| self.people.keys().unknown(&submission).into());
            platform.extend(paid.by_key(&name));
        }
        Ok(platform)
    }
}

fn key(session: &Arc<str>, purpose: PaymentPurpose) -> PaymentKey {
    PaymentKey { session: Arc::clone(session), purpose }
}

/// Returns the earnings according to the logs.
fn earned(seen: &Seen) -> BTreeMap<PaymentKey, Amount> {
    let mut all = BTreeMap::new();
    for work in &seen.work {
        let Some(session) = &work.session else { continue };
        // A session that is not over has earned nothing that can be paid yet.
        let earned = if session.ending.is_some() { session.earned } else { Earned::default() };
        all.insert(key(&work.name, PaymentPurpose::Reward), earned.base);
        all.insert(key(&work.name, PaymentPurpose::Bonus), earned.beside_base());
    }
    all
}

/// The platform's payments for a submission.
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

    /// A session of a person who was forgotten and received the same amounts according to the ledger. Which of several such
    /// sessions it was does not matter, and cannot be known. Sessions in `taken` belong to others.
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

/// A payment as all of them know it.
struct Compared<'a> {
    /// As the ledger had it before and after the platform was asked.
    known: Option<&'a LedgerPayment>,
    later: Option<&'a LedgerPayment>,
    /// Why it is not paid at all.
    unpaid: Option<Disagreement>,
    ledger: Amount,
    earned: Amount,
    platform: Option<Amount>,
    /// When the ledger was read.
    unix_ms: u64,
}

impl Compared<'_> {
    fn difference(&self) -> Option<Disagreement> {
        let Self { unpaid, ledger, earned, .. } = *self;
        let is_open = |known: &LedgerPayment| {
            matches!(known.state, PaymentState::Unclear { .. } | PaymentState::Sent { .. })
        };
        let found = match self.platform {
            _ if self.known.is_some_and(is_open) => Disagreement::Unclear,
            Some(platform) if platform > ledger && is_multiple(platform, ledger) => Disagreement::PaidTwice,
            Some(platform) if platform != ledger => Disagreement::Platform,
            _ if ledger == Amount(0) && earned > Amount(0) && unpaid.is_some() => return unpaid,
            _ if ledger < earned => Disagreement::NotPaidYet,
            _ if ledger > earned => Disagreement::MoreThanEarned,
            _ => return None,
        };
        Some(if self.is_on_its_way(found) { Disagreement::OnItsWay } else { found })
    }

    /// Whether a difference is that of a payment which is being made.
    fn is_on_its_way(&self, found: Disagreement) -> bool {
        let state = |known: Option<&LedgerPayment>| known.map(|known| known.state.clone());
        let is_within = |since: u64, ms: u64| self.unix_ms.abs_diff(since) < ms;
        let Some(known) = self.known else { return self.later.is_some() };
        if state(self.later) != state(self.known) {
            return true;
        }
        match found {
            Disagreement::Unclear => known.under_way_since().is_some_and(|since| is_within(since, HELD_MS)),
            Disagreement::Platform => {
                self.platform < Some(self.ledger) && is_within(known.unix_ms, LISTED_WITHIN_MS)
            }
            _ => false,
        }
    }
}

/// Whether a payment was made several times.
const fn is_multiple(platform: Amount, ledger: Amount) -> bool {
    ledger.0 > 0 && platform.0.is_multiple_of(ledger.0)
}
