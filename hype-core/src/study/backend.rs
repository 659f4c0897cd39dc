//! Backends, which recruit or simulate the raters of a study.

use std::fmt::Debug;
use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::Arc;

use async_trait::async_trait;

use crate::diagnostics::Diagnostics;
use crate::model::event::LogError;
use crate::model::findings::Findings;
use crate::model::units::Amount;
use crate::plugin::cohort::{CohortError, CohortSpec};
use crate::plugin::store::{Store, StoreError};
use crate::plugin::surroundings::Surroundings;
use crate::protocol::waiting::WaitingRoom;
use crate::study::Study;
use crate::study::analysis::AnalysisError;
use crate::study::session::{ReplayError, SessionError};

mod recruits;
mod view;
mod wraps;

pub use self::recruits::Recruits;
pub use self::view::{View, view};
pub use self::wraps::Wraps;

/// Brings raters to a study and drives their sessions.
///
/// Register an implementation with [`register_backend!`](crate::register_backend) to use it from YAML.
#[async_trait]
pub trait Backend: Debug + Send + Sync + 'static {
    /// Checks the rules across fields and, if the study is about to run, what the backend needs outside the spec. Adds
    /// every fault to `at`.
    fn check(&self, around: &Surroundings<'_>, at: &mut Diagnostics);

    /// Reviews how raters will see the trials of a study that is about to be collected and has no faults. Adds warnings and
    /// notes to `at`.
    fn review(&self, _study: &Study, _at: &mut Diagnostics) {}

    /// The backend as one that recruits people and pays them, for the guards of money; `None` if it does not recruit.
    fn recruits(&self) -> Option<&dyn Recruits> {
        None
    }

    /// Collects until every place of the study is completed or given up, or `watch` requests a stop. Resumes an
    /// interrupted collection.
    ///
    /// # Errors
    /// If the collection cannot continue. Everything collected so far is in the store.
    async fn collect(
        &self,
        study: &Study,
        store: Arc<dyn Store>,
        watch: &dyn Watch,
    ) -> Result<Collected, BackendError>;

    /// The same backend with the raters of a cohort instead of its own; `None` if it serves only people.
    fn with_cohort(&self, cohort: Box<dyn CohortSpec>) -> Option<Box<dyn BackendSpec>>;

    /// The raters who answer inside the program, if the settings name some.
    fn cohort(&self) -> Option<&dyn CohortSpec> {
        None
    }

    /// The same backend with this many sessions at the same time; `None` if it does not decide that.
    fn in_threads(&self, _threads: NonZeroUsize) -> Option<Box<dyn Backend>> {
        None
    }

    /// Whether its raters are synthetic.
    fn is_simulated(&self) -> bool {
        false
    }

    /// Shows what programs ask for by type, such as the settings of a page: see [`view`].
    fn show(&self, _view: &mut View) {}
}

/// A backend as a spec holds it, by its `kind`. Implemented by [`register_backend!`](crate::register_backend).
#[typetag::serialize(tag = "kind")]
pub trait BackendSpec: DynBackend {}

crate::plugin::kinds::read_by_kind!(BackendSpec);

/// Methods of every registered backend in addition to [`Backend`].
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

/// Files that an operator can download while a study runs. The program offers them, since a backend knows no formats.
pub trait Downloads: Send + Sync {
    /// The files on offer. None of them contains the ids of a panel's participants.
    fn files(&self) -> Vec<DownloadFile>;

    /// Writes one of the files, as of now. Called on a thread that may wait.
    ///
    /// # Errors
    /// The reason, if the file cannot be written completely.
    fn write(
        &self,
        file: &str,
        study: &Study,
        store: &dyn Store,
        out: &mut (dyn Write + Send),
    ) -> Result<(), String>;
}

/// A file that an operator can download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DownloadFile {
    /// Its name, such as `scores.csv`.
    pub name: &'static str,
    /// Its content, in a few words.
    pub about: &'static str,
    /// Its media type.
    pub kind: &'static str,
}

/// Analyses a running study together with the figures of its answers. The program does so, since a backend knows no statistics.
pub trait LiveFigures: Send + Sync {
    /// Analyses the answers so far, and draws them. Called on a thread that may wait, in place of [`analyse`](crate::analyse) and
    /// as often.
    ///
    /// # Errors
    /// If the answers cannot be read or analysed.
    fn analyse(&self, study: &Study, store: &dyn Store)
    -> Result<(Findings, Vec<LiveFigure>), AnalysisError>;
}

/// A figure of a running study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveFigure {
    /// Its key, such as `f1`.
    pub key: Arc<str>,
    /// Its title.
    pub title: Arc<str>,
    /// A description of what it shows, for readers who do not see it.
    pub about: Arc<str>,
    /// The figure without its title: SVG that needs no other file, as wide as a page.
    pub wide: Arc<str>,
    /// The same as wide as a phone.
    pub narrow: Arc<str>,
}

