//! Work that people hand in at a platform.

use std::sync::Arc;

/// A submission: one person's work through a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "platforms make it")]
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
#[expect(clippy::exhaustive_enums, reason = "platforms translate every value")]
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
