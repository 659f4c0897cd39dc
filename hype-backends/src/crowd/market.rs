//! The part of a panel that programs talk to: listings, submissions and money.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use hype_core::Amount;
use hype_core::protocol::fees::Fees;

/// Lists work at a platform, follows it, and pays for it.
///
/// Implementations decide nothing and keep nothing: they translate calls into requests of the platform and its answers into the
/// types of this module, reading lists to their last page. They repeat only requests that the platform is known to carry out
/// once. Ids of people occur in these types only; errors and log lines never contain them.
#[async_trait]
pub trait Market: Debug + Send + Sync {
    /// What holds for this platform.
    fn rules(&self) -> MarketRules;

    /// The money that is left in the account, if the platform says so.
    ///
    /// # Errors
    /// If the platform does not answer.
    async fn balance(&self) -> Result<Option<Amount>, MarketError>;

    /// The listing with a mark, if the platform has created it.
    ///
    /// # Errors
    /// If the platform does not answer.
    async fn find(&self, mark: &str) -> Result<Option<ListingState>, MarketError>;

    /// Creates a listing and lets people see it.
    ///
    /// # Errors
    /// [`MarketError::Unclear`] if it may have been created: the caller then asks for its mark.
    async fn create(&self, listing: &ListingRequest) -> Result<ListingState, MarketError>;

    /// The state of a listing.
    ///
    /// # Errors
    /// If the platform does not answer or does not know it.
    async fn listing(&self, id: &str) -> Result<ListingState, MarketError>;

    /// Sets the number of places of a listing, with those that are taken. Repeating a call changes nothing.
    ///
    /// # Errors
    /// If the platform refuses or does not answer.
    async fn resize(&self, id: &str, places: u32) -> Result<(), MarketError>;

    /// Pauses admission, resumes it, or closes the listing for good. Repeating a call changes nothing.
    ///
    /// # Errors
    /// If the platform refuses or does not answer.
    async fn admit(&self, id: &str, admission: ListingAdmission) -> Result<(), MarketError>;

    /// All submissions of a listing, from all pages.
    ///
    /// # Errors
    /// If the platform does not answer.
    async fn submissions(&self, id: &str) -> Result<Vec<Submission>, MarketError>;

    /// Approves a submission, which pays the listing's reward. Approving an approved submission changes nothing.
    ///
    /// # Errors
    /// [`MarketError::Unclear`] if it may have been approved: the caller then looks at the submission's state.
    async fn approve(&self, submission: &Submission) -> Result<(), MarketError>;

    /// Rejects a submission with a reason that its rater reads. Rejecting a rejected submission changes nothing.
    ///
    /// # Errors
    /// As [`approve`](Self::approve).
    async fn reject(&self, submission: &Submission, reason: &str) -> Result<(), MarketError>;

    /// Asks a rater to return a submission, on platforms that know such requests. Repeating a call changes nothing.
    ///
    /// # Errors
    /// If the platform refuses or does not answer.
    async fn request_return(&self, submission: &Submission, reason: &str) -> Result<(), MarketError>;

    /// Sends payments, at most [`MarketRules::payments_at_once`] of one listing. All of them are made or none.
    ///
    /// # Errors
    /// [`MarketError::Unclear`] if they may have been made. [`settle`](Self::settle) then says more about each.
    async fn pay(&self, listing: &str, orders: &[PaymentOrder]) -> Result<(), MarketError>;

    /// What the platform says about a payment that was sent earlier.
    ///
    /// # Errors
    /// If the platform does not answer.
    async fn settle(&self, listing: &str, order: &PaymentOrder) -> Result<Settlement, MarketError>;

    /// All payments of a listing beside rewards, from all pages, for audits.
    ///
    /// # Errors
    /// If the platform does not answer.
    async fn payments(&self, listing: &str) -> Result<Vec<MadePayment>, MarketError>;

    /// Adds people to a pool, which is created if the platform does not have it, so that other studies can recruit from it or
    /// exclude it. Adding people again changes nothing.
    ///
    /// # Errors
    /// If the platform refuses or does not answer.
    async fn add_to_pool(&self, pool: &str, participants: &[&str]) -> Result<(), MarketError>;

    /// Writes to people, as many requests as the platform needs.
    ///
    /// # Errors
    /// If the platform refuses or does not answer. Some of them may have been written to.
    async fn notify(&self, participants: &[&str], subject: &str, message: &str) -> Result<(), MarketError>;
}

/// What holds for a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "markets make it")]
pub struct MarketRules {
    /// The platform's name for people, such as `Prolific`.
    pub name: &'static str,
    /// The most places of one listing; more places need more listings.
    pub places_per_listing: u32,
    /// The most payments of one request.
    pub payments_at_once: usize,
    /// Whether work that was accepted by a wrong code, or has no session, can be returned by its rater on request.
    pub has_return_requests: bool,
    /// Whether the place of rejected work is offered again by the platform itself.
    pub reopens_rejected: bool,
    /// The shortest reason for a rejection, in characters.
    pub shortest_reason: usize,
    /// What the platform takes of each payment.
    pub fees: Fees,
    /// Whether a listing ends by itself after its time, so that missing places have to be listed anew.
    pub listings_end: bool,
    /// Whether the platform keeps pools of people for this account.
    pub keeps_pools: bool,
}