/// Receives the progress of a collection and may stop it. Methods are called from any thread.
pub trait Watch: Send + Sync {
    /// The first `events` events of a session are durable.
    fn acknowledged(&self, _session: &str, _events: u64) {}

    /// `done` of `all` stimuli or masks are ready to be shown; `what` says which.
    fn prepared(&self, _what: &str, _done: usize, _all: usize) {}

    /// Raters can now take part.
    fn opened(&self, _addresses: &Addresses) {}

    /// A place was completed, or given up.
    fn settled(&self, _place: u32, _completed: bool) {}

    /// Whether [`live`](Self::live) should be called, which requires an occasional analysis of all answers.
    fn follows(&self) -> bool {
        false
    }

    /// The state of the collection, reported several times a second while people rate.
    fn live(&self, _live: &LiveStatus) {}

    /// Returns the operators' downloads; `None` for none.
    fn downloads(&self) -> Option<Arc<dyn Downloads>> {
        None
    }

    /// Draws what the operator's page shows of the answers so far; `None` for no figures.
    fn figures(&self) -> Option<Arc<dyn LiveFigures>> {
        None
    }

    /// Whether the collection should stop as soon as possible.
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
    /// Raters who wait until the study begins; `None` if its spec does not say that it is held open.
    pub waiting: Option<WaitingRoom>,
    /// The currency (ISO 4217) and what raters have earned, if they are paid.
    pub spent: Option<(Arc<str>, Amount)>,
    /// How recruiting goes; `None` if this process deals with no panel, or has not asked it yet.
    pub recruiting: Option<LiveRecruiting>,
    /// Recent findings; `None` while there are too few data.
    pub findings: Option<Arc<Findings>>,
}

/// How recruiting goes, in numbers of people and money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveRecruiting {
    /// The panel's name for people.
    pub panel: Arc<str>,
    /// People who came, with or without a session.
    pub recruited: u32,
    /// People at work.
    pub working: u32,
    /// People who returned their work, or whose time ran out.
    pub returned: u32,
    /// Work that waits for a decision.
    pub to_review: u32,
    /// The amount that raters got.
    pub paid: Amount,
    /// The amount spent and promised, with the panel's fees.
    pub committed: Amount,
    /// The spending limit, with fees, if there is one.
    pub limit: Option<Amount>,
    /// The currency (ISO 4217) of the amounts.
    pub currency: Arc<str>,
    /// Whether the panel could be asked when it was asked last.
    pub is_reached: bool,
}

/// The addresses at which a study is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addresses {
    /// The page of raters.
    pub raters: String,
    /// The operator's page, with the key that permits acting. Not for raters.
    pub operator: String,
    /// The operator's page, with the key that allows only to look. Not for raters.
    pub reader: String,
}

/// Ignores progress and never requests a stop.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {}

/// The state of a study after a collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Collected {
    /// Places completed by raters who count, including those of earlier calls.
    pub completed: u32,
    /// Places given up after the last replacement.
    pub given_up: u32,
    /// Places still open because the collection was stopped.
    pub open: u32,
}

impl Collected {
    /// The numbers of places that are completed, given up, and open.
    #[must_use]
    pub const fn new(completed: u32, given_up: u32, open: u32) -> Self {
        Self { completed, given_up, open }
    }
}

/// A collection cannot continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A session could not be opened or driven; this is a bug in the task.
    #[error("session {session}: {source}")]
    Session {
        /// The session.
        session: String,
        /// The cause.
        source: SessionError,
    },
    /// A stored session cannot be replayed.
    #[error("session {session}: {source}")]
    Replay {
        /// The session.
        session: String,
        /// The cause.
        source: ReplayError,
    },
    /// The log of a stored session is damaged; the operator restores a backup of the store.
    #[error("session {session}: {source}")]
    Log {
        /// The session.
        session: String,
        /// The fault.
        source: LogError,
    },
    /// The cohort has no rater for a place.
    #[error(transparent)]
    Cohort(#[from] CohortError),
    /// A rater gave an answer that the session refused; the author of the rater has to correct it.
    #[error("session {session}, trial {trial}: the rater's answer was refused: {reason}")]
    Refused {
        /// The session.
        session: String,
        /// The trial's number.
        trial: u32,
        /// Why.
        reason: String,
    },
    /// The panel that recruits cannot be reached now; the same call may succeed later.
    #[error("{0}")]
    PanelUnavailable(String),
    /// The settings of the backend do not allow the collection.
    #[error("{0}")]
    Settings(String),
}

impl BackendError {
    /// Whether the same call may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Store(error) => error.is_retryable(),
            Self::PanelUnavailable(_) => true,
            _ => false,
        }
    }
}

impl From<AnalysisError> for BackendError {
    fn from(error: AnalysisError) -> Self {
        match error {
            AnalysisError::Store(error) => Self::Store(error),
            AnalysisError::Log { session, source } => Self::Log { session, source },
            error => Self::Settings(error.to_string()),
        }
    }
}
