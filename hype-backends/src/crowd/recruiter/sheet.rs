//! The sheet by which people pay at a panel without an interface for programs: what each person gets, to be entered there and read
//! back.

use std::collections::BTreeSet;
use std::sync::Arc;

use hype_core::Amount;
use hype_core::model::ledger::{PaymentKey, PaymentPurpose};
use hype_core::protocol::ledger::{Ledger, LedgerPayment, PaymentState};

use super::payments::{over, reason};
use super::{RecruitError, Recruiter};
use crate::crowd::platform::Settlement;

/// The payments to one person. The id is personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "readers of sheets make it")]
pub struct SheetLine {
    /// The person's id at the panel.
    pub participant: Arc<str>,
    /// The reward; `None` if there is none to pay.
    pub reward: Option<Amount>,
    /// The payment in addition to the reward; `None` if there is nothing to pay.
    pub bonus: Option<Amount>,
    /// The reason that the person reads.
    pub reason: Arc<str>,
}

/// The outcome of a line that was read back.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SheetOutcome {
    /// This many payments are marked as made by it; none if all of them were before.
    Agrees(usize),
    /// It is not what the ledger has, for a reason without ids of people. Nothing is marked.
    Disagrees(String),
}

impl SheetLine {
    /// The amounts that it has, by their purpose.
    fn amounts(&self) -> impl Iterator<Item = (PaymentPurpose, Amount)> {
        let both = [(PaymentPurpose::Reward, self.reward), (PaymentPurpose::Bonus, self.bonus)];
        both.into_iter().filter_map(|(purpose, amount)| Some((purpose, amount?)))
    }

    /// The payments of a session that were not made yet, with the number of times that they were sent, if all of them are those of the
    /// ledger.
    fn open(&self, session: &Arc<str>, ledger: &Ledger) -> Result<Vec<(PaymentKey, u32)>, String> {
        let mut open = Vec::new();
        for (purpose, amount) in self.amounts() {
            let payment = PaymentKey { session: Arc::clone(session), purpose };
            match ledger.payments().get(&payment) {
                None => return Err(format!("the ledger has no {}", purpose.name())),
                Some(known) if known.amount != amount => {
                    return Err(format!(
                        "the ledger has a {} of {}, and the sheet {amount}",
                        purpose.name(),
                        known.amount
                    ));
                }
                Some(LedgerPayment { state: PaymentState::Cancelled { .. }, .. }) => {
                    return Err(format!("the {} was cancelled", purpose.name()));
                }
                Some(LedgerPayment { state: PaymentState::Confirmed, .. }) => {}
                Some(known) => open.push((payment, known.sendings)),
            }
        }
        Ok(open)
    }
}

impl Recruiter {
    /// Everything that is to be paid by hand, one line for each person, in the order of sessions. People whose ids are not known are
    /// left out.
    ///
    /// # Errors
    /// If the platform has an interface, the store fails, or a log is damaged.
    pub async fn sheet(&self, unix_ms: u64) -> Result<Vec<SheetLine>, RecruitError> {
        self.check_by_hand()?;
        let _turn = self.turn.lock().await;
        let seen = self.see(unix_ms).await?;
        let mut lines = Vec::new();
        for session in seen.work.iter().filter_map(over) {
            let open = |purpose| {
                let payment = PaymentKey { session: Arc::clone(&session.session), purpose };
                seen.ledger
                    .payments()
                    .get(&payment)
                    .filter(|known| known.state.is_open())
                    .map(|known| known.amount)
            };
            let (reward, bonus) = (open(PaymentPurpose::Reward), open(PaymentPurpose::Bonus));
            if reward.is_none() && bonus.is_none() {
                continue;
            }
            let Some(ids) = self.people.participant(&session.session, &session.rater).await? else {
                continue;
            };
            let reason =
                if bonus.is_some() { reason(&session.earned) } else { "For taking part. Thank you!" };
            lines.push(SheetLine {
                participant: ids.participant.into(),
                reward,
                bonus,
                reason: reason.into(),
            });
        }
        Ok(lines)
    }

    /// Marks the payments of a sheet as made, as an operator says: those of lines whose amounts are all those of the ledger.
    ///
    /// # Errors
    /// If the platform has an interface, or the store fails.
    pub async fn settle_sheet(
        &self,
        lines: &[SheetLine],
        by: &str,
        unix_ms: u64,
    ) -> Result<Vec<SheetOutcome>, RecruitError> {
        self.check_by_hand()?;
        let mut outcomes = Vec::with_capacity(lines.len());
        let mut sessions = BTreeSet::new();
        for line in lines {
            outcomes.push(match self.people.session(&line.participant).await? {
                None => SheetOutcome::Disagrees("no one with this id took part in the study".into()),
                Some(session) if !sessions.insert(session.clone()) => {
                    SheetOutcome::Disagrees("an earlier line has the same participant".into())
                }
                Some(session) => self.settle_line(line, &session.into(), by, unix_ms).await?,
            });
        }
        Ok(outcomes)
    }

    async fn settle_line(
        &self,
        line: &SheetLine,
        session: &Arc<str>,
        by: &str,
        unix_ms: u64,
    ) -> Result<SheetOutcome, RecruitError> {
        if line.amounts().next().is_none() {
            return Ok(SheetOutcome::Disagrees("it has neither a reward nor a bonus".into()));
        }
        let open = match line.open(session, &*self.ledger().await?) {
            Ok(open) => open,
            Err(reason) => return Ok(SheetOutcome::Disagrees(reason)),
        };
        for (payment, sendings) in &open {
            match self.settle_sending(payment, *sendings, Settlement::Made, by, unix_ms).await {
                Err(RecruitError::NotPossible(reason)) => return Ok(SheetOutcome::Disagrees(reason)),
                settled => settled?,
            }
        }
        Ok(SheetOutcome::Agrees(open.len()))
    }

    fn check_by_hand(&self) -> Result<(), RecruitError> {
        match self.interface() {
            None => Ok(()),
            Some(_) => Err(RecruitError::NotPossible(format!(
                "{} is paid through its interface: a sheet is for panels without one",
                self.panel_name()
            ))),
        }
    }
}
