//! Sending: the platform is asked before anything is sent, and requests for bonuses follow one another.
//!
//! # Copies of a study
//!
//! A ledger that was restored from a backup is behind the platform, and so is that of a study that runs twice. The platform is
//! therefore asked before each payment is sent, also for the first time. A payment that carries this study's mark is confirmed.
//! Another payment for the same work cannot be identified: it makes the payment unclear, and an operator says what it is. Nothing
//! else is requested between that question and the request that pays.
//!
//! # One request at a time
//!
//! Where requests carry no tokens, they must not overlap. The entry [`Sent`](LedgerChange::Sent) is the lock, for all processes that
//! share a store:
//!
//! - An entry is appended only to the ledger by which it was decided. Of two processes that find no request under way, one appends
//!   first; the other one decides again, finds that entry, and waits.
//! - A request is over when its outcome is in the ledger. If its process has ended before, or the outcome is unclear, the lock
//!   holds for [`HELD_MS`] from the time in the entry, and then opens by itself.
//! - A living process never pays after that: what it does after it has read the time takes at most [`LONGEST_STEP`], or it sends
//!   nothing, and the two requests of a payment end by their own limits of 70 s each. That is 7 min 20 s of 10 min; the rest is for
//!   clocks of computers that differ. A process that is halted between its last look at the clock and its request is not
//!   covered: then requests may overlap, but no payment is sent twice, because the ledger says of each one who sends it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hype_core::model::ledger::{LedgerChange, PaymentKey};
use hype_core::protocol::ledger::{Ledger, LedgerPayment};
use hype_core::words::counted;

use super::payments::{Paid, To, failed, order, outcome, unclear};
use super::retry::Retry;
use super::{RecruitError, Recruiter};
use crate::crowd::platform::{PaymentOrder, Settlement};

/// How long a request for bonuses may be under way, in milliseconds since its entry in the ledger.
pub(super) const HELD_MS: u64 = 10 * 60_000;

/// How long after it has read the time a step may send bonuses.
const LONGEST_STEP: Duration = Duration::from_secs(5 * 60);

/// A payment that may be sent, with the number of its sendings when the platform was asked about it.
struct Asked<'a> {
    key: &'a PaymentKey,
    work: Paid<'a>,
    sendings: u32,
}

