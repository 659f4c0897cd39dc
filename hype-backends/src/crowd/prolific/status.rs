//! The meanings of Prolific's statuses.

use super::wire::Study;
use crate::crowd::platform::{ListingAdmission, SubmissionState};

/// The state of a submission, by its status.
///
/// | status | what it says | state |
/// |---|---|---|
/// | `RESERVED`, `ACTIVE` | a participant has a place, or is at work | at work |
/// | `PROCESSING` | Prolific carries out a decision | at work; nothing is decided again |
/// | `AWAITING REVIEW` | handed in | to review |
/// | `APPROVED`, `PARTIALLY APPROVED` | the reward, or a part of it, is paid | approved |
/// | `SCREENED OUT` | paid the amount for those who are screened out; the place is free | returned: no reward is due |
/// | `REJECTED`, `RETURNED`, `TIMED-OUT` | not paid; the place is free | the same |
///
/// Any other status, and Prolific's own `UNKNOWN`, is unknown: it would be a guess whether such work has to be paid. One submission
/// with such a status leaves all others as they are.
pub(super) fn submission_state(status: &str) -> SubmissionState {
    match &*normal(status) {
        "RESERVED" | "ACTIVE" | "PROCESSING" => SubmissionState::Working,
        "AWAITING REVIEW" => SubmissionState::ToReview,
        "APPROVED" | "PARTIALLY APPROVED" => SubmissionState::Approved,
        "REJECTED" => SubmissionState::Rejected,
        "RETURNED" | "SCREENED OUT" => SubmissionState::Returned,
        "TIMED OUT" => SubmissionState::TimedOut,
        _ => SubmissionState::Unknown,
    }
}

/// The status of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StudyStatus {
    /// A draft.
    Draft,
    /// Published, or about to be.
    Published,
    /// Published, with admission paused.
    Paused,
    /// Every place is filled. More places open it again.
    Full,
    /// It was stopped before every place was filled. More places open it again.
    Stopped,
    /// A status that this version does not know.
    Unknown,
}

impl StudyStatus {
    /// The status of a study.
    pub(super) fn of(study: &Study) -> Self {
        match &*normal(&study.status) {
            "UNPUBLISHED" => Self::Draft,
            "PUBLISHING" | "SCHEDULED" | "ACTIVE" => Self::Published,
            "PAUSED" => Self::Paused,
            // Prolific uses the same words for studies that are full and for those that were stopped.
            "AWAITING REVIEW" | "COMPLETED" => match study.places_taken {
                Some(taken) if taken < study.total_available_places => Self::Stopped,
                _ => Self::Full,
            },
            _ => Self::Unknown,
        }
    }

    /// Whether people can enter. A draft cannot be entered before it is published, which opening it does.
    pub(super) const fn admission(self) -> ListingAdmission {
        match self {
            Self::Draft | Self::Paused => ListingAdmission::Paused,
            Self::Published | Self::Full => ListingAdmission::Open,
            Self::Stopped => ListingAdmission::Closed,
            Self::Unknown => ListingAdmission::Unknown,
        }
    }
}

/// Statuses are written with spaces, hyphens or underscores, and in either case.
fn normal(status: &str) -> String {
    status.trim().replace(['_', '-'], " ").to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_status_of_a_submission_is_known() {
        use SubmissionState::{Approved, Rejected, Returned, TimedOut, ToReview, Unknown, Working};
        let cases = [
            ("RESERVED", Working),
            ("ACTIVE", Working),
            ("PROCESSING", Working),
            ("AWAITING REVIEW", ToReview),
            ("AWAITING_REVIEW", ToReview),
            ("APPROVED", Approved),
            ("approved", Approved),
            ("PARTIALLY APPROVED", Approved),
            ("REJECTED", Rejected),
            ("RETURNED", Returned),
            ("SCREENED OUT", Returned),
            ("TIMED-OUT", TimedOut),
            ("UNKNOWN", Unknown),
            ("PAID TWICE", Unknown),
            ("", Unknown),
        ];
        for (status, state) in cases {
            assert_eq!(submission_state(status), state, "{status}");
        }
    }

    #[test]
    fn a_stopped_study_is_told_from_a_full_one_by_its_places() {
        let status = |status: &str, taken| {
            StudyStatus::of(&Study {
                id: "s".into(),
                internal_name: None,
                status: status.into(),
                total_available_places: 10,
                places_taken: taken,
            })
        };
        assert_eq!(status("UNPUBLISHED", None), StudyStatus::Draft);
        assert_eq!(status("ACTIVE", Some(10)), StudyStatus::Published);
        assert_eq!(status("PAUSED", Some(3)), StudyStatus::Paused);
        assert_eq!(status("AWAITING REVIEW", Some(3)), StudyStatus::Stopped);
        assert_eq!(status("COMPLETED", Some(10)), StudyStatus::Full);
        assert_eq!(status("COMPLETED", None), StudyStatus::Full);
        assert_eq!(status("ARCHIVED", Some(3)), StudyStatus::Unknown);
    }
}
