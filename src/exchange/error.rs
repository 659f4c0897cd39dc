//! Errors of exporting a study.

use hype_core::model::event::LogError;
use hype_core::{AnalysisError, StoreError};

/// A study cannot be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A file cannot be written; the operator checks the disk and the permissions.
    #[error("{0}")]
    Disk(#[from] std::io::Error),
    /// A table cannot be written.
    #[error("{0}")]
    Table(#[from] csv::Error),
    /// A part of a package cannot be written as JSON; this is a bug in hype.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The sessions cannot be scored.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// A session's log is damaged; the operator restores a backup of the store.
    #[error("session {session}: {source}")]
    Log {
        /// The session.
        session: String,
        /// The reason.
        source: LogError,
    },
    /// The program was built without Parquet.
    #[error(
        "this program was built without Parquet: build it with `--features parquet`, or write csv or jsonl"
    )]
    NoParquet,
    /// The library that writes Parquet failed.
    #[error("the Parquet file cannot be written: {0}")]
    Parquet(String),
    /// Preferences were asked for, but the study's scores compare no models.
    #[error(
        "no score of this study compares two models, and it has no preferences: they come from tasks that ask which of \
         two images is better"
    )]
    NoPreferences,
    /// No measure of the study has a mixed model in R's packages; the operator exports the scores for another program.
    #[error("no model of lme4 or ordinal fits these scores: {0}; write `--what scores`")]
    NoModel(String),
    /// The folder of a package is not empty; the operator chooses a new one.
    #[error("{0} exists and is not empty; choose a new folder")]
    Taken(String),
    /// No random key could be drawn for the raters' pseudonyms.
    #[error(transparent)]
    Chance(#[from] crate::pseudonym::KeyError),
    /// A rater's key would be in the package; the operator has to find out where it comes from.
    #[error("{file} would contain the key of a rater ({rater}), so the package was not written")]
    Identified {
        /// The file in the package.
        file: String,
        /// The key.
        rater: String,
    },
}
