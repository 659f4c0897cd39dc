//! Money is paid once: the fold of a study's ledger, and the rules of what may be appended to it.
//!
//! Any number of processes append to the ledger, and each of them appends before it sends anything to a panel. [`Ledger`] is its
//! fold. Its methods answer what may happen next with the change to append, and a change that does not follow from the state
//! has no effect. Nothing here reads a clock or a store, or talks to a panel.
//!
//! A payment is planned, then sent, then confirmed. If it is unknown whether it was made, it is unclear, and is not sent again
//! before the panel or an operator has settled what happened:
//!
//! ```text
//! planned ──▶ sent ──▶ confirmed
//!    │      ▲   │           ▲
//!    │      │   ▼           │
//!    │      └ failed ◀──▶ unclear
//!    ▼          │
//! cancelled ◀───┘
//! ```
//!
//! A payment also becomes unclear before it is sent, if the panel lists a payment for the same work that the ledger does not explain:
//! another copy of the study may have made it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::ledger::{LedgerChange, LedgerEntry, PaymentKey, PaymentPurpose};
use crate::model::record::Earned;
use crate::model::units::Amount;

#[cfg(test)]
mod tests;

/// The state of a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PaymentState {
    /// It was decided on. Nothing was sent.
    Planned,
    /// It was sent, or was about to be when the process ended.
    Sent {
        /// The token of the request.
        token: Arc<str>,
        /// When, in milliseconds since the Unix epoch.
        unix_ms: u64,
    },
    /// It is unknown whether it was made.
    Unclear {
        /// When it was sent, in milliseconds since the Unix epoch; if it was never sent, when it became unclear.
        unix_ms: u64,
        /// Why.
        reason: Arc<str>,
    },
    /// It was made.
    Confirmed,
    /// It was not made, with certainty, and can be sent again.
    Failed {
        /// Why.
        reason: Arc<str>,
    },
    /// It will not be made.
    Cancelled {
        /// Why.
        reason: Arc<str>,
    },
}

impl PaymentState {
    /// The state in a word.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Sent { .. } => "sent",
            Self::Unclear { .. } => "unclear",
            Self::Confirmed => "confirmed",
            Self::Failed { .. } => "failed",
            Self::Cancelled { .. } => "cancelled",
        }
    }

    /// The state after a change; `None` if the change does not follow from this state.
    fn after(&self, change: &LedgerChange, unix_ms: u64) -> Option<Self> {
        match (self, change) {
            (Self::Planned | Self::Failed { .. }, LedgerChange::Sent { token, .. }) => {
                Some(Self::Sent { token: Arc::clone(token), unix_ms })
            }
            (Self::Planned | Self::Failed { .. }, LedgerChange::Cancelled { reason, .. }) => {
                Some(Self::Cancelled { reason: Arc::clone(reason) })
            }
            (Self::Planned | Self::Failed { .. }, LedgerChange::Unclear { reason, .. }) => {
                Some(Self::Unclear { unix_ms, reason: Arc::clone(reason) })
            }
            (Self::Sent { unix_ms, .. }, LedgerChange::Unclear { reason, .. }) => {
                Some(Self::Unclear { unix_ms: *unix_ms, reason: Arc::clone(reason) })
            }
            (Self::Unclear { unix_ms, reason: before }, LedgerChange::Unclear { reason, .. }) => {
                (before != reason).then(|| Self::Unclear { unix_ms: *unix_ms, reason: Arc::clone(reason) })
            }
            (Self::Sent { .. } | Self::Unclear { .. }, LedgerChange::Failed { reason, .. }) => {
                Some(Self::Failed { reason: Arc::clone(reason) })
            }
            (Self::Confirmed | Self::Cancelled { .. }, _) => None,
            (_, LedgerChange::Confirmed { .. }) => Some(Self::Confirmed),
            _ => None,
        }
    }

    /// Whether the payment may still be made or may have been made.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        !matches!(self, Self::Confirmed | Self::Cancelled { .. })
    }
}

