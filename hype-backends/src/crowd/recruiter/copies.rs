//! Copies of a study: a ledger that is behind the platform is recognised, and takes over what was paid elsewhere.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use hype_core::Amount;
use hype_core::model::ledger::{LedgerChange, PaymentKey, PaymentPurpose};
use hype_core::protocol::ledger::{Ledger, PaymentState};

use super::payments::over;
use super::{RecruitError, Recruiter, Seen};
use crate::crowd::platform::PlatformError;

impl Recruiter {
    /// Looks once in each process whether the platform lists bonuses that the ledger does not have.
    ///
    /// # Errors
    /// If the store fails.
    pub(super) async fn look_behind(
        &self,
        seen: &Seen,
        problems: &mut Vec<String>,
    ) -> Result<(), RecruitError> {
        if self.has_looked.load(Ordering::Relaxed) {
            return Ok(());
        }
        match self.listed_bonuses(seen).await {
            Ok(mut listed) => {
                // Read after the lists, as another process may have sent bonuses in the meantime.
                let ledger = self.ledger.refresh(&*self.store).await?;
                listed.retain(|key, _| is_unknown(&ledger, key));
                *self.unknown.lock().await = listed;
                self.has_looked.store(true, Ordering::Relaxed);
            }
            Err(error) => problems.push(error.to_string()),
        }
        Ok(())
    }

    /// Describes to the operator what is listed but not in the ledger; `None` if there is nothing of that kind.
    pub(super) async fn behind(&self, currency: &str) -> Option<String> {
        let ledger = self.ledger.current();
        let mut unknown = self.unknown.lock().await;
        unknown.retain(|key, _| is_unknown(&ledger, key));
        for (key, payment) in ledger.payments().iter().filter(|(_, payment)| payment.is_unexplained()) {
            unknown.entry(key.clone()).or_insert(payment.amount);
        }
        let sum = unknown.values().fold(Amount(0), |sum, amount| sum.plus(*amount));
        let bonuses =
            if unknown.len() == 1 { "1 bonus".to_owned() } else { format!("{} bonuses", unknown.len()) };
        (!unknown.is_empty()).then(|| {
            format!(
                "{} lists {bonuses} of {sum} {currency} that this ledger does not have; nothing is paid again: they were paid by another \
                 copy of this study, or by hand. Continue with the newest copy, or record them in this one by \
                 `hype crowd pay SPEC --adopt`",
                self.panel_name()
            )
        })
    }

    /// An operator takes bonuses that the platform lists for the payments that they look like: those that are unclear, were never
    /// sent by this ledger, and have the amount that is due. Returns them.
    ///
    /// # Errors
    /// If the panel has no interface for programs, the platform cannot be asked, or the store fails.
    pub async fn adopt(&self, by: &str, unix_ms: u64) -> Result<Vec<PaymentKey>, RecruitError> {
        let _turn = self.turn.lock().await;
        if self.interface().is_none() {
            let reason =
                "this panel has no interface for programs that lists bonuses: name what was made with --made";
            return Err(RecruitError::NotPossible(reason.into()));
        }
        let seen = self.see(unix_ms).await?;
        let listed = self.listed_bonuses(&seen).await?;
        let mut adopted = Vec::new();
        for (key, payment) in seen.ledger.payments().iter().filter(|(_, payment)| payment.is_unexplained()) {
            if listed.get(key) == Some(&payment.amount) {
                self.change(unix_ms, LedgerChange::Confirmed { payment: key.clone(), by: Some(by.into()) })
                    .await?;
                adopted.push(key.clone());
            }
        }
        Ok(adopted)
    }

    /// Returns the bonuses that the platform lists for sessions that have earned one.
    async fn listed_bonuses(&self, seen: &Seen) -> Result<BTreeMap<PaymentKey, Amount>, PlatformError> {
        let Some((platform, _)) = self.interface() else { return Ok(BTreeMap::new()) };
        let of_work = seen.work.iter().filter_map(|work| {
            let session = over(work).filter(|session| session.earned.beside_base() > Amount(0))?;
            Some((&*work.submission.as_ref()?.id, &session.session))
        });
        let of_work: BTreeMap<&str, _> = of_work.collect();
        let mut listed: BTreeMap<PaymentKey, Amount> = BTreeMap::new();
        for listing in seen.listings.values() {
            for made in platform.payments(&listing.id).await? {
                let Some(session) = of_work.get(&*made.submission) else { continue };
                let key = PaymentKey { session: (*session).clone(), purpose: PaymentPurpose::Bonus };
                let sum = listed.entry(key).or_default();
                *sum = sum.plus(made.amount);
            }
        }
        Ok(listed)
    }
}

/// Whether the ledger knows nothing of a bonus that is listed: it has neither sent it, nor has an operator said what it is.
fn is_unknown(ledger: &Ledger, key: &PaymentKey) -> bool {
    ledger.payments().get(key).is_none_or(|payment| {
        let is_open = match payment.state {
            PaymentState::Planned | PaymentState::Unclear { .. } => payment.sendings == 0,
            _ => false,
        };
        is_open && payment.denied_by.is_none()
    })
}
