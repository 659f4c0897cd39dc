//! Payments of a platform in addition to rewards.

use std::sync::Arc;

use hype_core::Amount;

/// A payment to be made in addition to the reward.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tests of platforms make it")]
pub struct PaymentOrder {
    /// The token of the request, always the same for one payment.
    pub token: Arc<str>,
    /// The submission that is paid for.
    pub submission: Arc<str>,
    /// The id of the person at the platform.
    pub participant: Arc<str>,
    /// How much.
    pub amount: Amount,
    /// The text that the person reads.
    pub reason: Arc<str>,
    /// When it was sent last, in milliseconds since the Unix epoch; `None` if this study has never sent it.
    pub sent_unix_ms: Option<u64>,
}

/// A platform's statement about a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the rules of the ledger handle every value")]
pub enum Settlement {
    /// It was made.
    Made,
    /// It was not made, and the earlier request can no longer make it.
    NotMade,
    /// The platform does not say: it lists nothing that could be the payment.
    Unknown,
    /// The platform lists a payment for the same work that may or may not be this one: another copy of the study, or a person,
    /// may have made it.
    Unexplained,
}

/// A payment that the platform has made in addition to the reward.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "platforms make it")]
pub struct MadePayment {
    /// The submission that was paid for.
    pub submission: Arc<str>,
    /// How much.
    pub amount: Amount,
}