impl Recruiter {
    /// Asks about payments of one listing, and sends those that were not made.
    pub(super) async fn send_all(
        &self,
        to: &To<'_>,
        mut payments: Vec<(PaymentKey, Paid<'_>)>,
        (retry, unix_ms): (Retry, u64),
        problems: &mut Vec<String>,
    ) -> Result<(), RecruitError> {
        let ledger = self.ledger.current();
        payments.retain(|(key, _)| match self.postponed(key, retry, unix_ms) {
            Some(postponed) => {
                problems.push(postponed);
                false
            }
            None => ledger.send(key, Arc::default()).is_some(),
        });
        // A payment that failed goes alone, as a platform may refuse a request because of one of its payments.
        let has_failed =
            |key: &PaymentKey| ledger.payments().get(key).is_some_and(|known| known.sendings > 0);
        payments.sort_by_key(|(key, _)| has_failed(key));
        let first = payments.partition_point(|(key, _)| !has_failed(key));
        let (first, again) = payments.split_at(first);
        let at_once = to.limits.payments_at_once.max(1);
        if to.limits.knows_tokens {
            // A token holds until the next question, so one is enough for all of them.
            let asked = self.ask(to, &payments, unix_ms, problems).await?;
            let is_first = |asked: &&Asked<'_>| asked.sendings == 0;
            let (first, again): (Vec<_>, Vec<_>) = asked.iter().partition(is_first);
            for batch in first.chunks(at_once).chain(again.chunks(1)) {
                self.send(to, batch, (retry, unix_ms), problems).await?;
            }
            return Ok(());
        }
        for batch in first.chunks(at_once).chain(again.chunks(1)) {
            // The status says how many wait.
            if self.ledger.refresh(&*self.store).await?.is_paying(&BTreeSet::new(), unix_ms, HELD_MS) {
                return Ok(());
            }
            let asked = self.ask(to, batch, unix_ms, problems).await?;
            self.send(to, &asked.iter().collect::<Vec<_>>(), (retry, unix_ms), problems).await?;
        }
        Ok(())
    }

    /// Asks the platform about payments that are about to be sent. Returns those that it does not have.
    async fn ask<'a>(
        &self,
        to: &To<'_>,
        payments: &'a [(PaymentKey, Paid<'a>)],
        unix_ms: u64,
        problems: &mut Vec<String>,
    ) -> Result<Vec<Asked<'a>>, RecruitError> {
        let ledger = self.ledger.current();
        let known = payments.iter().filter_map(|(key, work)| Some((key, work, ledger.payments().get(key)?)));
        let known: Vec<(&PaymentKey, &Paid<'_>, &LedgerPayment)> = known.collect();
        let orders: Vec<PaymentOrder> = known
            .iter()
            .map(|(key, work, payment)| {
                let sent = (payment.sendings > 0).then_some(payment.unix_ms);
                order(work, &self.people.keys().payment(key).into(), payment.amount, sent)
            })
            .collect();
        if orders.is_empty() {
            return Ok(Vec::new());
        }
        let said = match to.platform.settle(to.listing, &orders).await {
            Ok(said) => said,
            Err(error) => {
                problems.push(format!("{} not sent: {error}", counted(orders.len(), "payment")));
                return Ok(Vec::new());
            }
        };
        let mut asked = Vec::new();
        for ((key, work, payment), said) in known.into_iter().zip(said) {
            match said {
                Settlement::Made => {
                    self.change(unix_ms, LedgerChange::Confirmed { payment: key.clone(), by: None }).await?;
                }
                // An operator has looked at what is listed, and says that it is not this payment.
                Settlement::Unexplained if payment.denied_by.is_none() => {
                    let reason = "the platform lists a bonus for this work that this ledger did not send";
                    self.change(unix_ms, unclear(key, reason)).await?;
                }
                Settlement::Unexplained | Settlement::NotMade | Settlement::Unknown => {
                    asked.push(Asked { key, work: *work, sendings: payment.sendings });
                }
            }
        }
        Ok(asked)
    }

    /// Sends payments in one request: those that this call is the one to send.
    async fn send(
        &self,
        to: &To<'_>,
        batch: &[&Asked<'_>],
        (retry, unix_ms): (Retry, u64),
        problems: &mut Vec<String>,
    ) -> Result<(), RecruitError> {
        let mut orders: Vec<PaymentOrder> = Vec::new();
        let mut own: BTreeSet<PaymentKey> = BTreeSet::new();
        for Asked { key, work, sendings } in batch {
            let may_be_sent = |ledger: &Ledger, payment: &LedgerPayment| {
                let is_free = to.limits.knows_tokens || !ledger.is_paying(&own, unix_ms, HELD_MS);
                payment.sendings == *sendings && retry.from(payment) <= unix_ms && is_free
            };
            if let Some((token, ledger)) = self.begin(key, unix_ms, may_be_sent).await?
                && let Some(payment) = ledger.payments().get(*key)
            {
                orders.push(order(work, &token, payment.amount, Some(unix_ms)));
                own.insert((*key).clone());
            }
        }
        if orders.is_empty() {
            return Ok(());
        }
        if to.began.elapsed() > LONGEST_STEP {
            for key in &own {
                self.change(unix_ms, failed(key, "nothing was sent, because the step took too long")).await?;
            }
            return Ok(());
        }
        let paid = to.platform.pay(to.listing, &orders).await;
        for key in &own {
            if let Err(error) = &paid {
                problems.push(format!("{key}: {error}"));
            }
            self.change(unix_ms, outcome(key, &paid)).await?;
        }
        Ok(())
    }

    /// Appends that a payment is sent, if the latest state of it and of the ledger allows that. Returns its token and the ledger if
    /// this call is the one that sends it.
    pub(super) async fn begin(
        &self,
        key: &PaymentKey,
        unix_ms: u64,
        may_be_sent: impl Fn(&Ledger, &LedgerPayment) -> bool + Send + Sync,
    ) -> Result<Option<(Arc<str>, Arc<Ledger>)>, RecruitError> {
        let token: Arc<str> = self.people.keys().payment(key).into();
        let sends = self.ledger.append(&*self.store, unix_ms, |ledger| {
            let is_due = ledger.payments().get(key).is_some_and(|payment| may_be_sent(ledger, payment));
            Ok::<_, RecruitError>(ledger.send(key, Arc::clone(&token)).filter(|_| is_due))
        });
        Ok(sends.await?.then(|| (token, self.ledger.current())))
    }
}
