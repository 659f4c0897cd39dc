//! Decides about work that was handed in: a pure function of the declared rules, the session and the submission.

use std::sync::Arc;

use hype_core::{Amount, Ending};

use super::work::{SessionFacts, Work};
use crate::crowd::platform::SubmissionState;
use crate::crowd::settings::{Finished, ReviewSettings, Unfinished};

/// A decision about a piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReviewDecision {
    /// Nothing: it was not handed in, or was decided on.
    Nothing,
    /// It is approved, and its reward paid.
    Approve,
    /// It is rejected by a rule of the spec.
    Reject {
        /// The reason that the rater reads.
        reason: Arc<str>,
    },
    /// It waits for the operator.
    Hold(HoldReason),
    /// The rater is asked to return it.
    RequestReturn,
}

/// Why work waits for the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HoldReason {
    /// The spec says that all work does.
    Declared,
    /// It was handed in without a session: the rater never came to the page, or came without an id.
    NoSession,
    /// The session is not over.
    Running,
    /// The rater left before anything was earned.
    Left,
    /// A survey before the task screened the rater out, for which the study pays nothing.
    ScreenedOut,
    /// The rater left after waiting, for which pay is due.
    LeftWaiting,
    /// The platform says something of the work that this version does not know.
    UnknownState,
}

impl HoldReason {
    /// The reason in words.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Declared => "the operator reviews all work",
            Self::NoSession => "it was handed in without a session",
            Self::Running => "it was handed in before the session was over",
            Self::Left => "the rater left before anything was earned",
            Self::ScreenedOut => "the rater was screened out, for which the study pays nothing",
            Self::LeftWaiting => {
                "the rater left while waiting: what was earned by that is paid once the work is approved"
            }
            Self::UnknownState => {
                "the platform gives it a status that this version does not know: look at it there"
            }
        }
    }
}

/// Decides about a piece of work by the rules.
pub(super) fn decide(rules: &ReviewSettings, can_be_returned: bool, work: &Work) -> ReviewDecision {
    match &work.submission {
        Some(submission) if submission.state == SubmissionState::ToReview => {}
        Some(submission) if submission.state == SubmissionState::Unknown => {
            return ReviewDecision::Hold(HoldReason::UnknownState);
        }
        _ => return ReviewDecision::Nothing,
    }
    let unfinished = |why| match rules.unfinished {
        Unfinished::RequestReturn if can_be_returned => ReviewDecision::RequestReturn,
        _ => ReviewDecision::Hold(why),
    };
    let Some(session) = &work.session else { return unfinished(HoldReason::NoSession) };
    match session.ending {
        None => return unfinished(HoldReason::Running),
        Some(Ending::Left) if session.earned.waiting > Amount(0) && session.earned.base == Amount(0) => {
            return ReviewDecision::Hold(HoldReason::LeftWaiting);
        }
        Some(Ending::Left) if session.earned.base == Amount(0) => return unfinished(HoldReason::Left),
        Some(Ending::ScreenedOut) if session.earned.total() == Amount(0) => {
            return unfinished(HoldReason::ScreenedOut);
        }
        Some(_) => {}
    }
    if let Some(reason) = rejection(rules, session) {
        return ReviewDecision::Reject { reason };
    }
    match rules.finished {
        Finished::Approve => ReviewDecision::Approve,
        Finished::Hold => ReviewDecision::Hold(HoldReason::Declared),
    }
}

/// The reason of the first rule by which a session's work is rejected.
fn rejection(rules: &ReviewSettings, session: &SessionFacts) -> Option<Arc<str>> {
    let rule = rules.reject.iter().find(|rule| session.failed.contains(&rule.check))?;
    Some(Arc::clone(&rule.reason))
}
