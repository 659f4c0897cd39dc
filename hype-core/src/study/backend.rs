//! Backends, which bring raters to a study.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use crate::diagnostics::Diagnostics;
use crate::model::event::LogError;
use crate::model::findings::Findings;
use crate::model::units::Amount;
use crate::plugin::cohort::{CohortError, CohortSpec};
use crate::plugin::store::{Store, StoreError};
use crate::plugin::surroundings::Surroundings;
use crate::study::Study;
use crate::study::session::{ReplayError, SessionError};

/// Brings raters to a study and drives their sessions.
///
/// Register an implementation with [`register_backend!`](crate::register_backend) to use it from YAML.
#[async_trait]
pub trait Backend: Any + Debug + Send + Sync {
    /// Checks the rules across fields and, if the study is about to be run, what it needs outside the spec. Adds every
    /// fault to `at`.
    fn check(&self, around: &Surroundings<'_>, at: &mut Diagnostics);

    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// Collects until every place of the study is completed or given up, or `watch` asks to stop. Resumes an interrupted
    /// collection.
    ///
    /// # Errors
    /// If the collection cannot continue. What was collected is in the store.
    async fn collect(
        &self,
        study: &Study,
        store: Arc<dyn Store>,
        watch: &dyn Watch,
    ) -> Result<Collected, BackendError>;

    /// The same backend with the raters of a cohort in place of its own; `None` if it only serves people.
    fn with_cohort(&self, cohort: Box<dyn CohortSpec>) -> Option<Box<dyn BackendSpec>>;

    /// Whether its raters are synthetic.
    fn is_simulated(&self) -> bool {
        false
    }
}

/// A backend as a spec holds it, by its `kind`. Implemented by [`register_backend!`](crate::register_backend).
#[typetag::serde(tag = "kind")]
pub trait BackendSpec: DynBackend {}

/// What every registered backend has beside [`Backend`].
pub trait DynBackend: Backend {
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn BackendSpec>;
}

impl<B: Backend + BackendSpec + Clone> DynBackend for B {
    fn boxed_clone(&self) -> Box<dyn BackendSpec> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn BackendSpec> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// What a backend can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// It finds raters by itself.
    pub recruits: bool,
    /// It pays them.
    pub pays: bool,
    /// It shows stimuli to people.
    pub presents: bool,
}

/// Receives progress, and may stop the collection. Called from any thread.
pub trait Watch: Send + Sync {
    /// A session's log durably holds this many events.
    fn acknowledged(&self, _session: &str, _events: u64) {}

    /// This many of a study's `images` or `masks` are ready to be shown.
    fn prepared(&self, _what: &str, _done: usize, _all: usize) {}

    /// The study is open to people.
    fn opened(&self, _addresses: &Addresses) {}

    /// A place was completed, or given up.
    fn settled(&self, _place: u32, _completed: bool) {}

    /// Whether [`live`](Self::live) is wanted, which takes an occasional analysis of all answers.
    fn follows(&self) -> bool {
        false
    }

    /// The state of the collection, several times a second while people rate.
    fn live(&self, _live: &LiveStatus) {}

    /// Whether to stop as soon as possible.
    fn stop(&self) -> bool {
        false
    }
}

/// The state of a collection.
#[derive(Debug, Clone)]
pub struct LiveStatus {
    /// Places with a rater in progress.
    pub held: u32,
    /// Places completed.
    pub done: u32,
    /// Places given up after the last replacement.
    pub given_up: u32,
    /// Places without a rater.
    pub free: u32,
    /// The currency (ISO 4217) and what raters have earned, where they are paid.
    pub spent: Option<(Arc<str>, Amount)>,
    /// Recent findings; `None` while there is too little data.
    pub findings: Option<Arc<Findings>>,
}

/// Where a study is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addresses {
    /// The page of raters.
    pub raters: String,
    /// The operator's page, with its access key. Not for raters.
    pub operator: String,
}

/// Ignores progress and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {}

/// The result of a collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collected {
    /// Places completed by raters who count, those of earlier calls included.
    pub completed: u32,
    /// Places given up after the last replacement.
    pub given_up: u32,
    /// Places still open because the collection was stopped.
    pub open: u32,
}

/// A collection cannot continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A session could not be opened or driven: the task is at fault.
    #[error("session {session}: {source}")]
    Session {
        /// The session.
        session: String,
        /// What went wrong.
        source: SessionError,
    },
    /// A stored session cannot be replayed.
    #[error("session {session}: {source}")]
    Replay {
        /// The session.
        session: String,
        /// What went wrong.
        source: ReplayError,
    },
    /// A stored session's log is damaged; the operator restores a copy of the store.
    #[error("session {session}: {source}")]
    Log {
        /// The session.
        session: String,
        /// What is wrong with it.
        source: LogError,
    },
    /// The cohort has no rater for a place.
    #[error(transparent)]
    Cohort(#[from] CohortError),
    /// A rater gave an invalid answer; the author of the rater has to correct it.
    #[error("session {session}, trial {trial}: the rater's answer was refused: {reason}")]
    Refused {
        /// The session.
        session: String,
        /// The trial's number.
        trial: u32,
        /// Why.
        reason: String,
    },
    /// The backend's own settings do not allow it.
    #[error("{0}")]
    Settings(String),
}

impl BackendError {
    /// Whether the same call may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_retryable())
    }
}
