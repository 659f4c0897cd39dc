//! The next step of a session.

use crate::model::record::Outcome;
use crate::model::trial::Trial;

/// The next step of a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Show this trial, and report the answer.
    Show(Trial),
    /// The session is over.
    Finished(Outcome),
}