/// A payment of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerPayment {
    /// The key of the rater.
    pub rater: Arc<str>,
    /// The amount for the rater.
    pub amount: Amount,
    /// The panel's fee in addition.
    pub fee: Amount,
    /// Its state.
    pub state: PaymentState,
    /// How many times it was sent.
    pub sendings: u32,
    /// The operator who has said that it was not made, if nothing was sent since.
    pub denied_by: Option<Arc<str>>,
    /// When its state changed last, in milliseconds since the Unix epoch.
    pub unix_ms: u64,
}

impl LedgerPayment {
    /// Returns its cost: the amount with the fee.
    #[must_use]
    pub const fn cost(&self) -> Amount {
        self.amount.plus(self.fee)
    }

    /// When a request was sent whose outcome is not known, in milliseconds since the Unix epoch.
    #[must_use]
    pub const fn under_way_since(&self) -> Option<u64> {
        match self.state {
            PaymentState::Sent { unix_ms, .. } => Some(unix_ms),
            PaymentState::Unclear { unix_ms, .. } if self.sendings > 0 => Some(unix_ms),
            _ => None,
        }
    }

    /// Whether it is unclear although it was never sent: the panel lists a payment that may be this one.
    #[must_use]
    pub const fn is_unexplained(&self) -> bool {
        matches!(self.state, PaymentState::Unclear { .. }) && self.sendings == 0
    }
}

/// A listing of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The mark by which the panel knows it.
    pub mark: Arc<str>,
    /// Its name at the panel; `None` until the panel has created it.
    pub id: Option<Arc<str>>,
    /// The number of places that it offers, with those that are taken.
    pub places: u32,
    /// Whether it was closed.
    pub is_closed: bool,
}

/// Work that was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The key of the rater.
    pub rater: Arc<str>,
    /// The reason that the rater reads.
    pub reason: Arc<str>,
    /// The operator who decided; `None` for a rule of the spec.
    pub by: Option<Arc<str>>,
}

/// A payment would exceed the spending limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{cost} would exceed the spending limit of {limit}, of which {committed} are spent or promised")]
pub struct LimitReached {
    /// The cost.
    pub cost: Amount,
    /// The limit.
    pub limit: Amount,
    /// The amount spent or promised, with fees.
    pub committed: Amount,
}

/// A payment that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// The payment.
    pub payment: PaymentKey,
    /// The key of the rater.
    pub rater: Arc<str>,
    /// The amount for the rater.
    pub amount: Amount,
    /// The panel's fee in addition.
    pub fee: Amount,
}

/// Money by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerTotals {
    /// The amount that raters have received, according to the panel.
    pub paid: Amount,
    /// Fees on it.
    pub fees: Amount,
    /// The amount that raters will receive, with fees.
    pub promised: Amount,
    /// The amount that raters may have received, with fees: it is unknown.
    pub unclear: Amount,
}

impl LedgerTotals {
    /// All of it together.
    #[must_use]
    pub const fn committed(&self) -> Amount {
        self.paid.plus(self.fees).plus(self.promised).plus(self.unclear)
    }
}

