//! The study as it runs: under the operators' decisions, with its places, and until its stopping rule ends it.
//!
//! Any number of processes serve a study. Each follows the others by the logs in the store.

use std::sync::{Arc, PoisonError, RwLock};

use hype_core::model::action::OperatorAction;
use hype_core::protocol::control::Control;
use hype_core::protocol::places::PlaceCounts;
use hype_core::study::control::{Acted, ActionRequest, ControlLog};
use hype_core::study::places::{PlacesError, StudyPlaces};
use hype_core::study::session::place_and_attempt;
use hype_core::{Micros, Retainer, StoreError, Study};
use tokio::sync::Mutex;

use crate::web::service::context::Context;
use crate::web::service::fault::Fault;

mod stopping;

use self::stopping::LatestLook;

/// How old the counts of places may be.
const COUNTS_FOR: Micros = Micros(2_000_000);

/// A study as far as this process knows how it runs.
#[derive(Debug)]
pub(crate) struct RunningStudy {
    context: Arc<Context>,
    control: ControlLog,
    current: RwLock<Arc<Study>>,
    /// The number of actions that the places follow. Locked while they do.
    followed: Mutex<usize>,
    pub(crate) places: StudyPlaces,
    /// The latest counts of places, and when they were taken.
    counts: Mutex<Option<(Micros, PlaceCounts)>>,
    stopping: LatestLook,
}

impl RunningStudy {
    /// Reads the logs of a study from its store.
    pub(crate) async fn open(context: Arc<Context>) -> Result<Self, Fault> {
        let (study, store) = (&context.study, &*context.store);
        let control = ControlLog::default();
        let decided = control.refresh(store).await?;
        let followed = Mutex::new(decided.log().len());
        let current = Arc::new(study.under(decided));
        let places = StudyPlaces::open(&current, store).await?;
        // A process that appended an action may have ended before places followed.
        places.follow_actions(&current, store, current.control().log()).await?;
        Ok(Self {
            control,
            current: RwLock::new(current),
            followed,
            places,
            counts: Mutex::default(),
            stopping: LatestLook::default(),
            context,
        })
    }

    /// The study under the operators' decisions, as of the last read of their log. A poisoned lock is safe to use: the value
    /// is replaced as a whole.
    pub(crate) fn current(&self) -> Arc<Study> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The study with the place of a session, which another process may have let operators add.
    pub(crate) async fn with_place_of(&self, session: &str) -> Result<Arc<Study>, Fault> {
        let study = self.current();
        if place_and_attempt(session).is_some_and(|(place, _)| place >= study.places()) {
            self.follow_actions().await?;
            return Ok(self.current());
        }
        Ok(study)
    }

    /// The settings by which raters have to wait; `None` if they do not. Raters who come without a panel never wait: they are
    /// synthetic ones of a simulation.
    pub(crate) fn held_open(&self) -> Option<Retainer> {
        self.context.panel.as_ref().and(self.current().held_open().copied())
    }

    /// Follows the actions that were taken since the last call, by this process or another.
    pub(crate) async fn follow_actions(&self) -> Result<(), PlacesError> {
        let store = &*self.context.store;
        let control = self.control.refresh(store).await?;
        let mut followed = self.followed.lock().await;
        let entries = control.log().get(*followed..).unwrap_or_default();
        if entries.is_empty() {
            return Ok(());
        }
        let study = Arc::new(self.context.study.under(Arc::clone(&control)));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&study);
        self.places.follow_actions(&study, store, entries).await?;
        *followed = control.log().len();
        for entry in entries {
            tracing::info!(by = %entry.by, "{}", kind(&entry.action));
        }
        self.forget_counts().await;
        self.stopping.outdate().await;
        Ok(())
    }

    /// Logs an operator's action, unless the same request was taken before, and follows it.
    pub(crate) async fn act(
        &self,
        request: ActionRequest<'_>,
        action: impl Fn(&Control) -> OperatorAction + Send,
    ) -> Result<Acted, Fault> {
        let acted = self.control.act(&*self.context.store, request, action).await?;
        self.follow_actions().await?;
        Ok(acted)
    }

    /// Whether an operator's request was taken before.
    pub(crate) async fn has_acted(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.control.refresh(&*self.context.store).await?.find(id).is_some())
    }

    /// Lets places be claimed again that were given up.
    pub(crate) async fn reopen(&self) -> Result<(), Fault> {
        self.places.reopen(&*self.context.store, None, self.context.now()).await?;
        self.forget_counts().await;
        Ok(())
    }

    /// Counts the places in each state, as the store has them now.
    pub(crate) async fn count(&self) -> Result<PlaceCounts, StoreError> {
        self.places.counts(&*self.context.store, self.context.now()).await
    }

    /// The number of places in each state, at most [`COUNTS_FOR`] old.
    pub(crate) async fn counts(&self) -> Result<PlaceCounts, Fault> {
        let mut latest = self.counts.lock().await;
        let now = self.context.now();
        if let Some((at, counts)) = *latest
            && now.0.saturating_sub(at.0) < COUNTS_FOR.0
        {
            return Ok(counts);
        }
        let counts = self.places.counts(&*self.context.store, now).await?;
        *latest = Some((now, counts));
        Ok(counts)
    }

    /// Counts the places again on the next call of [`counts`](Self::counts).
    pub(crate) async fn forget_counts(&self) {
        if let Some((at, _)) = &mut *self.counts.lock().await {
            *at = Micros(0);
        }
    }

    /// The counts of places as they were found last, however old; `None` if they never were.
    pub(crate) async fn latest_counts(&self) -> Option<PlaceCounts> {
        self.counts.lock().await.map(|(_, counts)| counts)
    }
}

/// The kind of an action, for the server's log, which names no raters.
fn kind(action: &OperatorAction) -> &'static str {
    match action {
        OperatorAction::Pause => "the operator has paused the study",
        OperatorAction::Resume => "the operator has resumed the study",
        OperatorAction::Close => "the operator has closed the study",
        OperatorAction::Call => "the operator has called the raters who wait",
        OperatorAction::TopUp { .. } => "the operator has added places",
        OperatorAction::Exclude { .. } => "the operator has excluded a rater",
        OperatorAction::Include { .. } => "the operator has included a rater again",
        OperatorAction::Reopen { .. } => "the operator has opened given-up places again",
        OperatorAction::Key { .. } => "the operator has made a key",
        OperatorAction::Links { .. } => "the operator has made links",
        _ => "the operator has downloaded a file",
    }
}
