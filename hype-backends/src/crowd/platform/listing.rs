//! Listings of a platform.

use std::sync::Arc;

use hype_core::Amount;

/// A listing that is to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tests of platforms make it")]
pub struct ListingRequest {
    /// The mark by which the listing is found: unique, and without meaning for people.
    pub mark: Arc<str>,
    /// The title that people see.
    pub title: Arc<str>,
    /// The description that people read.
    pub description: Arc<str>,
    /// Words by which people find it.
    pub keywords: Vec<Arc<str>>,
    /// The address of the rater page, without parameters.
    pub address: Arc<str>,
    /// The reward for each approved submission.
    pub reward: Amount,
    /// The currency, by its ISO 4217 code.
    pub currency: Arc<str>,
    /// The number of places.
    pub places: u32,
    /// How long it usually takes, in minutes.
    pub minutes: u32,
    /// The most time that a rater has, in minutes.
    pub minutes_at_most: u32,
    /// The time after which no one else can enter, in milliseconds since the Unix epoch.
    pub expires_unix_ms: u64,
    /// The code of completed sessions, where the platform checks codes.
    pub completed_code: Arc<str>,
    /// The code of raters who did not qualify.
    pub disqualified_code: Arc<str>,
    /// The code with which finished work is [handed in](super::Platform::hand_in) for people who have not done so.
    pub handed_in_code: Arc<str>,
    /// The pool that raters have to belong to, if any.
    pub pool: Option<Arc<str>>,
    /// The pools that raters must not belong to.
    pub excluded_pools: Vec<Arc<str>>,
}

/// The state of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "platforms make it")]
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
#[expect(clippy::exhaustive_enums, reason = "platforms translate every value")]
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
