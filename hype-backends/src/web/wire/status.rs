//! The body of `GET operator/status`.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::{Amount, Findings, Micros};
use schemars::JsonSchema;
use serde::Serialize;

/// Progress, cost and findings of a study.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Status {
    /// The study's name.
    pub name: Arc<str>,
    /// Places in the plan.
    pub places: u32,
    /// Places completed.
    pub done: u32,
    /// Places held by a rater now.
    pub held: u32,
    /// Places given up because no replacement completed them.
    pub given_up: u32,
    /// Places that nobody holds.
    pub free: u32,
    /// `None` in a study without payment.
    pub cost: Option<Cost>,
    /// The findings so far; `None` while there are too few answers to compute any.
    pub findings: Option<Arc<Findings>>,
    /// The age of the findings.
    pub findings_age_us: Micros,
    /// What does not work at the moment on this server, the oldest first.
    pub problems: Vec<OpenProblem>,
    /// The requests that this server has refused, by code.
    pub refused: BTreeMap<String, u64>,
}

/// A problem that is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OpenProblem {
    /// Its kind.
    pub problem: ServerProblem,
    /// The reason in full, for the operator only.
    pub reason: Arc<str>,
    /// How long it has been open.
    pub lasts_us: Micros,
}

/// What can stop a server from working, or a study from being analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ServerProblem {
    /// The store has no space left. Answers are refused until the operator makes room; the page keeps them.
    DiskFull,
    /// The database's file is no longer at its path. Answers are refused until the operator puts it back.
    DatabaseGone,
    /// The database cannot be reached at the moment. The page keeps answers and repeats them.
    StoreUnavailable,
    /// The store fails. The operator checks the disk, the permissions and the settings.
    StoreFailed,
    /// A log was altered. The operator restores a backup.
    StoreDamaged,
    /// An image cannot be read. The operator restores the study's prepared images.
    ImageUnreadable,
    /// The answers cannot be analysed. They are stored and not at risk.
    AnalysisFailed,
}

impl ServerProblem {
    /// All problems.
    pub const ALL: [Self; 7] = [
        Self::DiskFull,
        Self::DatabaseGone,
        Self::StoreUnavailable,
        Self::StoreFailed,
        Self::StoreDamaged,
        Self::ImageUnreadable,
        Self::AnalysisFailed,
    ];

    /// The name in `/health`, `/metrics` and the log.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::DiskFull => "disk-full",
            Self::DatabaseGone => "database-gone",
            Self::StoreUnavailable => "store-unavailable",
            Self::StoreFailed => "store-failed",
            Self::StoreDamaged => "store-damaged",
            Self::ImageUnreadable => "image-unreadable",
            Self::AnalysisFailed => "analysis-failed",
        }
    }

    /// What it means, in one sentence.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::DiskFull => "the store has no space left: answers are refused until there is room",
            Self::DatabaseGone => {
                "the database's file is no longer at its path: answers are refused until it is back"
            }
            Self::StoreUnavailable => "the database cannot be reached: raters are asked to wait",
            Self::StoreFailed => "the store fails: answers are refused",
            Self::StoreDamaged => "a stored log is damaged: restore a backup",
            Self::ImageUnreadable => "an image cannot be read: its trials cannot be shown",
            Self::AnalysisFailed => "the answers cannot be analysed; they are stored",
        }
    }
}

/// What a study costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cost {
    /// ISO 4217.
    pub currency: Arc<str>,
    /// Earned so far.
    pub so_far: Amount,
    /// The expected cost of the open places, for typical raters.
    pub to_come: Amount,
}
