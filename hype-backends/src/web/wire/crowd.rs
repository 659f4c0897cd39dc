//! Recruiting on the operator's page: a part of the study's state, and what operators decide.
//!
//! Messages name work and raters by their names in the study. Ids of people at a panel are in none of them.

use std::sync::Arc;

use hype_core::Amount;
use hype_core::model::ledger::{PaymentKey, PaymentPurpose};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How recruiting goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "code that deals with the panel makes it")]
pub struct CrowdOverview {
    /// The panel's name for people.
    pub panel: Arc<str>,
    /// Why the panel cannot be asked at the moment; what was seen before stays.
    pub not_reached: Option<NotReached>,
    /// The state seen last; `None` until the panel has been asked.
    pub seen: Option<CrowdSeen>,
}

/// A panel that cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "code that deals with the panel makes it")]
pub struct NotReached {
    /// Why.
    pub reason: Arc<str>,
    /// Since when, in milliseconds since the Unix epoch.
    pub since_unix_ms: u64,
}

/// The state of recruiting according to a study's logs, its ledger and the panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "code that deals with the panel makes it")]
pub struct CrowdSeen {
    /// People who came, with or without a session.
    pub recruited: u32,
    /// Sessions whose work the panel does not list yet. They count elsewhere once they are listed.
    pub pending: u32,
    /// People at work.
    pub working: u32,
    /// Work that waits for a decision.
    pub to_review: u32,
    /// Approved work.
    pub approved: u32,
    /// Rejected work.
    pub rejected: u32,
    /// Work that was returned, timed out or abandoned.
    pub returned: u32,
    /// Sessions that are over.
    pub finished: u32,
    /// Places that have to be filled.
    pub needed: u32,
    /// Places that may still be filled through the listings.
    pub offered: u32,
    /// Money.
    pub money: CrowdMoney,
    /// The listings at the panel, the latest first.
    pub listings: Vec<CrowdListing>,
    /// The number of listings that are left out.
    pub listings_left_out: u32,
    /// Work that waits for the operator.
    pub waiting: Vec<WaitingWork>,
    /// The number of pieces of such work that are left out.
    pub waiting_left_out: u32,
    /// How long a reason for a rejection is; `None` if work is approved and rejected at the panel, by hand.
    pub reason: Option<ReasonLength>,
    /// Payments that the operator has to confirm or deny.
    pub unsettled: Vec<UnsettledPayment>,
    /// The number of such payments that are left out.
    pub unsettled_left_out: u32,
    /// Faults of single requests, which are repeated if that is safe.
    pub problems: Vec<Arc<str>>,
}

/// The money of a study that recruits. What is spent and promised is the sum of the first four amounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "code that deals with the panel makes it")]
pub struct CrowdMoney {
    /// The currency (ISO 4217).
    pub currency: Arc<str>,
    /// The amount that raters have received.
    pub paid: Amount,
    /// The panel's fees for it.
    pub fees: Amount,
    /// The amount that raters will receive, with fees.
    pub promised: Amount,
    /// The amount that raters may have received, with fees.
    pub unclear: Amount,
    /// All of it together.
    pub committed: Amount,
    /// The spending limit, with fees, if there is one.
    pub limit: Option<Amount>,
    /// The hourly earnings of raters who finished, on average over all their time; `None` until a rater has finished.
    pub hourly: Option<Amount>,
    /// The hourly pay that the panel asks for at least, if it says so.
    pub hourly_least: Option<Amount>,
    /// The hourly pay that the panel recommends, if it says so.
    pub hourly_recommended: Option<Amount>,
}

/// A listing at a panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "code that deals with the panel makes it")]
pub struct CrowdListing {
    /// Its number in the study.
    pub listing: u32,
    /// Whether people can enter: `open`, `paused`, `closed`, or `planned` before the panel has created it.
    pub state: Arc<str>,
    /// The places that it offers.
    pub places: u32,
    /// Those that are taken.
    pub taken: u32,
}

/// Work that waits for the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "code that deals with the panel makes it")]
pub struct WaitingWork {
    /// Its name, by which it is approved or rejected.
    pub work: Arc<str>,
    /// The rater's key in this study; `None` without a session.
    pub rater: Option<Arc<str>>,
    /// Why it waits.
    pub why: Arc<str>,
    /// The checks that the rater fails.
    pub failed: Vec<Arc<str>>,
    /// The rater's earnings.
    pub earned: Amount,
}

/// How long a reason for a rejection is, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "code that deals with the panel makes it")]
pub struct ReasonLength {
    /// At least.
    pub shortest: u32,
    /// At most.
    pub longest: u32,
}

/// A payment that the operator has to confirm or deny.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "code that deals with the panel makes it")]
pub struct UnsettledPayment {
    /// The work that is paid for.
    pub work: Arc<str>,
    /// The purpose of the payment.
    pub purpose: PaymentPurpose,
    /// The amount for the rater.
    pub amount: Amount,
    /// Its state.
    pub state: UnsettledState,
    /// Why it is in that state, if there is something to say.
    pub why: Option<Arc<str>>,
    /// How many times it was sent.
    pub sendings: u32,
}

/// Why the operator has to say whether a payment was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "the page shows each of them")]
pub enum UnsettledState {
    /// It was sent; whether it was made is unknown.
    Unclear,
    /// It is made at the panel, by hand.
    ByHand,
}

/// An operator's decision about recruiting. Repeating it has no second effect.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[expect(clippy::exhaustive_enums, reason = "code that deals with the panel carries out each of them")]
pub enum CrowdAct {
    /// Approves work that waits, which pays its reward.
    Approve {
        /// The name of the work.
        work: String,
    },
    /// Rejects work that waits. Its reward is not paid.
    Reject {
        /// The name of the work.
        work: String,
        /// The text that the rater reads.
        reason: String,
    },
    /// Reviews what was handed in and pays what is due.
    Pay,
    /// Says whether a payment was made.
    Settle {
        /// The payment.
        payment: PaymentKey,
        /// How many times it had been sent when the operator looked at it. What is said of one sending is not said of a later one.
        sendings: u32,
        /// The operator's account of the payment.
        made: PaymentMade,
    },
}

/// Whether a payment was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "there is no third answer")]
pub enum PaymentMade {
    /// It was.
    Made,
    /// It was not.
    NotMade,
}