/// The fold of a ledger.
///
/// # Examples
/// ```
/// use hype_core::model::ledger::{LedgerEntry, PaymentKey, PaymentPurpose};
/// use hype_core::protocol::ledger::{Due, Ledger, PaymentState};
/// use hype_core::Amount;
///
/// let mut ledger = Ledger::default();
/// let payment = PaymentKey { session: "p000000-000".into(), purpose: PaymentPurpose::Bonus };
/// let due = Due { payment: payment.clone(), rater: "r1".into(), amount: Amount(1_500_000), fee: Amount(300_000) };
/// let planned = ledger.plan(&due, Some(Amount(2_000_000)))?.unwrap();
/// ledger.apply(LedgerEntry { id: "1".into(), unix_ms: 0, change: planned });
/// let sent = ledger.send(&payment, "token".into()).unwrap();
/// ledger.apply(LedgerEntry { id: "2".into(), unix_ms: 1, change: sent });
/// // It is not sent twice, whatever happens.
/// assert!(ledger.send(&payment, "another token".into()).is_none());
/// // Nor is another payment beyond the limit planned.
/// let more = Due { payment: PaymentKey { purpose: PaymentPurpose::Reward, ..payment }, ..due };
/// assert!(ledger.plan(&more, Some(Amount(2_000_000))).is_err());
/// # Ok::<(), hype_core::protocol::ledger::LimitReached>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    payments: BTreeMap<PaymentKey, LedgerPayment>,
    listings: BTreeMap<u32, Listing>,
    rejections: BTreeMap<Arc<str>, Rejection>,
    forgotten: BTreeSet<Arc<str>>,
    totals: LedgerTotals,
    entries: u64,
}

impl Ledger {
    /// The fold of a log.
    #[must_use]
    pub fn of(log: impl IntoIterator<Item = LedgerEntry>) -> Self {
        let mut ledger = Self::default();
        log.into_iter().for_each(|entry| ledger.apply(entry));
        ledger
    }

    /// Adds the next entry of the log. A change that does not follow from the state has no effect.
    pub fn apply(&mut self, LedgerEntry { unix_ms, change, .. }: LedgerEntry) {
        self.entries += 1;
        match change {
            LedgerChange::ListingPlanned { listing, mark, places } => {
                let planned = Listing { mark, id: None, places, is_closed: false };
                self.listings.entry(listing).or_insert(planned);
            }
            LedgerChange::ListingCreated { listing, id } => {
                if let Some(listing) = self.listings.get_mut(&listing) {
                    listing.id.get_or_insert(id);
                }
            }
            LedgerChange::ListingResized { listing, places } => {
                if let Some(listing) = self.listings.get_mut(&listing) {
                    listing.places = places;
                }
            }
            LedgerChange::ListingClosed { listing } => {
                if let Some(listing) = self.listings.get_mut(&listing) {
                    listing.is_closed = true;
                }
            }
            LedgerChange::Planned { payment, rater, amount, fee, .. } => {
                let (state, sendings, denied_by) = (PaymentState::Planned, 0, None);
                let planned = LedgerPayment { rater, amount, fee, state, sendings, denied_by, unix_ms };
                let is_rejected = self.is_rejected(&payment);
                if !is_rejected && !self.payments.contains_key(&payment) {
                    self.totals.promised = self.totals.promised.plus(planned.cost());
                    self.payments.insert(payment, planned);
                }
            }
            LedgerChange::Sent { .. }
            | LedgerChange::Confirmed { .. }
            | LedgerChange::Unclear { .. }
            | LedgerChange::Failed { .. }
            | LedgerChange::Cancelled { .. } => self.advance(&change, unix_ms),
            LedgerChange::Rejected { session, rater, reason, by } => {
                if self.can_be_rejected(&session) {
                    self.rejections.insert(session, Rejection { rater, reason, by });
                }
            }
            LedgerChange::Forgotten { person } => {
                self.forgotten.insert(person);
            }
        }
    }

    /// Changes the state of a payment, and the totals with it.
    fn advance(&mut self, change: &LedgerChange, unix_ms: u64) {
        let Some(payment) = change.payment().and_then(|key| self.payments.get_mut(key)) else { return };
        let Some(state) = payment.state.after(change, unix_ms) else { return };
        self.totals.leave(payment);
        match change {
            LedgerChange::Sent { .. } => {
                payment.sendings += 1;
                payment.denied_by = None;
            }
            LedgerChange::Failed { by: Some(by), .. } => payment.denied_by = Some(Arc::clone(by)),
            _ => {}
        }
        payment.state = state;
        payment.unix_ms = unix_ms;
        self.totals.enter(payment);
    }

