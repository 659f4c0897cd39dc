//! Operators' actions on a running study.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An operator's action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OperatorAction {
    /// The study admits no raters until it is resumed. Those who have entered may finish.
    Pause,
    /// Raters may enter again, after a pause or after the study was closed.
    Resume,
    /// The collection ends: those who have entered may finish, and the open places stay empty.
    Close,
    /// Raters who wait begin, and later ones need not wait: a study that is held open is needed now.
    Call,
    /// Adds places to the plan.
    TopUp {
        /// How many.
        places: u32,
    },
    /// Excludes a rater from the findings. If the rater's session was completed, its place can be claimed again.
    Exclude {
        /// The rater.
        rater: Arc<str>,
        /// The rater's session.
        session: Arc<str>,
        /// Why.
        reason: Arc<str>,
    },
    /// Takes an exclusion by the operator back.
    Include {
        /// The rater.
        rater: Arc<str>,
        /// The rater's session.
        session: Arc<str>,
        /// Why.
        reason: Arc<str>,
    },
    /// Lets places be claimed again that had been given up.
    Reopen {
        /// How many had been given up.
        places: u32,
    },
    /// Hands out one-time links.
    Links {
        /// The number of the first one.
        first: u64,
        /// How many.
        count: u32,
    },
    /// Makes a key of the operator's page, in place of the earlier one of the same name.
    Key {
        /// Whose key it is.
        name: Arc<str>,
        /// The number of keys that this name has had.
        number: u32,
    },
    /// Downloads what was collected.
    Export {
        /// The name of the download.
        what: Arc<str>,
    },
}

/// An entry of the log of operators' actions, numbered by its position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoggedAction {
    /// The name of the request, by which a repeated one is recognized.
    pub id: Arc<str>,
    /// Who acted: the name of the key, or of the account at the command line.
    pub by: Arc<str>,
    /// When, in milliseconds since the Unix epoch.
    pub unix_ms: u64,
    /// The action.
    pub action: OperatorAction,
}
