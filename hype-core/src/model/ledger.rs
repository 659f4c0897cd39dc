//! The ledger of a study that recruits: what was listed at a panel, and what was paid, in the order in which it was decided.
//!
//! The ledger names raters and sessions by their keys in the study. Ids of people at a panel are kept apart from it, under seal.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::units::Amount;

/// The purpose of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PaymentPurpose {
    /// For taking part: the panel pays it when the work is approved.
    Reward,
    /// For right answers and for waiting until the study needed the rater, in one payment.
    Bonus,
}

impl PaymentPurpose {
    /// The purpose in a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reward => "reward",
            Self::Bonus => "bonus",
        }
    }
}

/// Identifies a payment: a session is paid at most once for each purpose.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct PaymentKey {
    /// The session that is paid for, such as `p000003-000`.
    pub session: Arc<str>,
    /// The purpose of the payment.
    pub purpose: PaymentPurpose,
}

impl fmt::Display for PaymentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.session, self.purpose.name())
    }
}

/// Not the name of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a payment is named by its session and its purpose, such as p000003-000/bonus")]
pub struct NotAPayment;

/// Reads what [`Display`](fmt::Display) writes.
impl FromStr for PaymentKey {
    type Err = NotAPayment;

    fn from_str(text: &str) -> Result<Self, NotAPayment> {
        let (session, purpose) = text.trim().rsplit_once('/').ok_or(NotAPayment)?;
        let purposes = [PaymentPurpose::Reward, PaymentPurpose::Bonus];
        let purpose = purposes.into_iter().find(|known| known.name() == purpose).ok_or(NotAPayment)?;
        if session.is_empty() {
            return Err(NotAPayment);
        }
        Ok(Self { session: session.into(), purpose })
    }
}

/// A change of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LedgerChange {
    /// A listing is about to be created at the panel. If it is unknown whether it was, the panel is asked for its mark.
    ListingPlanned {
        /// The listing's number; the first has the number 0.
        listing: u32,
        /// The mark by which the panel knows it.
        mark: Arc<str>,
        /// The number of places that it offers.
        places: u32,
    },
    /// The panel has created a listing.
    ListingCreated {
        /// The listing's number.
        listing: u32,
        /// Its name at the panel.
        id: Arc<str>,
    },
    /// A listing is about to offer another number of places.
    ListingResized {
        /// The listing's number.
        listing: u32,
        /// The number of places that it offers from now on, with those that are taken.
        places: u32,
    },
    /// A listing was closed: it admits no one else.
    ListingClosed {
        /// The listing's number.
        listing: u32,
    },
    /// A payment was decided on. Nothing was sent.
    Planned {
        /// The payment.
        payment: PaymentKey,
        /// The key of the rater.
        rater: Arc<str>,
        /// The amount for the rater.
        amount: Amount,
        /// The panel's fee, in addition.
        fee: Amount,
        /// The operator who approved the work; `None` for a rule of the spec.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Arc<str>>,
    },
    /// A payment is about to be sent. From now on it may have been made.
    Sent {
        /// The payment.
        payment: PaymentKey,
        /// The token of the request.
        token: Arc<str>,
    },
    /// A payment was made, according to the panel or, if it cannot be asked, to an operator.
    Confirmed {
        /// The payment.
        payment: PaymentKey,
        /// The operator who says so; `None` if the panel does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Arc<str>>,
    },
    /// It is unknown whether a payment was made: it was sent, or the panel lists one that the ledger does not explain. Nothing more is
    /// sent until that is settled.
    Unclear {
        /// The payment.
        payment: PaymentKey,
        /// Why.
        reason: Arc<str>,
    },
    /// A payment was not made, with certainty. It can be sent again.
    Failed {
        /// The payment.
        payment: PaymentKey,
        /// Why.
        reason: Arc<str>,
        /// The operator who says so; `None` if the panel does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Arc<str>>,
    },
    /// A payment that was not made will not be made.
    Cancelled {
        /// The payment.
        payment: PaymentKey,
        /// Why.
        reason: Arc<str>,
    },
    /// Work is about to be rejected, and its reward not paid.
    Rejected {
        /// The session.
        session: Arc<str>,
        /// The key of the rater.
        rater: Arc<str>,
        /// The reason that the rater reads.
        reason: Arc<str>,
        /// The operator who decided; `None` for a rule of the spec.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Arc<str>>,
    },
    /// A person who was owed nothing was forgotten. What the panel lists of the person was paid under a session that can no
    /// longer be found by it.
    Forgotten {
        /// A keyed hash of the person's id at the panel.
        person: Arc<str>,
    },
}

impl LedgerChange {
    /// The payment that changes, if one does.
    #[must_use]
    pub const fn payment(&self) -> Option<&PaymentKey> {
        match self {
            Self::Planned { payment, .. }
            | Self::Sent { payment, .. }
            | Self::Confirmed { payment, .. }
            | Self::Unclear { payment, .. }
            | Self::Failed { payment, .. }
            | Self::Cancelled { payment, .. } => Some(payment),
            _ => None,
        }
    }
}

/// An entry of the ledger, numbered by its position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerEntry {
    /// The name of the attempt to append it, which no other attempt has.
    pub id: Arc<str>,
    /// When, in milliseconds since the Unix epoch.
    pub unix_ms: u64,
    /// The change.
    pub change: LedgerChange,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payments_are_read_as_they_are_written() {
        for purpose in [PaymentPurpose::Reward, PaymentPurpose::Bonus] {
            let key = PaymentKey { session: "p000003-000".into(), purpose };
            assert_eq!(key.to_string().parse(), Ok(key));
        }
        for text in ["", "p000003-000", "/bonus", "p000003-000/tip"] {
            assert_eq!(text.parse::<PaymentKey>(), Err(NotAPayment), "{text:?}");
        }
    }
}