    /// Whether a change of a payment's state follows from the state.
    #[must_use]
    pub fn accepts(&self, change: &LedgerChange) -> bool {
        let payment = change.payment().and_then(|key| self.payments.get(key));
        payment.is_some_and(|payment| payment.state.after(change, 0).is_some())
    }

    fn is_rejected(&self, payment: &PaymentKey) -> bool {
        payment.purpose == PaymentPurpose::Reward && self.rejections.contains_key(&payment.session)
    }

    /// Returns the part of a session's earnings with neither a payment nor a rejection, without fees.
    #[must_use]
    pub fn unpaid(&self, session: &Arc<str>, earned: &Earned) -> Amount {
        // Nothing is paid for rejected work, neither reward nor bonus.
        if self.rejections.contains_key(session) {
            return Amount(0);
        }
        let parts = [(PaymentPurpose::Reward, earned.base), (PaymentPurpose::Bonus, earned.beside_base())];
        let is_missing = |purpose: PaymentPurpose| {
            !self.payments.contains_key(&PaymentKey { session: Arc::clone(session), purpose })
        };
        parts
            .into_iter()
            .filter(|(purpose, _)| is_missing(*purpose))
            .fold(Amount(0), |sum, (_, amount)| sum.plus(amount))
    }

    /// Whether work was not rejected yet, and its reward never planned.
    fn can_be_rejected(&self, session: &Arc<str>) -> bool {
        let reward = PaymentKey { session: Arc::clone(session), purpose: PaymentPurpose::Reward };
        !self.payments.contains_key(&reward) && !self.rejections.contains_key(session)
    }

    /// The number of entries so far.
    #[must_use]
    pub const fn entries(&self) -> u64 {
        self.entries
    }

    /// All payments.
    #[must_use]
    pub const fn payments(&self) -> &BTreeMap<PaymentKey, LedgerPayment> {
        &self.payments
    }

    /// All listings by their numbers.
    #[must_use]
    pub const fn listings(&self) -> &BTreeMap<u32, Listing> {
        &self.listings
    }

    /// Rejected work by session.
    #[must_use]
    pub const fn rejections(&self) -> &BTreeMap<Arc<str>, Rejection> {
        &self.rejections
    }

    /// Whether a person, named by a keyed hash, was forgotten.
    #[must_use]
    pub fn is_forgotten(&self, person: &str) -> bool {
        self.forgotten.contains(person)
    }

    /// The number of people who were forgotten.
    #[must_use]
    pub fn forgotten(&self) -> usize {
        self.forgotten.len()
    }

    /// Money by state.
    #[must_use]
    pub const fn totals(&self) -> LedgerTotals {
        self.totals
    }

    /// Whether money for a rater is open: promised, on its way or unclear.
    #[must_use]
    pub fn is_open_for(&self, rater: &str) -> bool {
        self.payments.values().any(|payment| *payment.rater == *rater && payment.state.is_open())
    }

    /// The change that plans a payment; `None` if it is known already, costs nothing, or is the reward of rejected work.
    ///
    /// # Errors
    /// If it would exceed the spending limit.
    pub fn plan(&self, due: &Due, limit: Option<Amount>) -> Result<Option<LedgerChange>, LimitReached> {
        let Due { payment, rater, amount, fee } = due;
        if *amount == Amount(0) || self.payments.contains_key(payment) || self.is_rejected(payment) {
            return Ok(None);
        }
        self.within(amount.plus(*fee), limit)?;
        Ok(Some(LedgerChange::Planned {
            payment: payment.clone(),
            rater: Arc::clone(rater),
            amount: *amount,
            fee: *fee,
            by: None,
        }))
    }

