//! The folder of a study.

use std::path::Path;
use std::sync::Arc;

use hype::StudyFolder;
use hype::exchange::export;
use hype::exchange::layout;
use hype_core::Study;

use super::rows::{ExportedRows, RowsOut};
use super::{CallError, CalledFindings};
use crate::failure::Failure;
use crate::metrics;
use crate::report;
use crate::study_folder;

/// A study that was collected.
#[derive(Clone)]
pub struct OpenedFolder(Arc<StudyFolder>);

impl OpenedFolder {
    /// Opens a study, given its folder, or its spec if the folder is next to it.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub fn open(path: &Path) -> Result<Self, CallError> {
        Ok(Self(Arc::new(study_folder::read(path)?)))
    }

    /// The study.
    #[must_use]
    pub fn study(&self) -> &Study {
        self.0.study()
    }

    /// The findings, as `hype score` prints them; nothing is written.
    ///
    /// # Errors
    /// If the logs cannot be scored.
    pub fn findings(&self) -> Result<CalledFindings, CallError> {
        let (mut findings, records) = report::analysed(&self.0).map_err(Failure::from)?;
        metrics::add(&self.0, None, &mut findings, &records)?;
        if self.0.is_simulated() {
            findings.add_notes([hype::simulated_note()]);
        }
        Ok(CalledFindings::of_folder(findings, Arc::clone(&self.0)))
    }

    /// One of the tables that `hype export --what` writes: `scores`, `trials`, `answers`, `corrections`, `played` or `raters`.
    ///
    /// # Errors
    /// For another name, or if the logs cannot be read.
    pub fn table(&self, what: &str) -> Result<ExportedRows, CallError> {
        let (study, store) = (self.0.study(), self.0.store());
        let (layout, write): (_, fn(&Study, &dyn hype_core::Store, &mut RowsOut) -> _) = match what {
            "scores" => (layout::SCORES, |study, store, out| export::scores(study, store, false, out)),
            "trials" => (layout::TRIALS, export::trials),
            "answers" => (layout::ANSWERS, export::answers),
            "corrections" => (layout::CORRECTIONS, export::corrections),
            "played" => (layout::PLAYED, export::played),
            "raters" => (layout::RATERS, export::raters),
            _ => {
                return Err(CallError::new(format!(
                    "there is no table `{what}`: name scores, trials, answers, corrections, played or raters"
                )));
            }
        };
        ExportedRows::written(&layout, |out| write(study, store, out).map_err(Failure::from))
    }
}

impl std::fmt::Debug for OpenedFolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OpenedFolder({})", self.0.path().display())
    }
}