/// A listing that is to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tests of markets make it")]
pub struct ListingRequest {
    /// The mark by which the listing is found: unique, and without meaning for people.
    pub mark: Arc<str>,
    /// The title that people see.
    pub title: Arc<str>,
    /// What people read about it.
    pub description: Arc<str>,
    /// Words by which people find it.
    pub keywords: Vec<Arc<str>>,
    /// The address of the rater page, without parameters.
    pub address: Arc<str>,
    /// What each approved submission pays.
    pub reward: Amount,
    /// The currency, by its ISO 4217 code.
    pub currency: Arc<str>,
    /// The number of places.
    pub places: u32,
    /// How long it usually takes, in minutes.
    pub minutes: u32,
    /// The most time that a rater has, in minutes.
    pub minutes_at_most: u32,
    /// When nobody else can enter any more, in milliseconds since the Unix epoch.
    pub expires_unix_ms: u64,
    /// The code of completed sessions, where the platform checks codes.
    pub completed_code: Arc<str>,
    /// The code of raters who did not qualify.
    pub disqualified_code: Arc<str>,
    /// The pool that raters have to belong to, if any.
    pub pool: Option<Arc<str>>,
    /// The pools that raters must not belong to.
    pub excluded_pools: Vec<Arc<str>>,
}

/// The state of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "markets make it")]
pub struct ListingState {
    /// Its name at the platform.
    pub id: Arc<str>,
    /// Whether people can enter.
    pub admission: ListingAdmission,
    /// The number of places, with those that are taken.
    pub places: u32,
}

/// Whether people can enter through a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "markets translate every value")]
pub enum ListingAdmission {
    /// They can.
    Open,
    /// Not at the moment.
    Paused,
    /// Never again.
    Closed,
    /// The platform says something that this version does not know. No change can be asked for by it.
    Unknown,
}

/// A submission: one person's work through a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "markets make it")]
pub struct Submission {
    /// Its id at the platform.
    pub id: Arc<str>,
    /// The id of the person at the platform.
    pub participant: Arc<str>,
    /// Its state.
    pub state: SubmissionState,
    /// The completion code that the person entered, if any.
    pub code: Option<Arc<str>>,
    /// When the person began, in milliseconds since the Unix epoch, if the platform says so.
    pub began_unix_ms: Option<u64>,
    /// When the person handed it in, if the platform says so.
    pub ended_unix_ms: Option<u64>,
}

/// The state of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "markets translate every value")]
pub enum SubmissionState {
    /// The person is at work.
    Working,
    /// It was handed in and waits for a decision.
    ToReview,
    /// It was approved, and the reward paid.
    Approved,
    /// It was rejected.
    Rejected,
    /// The person returned it, or was asked to and did.
    Returned,
    /// Its time was over before it was handed in, or it was abandoned.
    TimedOut,
    /// The platform says something that this version does not know. The work waits for the operator, is not paid, and keeps its
    /// place.
    Unknown,
}

impl SubmissionState {
    /// Whether nothing more will come of it: no reward, and no session that is continued.
    #[must_use]
    pub const fn is_gone(self) -> bool {
        matches!(self, Self::Returned | Self::TimedOut | Self::Rejected)
    }
}

/// A payment to be made beside the reward.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tests of markets make it")]
pub struct PaymentOrder {
    /// The token of the request, always the same for one payment.
    pub token: Arc<str>,
    /// The submission that is paid for.
    pub submission: Arc<str>,
    /// The id of the person at the platform.
    pub participant: Arc<str>,
    /// How much.
    pub amount: Amount,
    /// What the person reads.
    pub reason: Arc<str>,
    /// When it was sent, in milliseconds since the Unix epoch.
    pub sent_unix_ms: u64,
}

/// What a platform says about a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the rules of the ledger handle every value")]
pub enum Settlement {
    /// It was made.
    Made,
    /// It was not made, and the earlier request can no longer make it.
    NotMade,
    /// The platform does not say.
    Unknown,
}

/// A payment that the platform has made beside the reward.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "markets make it")]
pub struct MadePayment {
    /// The submission that was paid for.
    pub submission: Arc<str>,
    /// How much.
    pub amount: Amount,
}

/// A request to a platform failed. No message contains ids of people or secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MarketError {
    /// The platform has refused, and nothing has happened. The operator reads the reason.
    #[error("{platform} refused to {action}: {reason}")]
    Refused {
        /// The platform.
        platform: &'static str,
        /// What was requested, such as `approve a submission`.
        action: &'static str,
        /// The platform's code and message.
        reason: String,
    },
    /// The platform was not reached or is too busy, and nothing has happened. The same call may succeed later.
    #[error("{platform} cannot be reached to {action}: {reason}")]
    Unavailable {
        /// The platform.
        platform: &'static str,
        /// What was requested.
        action: &'static str,
        /// Why.
        reason: String,
    },
    /// The platform has answered in a way that this version does not know, and nothing was changed. A later version may know it.
    #[error("{platform} answers the request to {action} in a way that this version does not know: {reason}")]
    NotUnderstood {
        /// The platform.
        platform: &'static str,
        /// What was requested.
        action: &'static str,
        /// What is not known.
        reason: String,
    },
    /// The platform did not confirm the request, which may have been carried out.
    #[error("it is unclear whether {platform} has carried out the request to {action}: {reason}")]
    Unclear {
        /// The platform.
        platform: &'static str,
        /// What was requested.
        action: &'static str,
        /// Why.
        reason: String,
    },
}

impl MarketError {
    /// Whether the request may have been carried out.
    #[must_use]
    pub const fn is_unclear(&self) -> bool {
        matches!(self, Self::Unclear { .. })
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }
}