    /// As [`plan`](Self::plan), by the decision of an operator.
    ///
    /// # Errors
    /// As [`plan`](Self::plan).
    pub fn plan_by(
        &self,
        due: &Due,
        limit: Option<Amount>,
        operator: &str,
    ) -> Result<Option<LedgerChange>, LimitReached> {
        let mut planned = self.plan(due, limit)?;
        if let Some(LedgerChange::Planned { by, .. }) = &mut planned {
            *by = Some(operator.into());
        }
        Ok(planned)
    }

    /// Checks that something can be spent without exceeding the limit.
    ///
    /// # Errors
    /// If it cannot.
    pub fn within(&self, cost: Amount, limit: Option<Amount>) -> Result<(), LimitReached> {
        let committed = self.totals.committed();
        match limit {
            Some(limit) if committed.plus(cost) > limit => Err(LimitReached { cost, limit, committed }),
            _ => Ok(()),
        }
    }

    /// Whether a request for bonuses other than these may still be under way: it was sent less than `within_ms` ago, and its outcome is
    /// not known.
    #[must_use]
    pub fn is_paying(&self, own: &BTreeSet<PaymentKey>, unix_ms: u64, within_ms: u64) -> bool {
        let of_others = self.payments.iter().filter(|(key, _)| !own.contains(key));
        let mut bonuses = of_others.filter(|(key, _)| key.purpose == PaymentPurpose::Bonus);
        // A clock that was set back must not stop payments for longer than that.
        bonuses.any(|(_, payment)| {
            payment.under_way_since().is_some_and(|since| unix_ms.abs_diff(since) < within_ms)
        })
    }

    /// The change to append before a payment is sent; `None` if it must not be sent.
    #[must_use]
    pub fn send(&self, payment: &PaymentKey, token: Arc<str>) -> Option<LedgerChange> {
        let state = &self.payments.get(payment)?.state;
        matches!(state, PaymentState::Planned | PaymentState::Failed { .. })
            .then(|| LedgerChange::Sent { payment: payment.clone(), token })
    }

    /// The change that rejects work; `None` if it is rejected already, or its reward was planned, whatever came of it.
    #[must_use]
    pub fn reject(
        &self,
        session: &str,
        rater: &str,
        reason: &str,
        by: Option<Arc<str>>,
    ) -> Option<LedgerChange> {
        let session = session.into();
        let (rater, reason) = (rater.into(), reason.into());
        self.can_be_rejected(&session).then_some(LedgerChange::Rejected { session, rater, reason, by })
    }

    /// The change that tells what the panel lists of a forgotten person, named by a keyed hash, from the work of people who are
    /// unknown; `None` if it was made before, or no one was recruited through the ledger.
    #[must_use]
    pub fn forget(&self, person: Arc<str>) -> Option<LedgerChange> {
        (self.entries > 0 && !self.is_forgotten(&person)).then_some(LedgerChange::Forgotten { person })
    }
}

impl LedgerTotals {
    /// The amounts in which a payment counts: what raters get, and the fee.
    fn of(&mut self, payment: &LedgerPayment) -> Option<(&mut Amount, Amount)> {
        match payment.state {
            PaymentState::Planned | PaymentState::Failed { .. } => Some((&mut self.promised, payment.cost())),
            PaymentState::Sent { .. } | PaymentState::Unclear { .. } => {
                Some((&mut self.unclear, payment.cost()))
            }
            PaymentState::Confirmed => Some((&mut self.paid, payment.amount)),
            PaymentState::Cancelled { .. } => None,
        }
    }

    fn enter(&mut self, payment: &LedgerPayment) {
        if let Some((total, part)) = self.of(payment) {
            *total = total.plus(part);
        }
        if payment.state == PaymentState::Confirmed {
            self.fees = self.fees.plus(payment.fee);
        }
    }

    fn leave(&mut self, payment: &LedgerPayment) {
        if let Some((total, part)) = self.of(payment) {
            *total = Amount(total.0.saturating_sub(part.0));
        }
        if payment.state == PaymentState::Confirmed {
            self.fees = Amount(self.fees.0.saturating_sub(payment.fee.0));
        }
    }
}
