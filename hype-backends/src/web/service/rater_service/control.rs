//! What operators decide: their actions, and how this process follows those of others.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use hype_core::model::action::OperatorAction;
use hype_core::model::hex;
use hype_core::protocol::control::{Admission, Control};
use hype_core::study::backend::{Downloads, LiveFigures};
use hype_core::study::control::{Acted, ActionRequest, ControlLog};
use hype_core::study::places::PlacesError;
use hype_core::study::session::{place_and_attempt, session_name};
use hype_core::{Store, Study};
use tokio::sync::Mutex;

use super::{Fault, RaterService};
use crate::web::wire::operator::{Act, ActReceipt, ActRequest};
use crate::web::wire::screen::ClosedReason;

/// The name under which the page's actions are logged.
pub(super) const OPERATOR: &str = "operator";

/// The study under what operators decided.
#[derive(Debug)]
pub(crate) struct Controlled {
    log: ControlLog,
    study: RwLock<Arc<Study>>,
    /// The number of actions that the places follow. Locked while they do.
    followed: Mutex<usize>,
    downloads: OnceLock<Offered<dyn Downloads>>,
    figures: OnceLock<Offered<dyn LiveFigures>>,
}

/// What the program hands in.
struct Offered<T: ?Sized>(Arc<T>);

impl<T: ?Sized> std::fmt::Debug for Offered<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Offered(..)")
    }
}

impl Controlled {
    pub(super) async fn open(study: &Study, store: &dyn Store) -> Result<Self, Fault> {
        let log = ControlLog::default();
        let control = log.refresh(store).await?;
        let followed = Mutex::new(control.log().len());
        Ok(Self {
            log,
            study: RwLock::new(Arc::new(study.under(control))),
            followed,
            downloads: OnceLock::new(),
            figures: OnceLock::new(),
        })
    }

    /// The study as of the last read of the log. A poisoned lock is safe to use: the value is replaced as a whole.
    pub(super) fn study(&self) -> Arc<Study> {
        Arc::clone(&self.study.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl RaterService {
    /// The study under what operators decided, as far as this process knows.
    pub(crate) fn current_study(&self) -> Arc<Study> {
        self.controlled.study()
    }

    /// The study with the place of a session, which another process may have let operators add.
    pub(super) async fn study_with(&self, session: &str) -> Result<Arc<Study>, Fault> {
        let study = self.current_study();
        if place_and_attempt(session).is_some_and(|(place, _)| place >= study.places()) {
            self.follow_actions().await?;
            return Ok(self.current_study());
        }
        Ok(study)
    }

    /// Follows the actions that were taken since the last call, by this process or another.
    pub(crate) async fn follow_actions(&self) -> Result<(), PlacesError> {
        let control = self.controlled.log.refresh(&*self.store).await?;
        let mut followed = self.controlled.followed.lock().await;
        let entries = control.log().get(*followed..).unwrap_or_default();
        if entries.is_empty() {
            return Ok(());
        }
        let study = Arc::new(self.study.under(Arc::clone(&control)));
        *self.controlled.study.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&study);
        self.places.follow_actions(&study, &*self.store, entries).await?;
        *followed = control.log().len();
        for entry in entries {
            tracing::info!(by = %entry.by, "{}", kind(&entry.action));
        }
        self.forget_counts().await;
        self.stopping.outdate().await;
        self.analysis.outdate();
        Ok(())
    }

    /// Why nobody may enter at the moment.
    pub(super) async fn admission_refusal(&self) -> Result<Option<ClosedReason>, Fault> {
        self.follow_actions().await?;
        Ok(match self.current_study().control().admission() {
            Admission::Open if self.has_stopped().await? => Some(ClosedReason::Over),
            Admission::Open => None,
            Admission::Paused => Some(ClosedReason::Paused),
            Admission::Closed => Some(ClosedReason::Over),
        })
    }

    /// Sets what operators can download and what draws figures; the first call counts.
    pub(crate) fn offer(&self, downloads: Option<Arc<dyn Downloads>>, figures: Option<Arc<dyn LiveFigures>>) {
        if let Some(downloads) = downloads {
            let _ = self.controlled.downloads.set(Offered(downloads));
        }
        if let Some(figures) = figures {
            let _ = self.controlled.figures.set(Offered(figures));
        }
    }

    /// What draws figures of the answers, if anything.
    pub(super) fn live_figures(&self) -> Option<Arc<dyn LiveFigures>> {
        self.controlled.figures.get().map(|offered| Arc::clone(&offered.0))
    }

    /// What operators can download, if anything.
    pub(crate) fn downloads(&self) -> Option<Arc<dyn Downloads>> {
        self.controlled.downloads.get().map(|offered| Arc::clone(&offered.0))
    }

    /// Takes an action, unless the same request was taken before.
    ///
    /// # Errors
    /// If the action is not possible, or the store fails.
    pub async fn act(&self, request: &ActRequest) -> Result<ActReceipt, Fault> {
        if hex::from_hex::<16>(&request.id).is_none() {
            return Err(Fault::BadRequest("the name of a request is 32 hexadecimal digits".into()));
        }
        let acted = match &request.act {
            Act::Pause => self.log(&request.id, OperatorAction::Pause).await?,
            Act::Resume => self.log(&request.id, OperatorAction::Resume).await?,
            Act::Close => self.log(&request.id, OperatorAction::Close).await?,
            Act::Call => {
                self.study.check_call().map_err(|refused| Fault::Refused(refused.to_string()))?;
                self.log(&request.id, OperatorAction::Call).await?
            }
            Act::TopUp { places } => self.log(&request.id, OperatorAction::TopUp { places: *places }).await?,
            Act::Exclude { rater, reason } => {
                let (rater, session, reason) = self.decided(rater, reason).await?;
                self.log(&request.id, OperatorAction::Exclude { rater, session, reason }).await?
            }
            Act::Include { rater, reason } => {
                let (rater, session, reason) = self.decided(rater, reason).await?;
                self.log(&request.id, OperatorAction::Include { rater, session, reason }).await?
            }
            Act::Reopen => self.reopen(&request.id).await?,
            Act::Links { count } => {
                let links =
                    |control: &Control| OperatorAction::Links { first: control.next_link(), count: *count };
                self.log_with(&request.id, links).await?
            }
            Act::Crowd { decision } => return self.decide(decision).await,
        };
        let Acted::Logged(entry) = acted else { return Ok(ActReceipt::default()) };
        let links = match entry.action {
            OperatorAction::Links { first, count } => {
                (first..first.saturating_add(count.into())).map(|number| self.keys.link(number)).collect()
            }
            _ => Vec::new(),
        };
        Ok(ActReceipt { done: Some(entry.action.describe()), links, ..ActReceipt::default() })
    }

    /// Lets places be claimed again that were given up. They are counted before, so that a request that was interrupted can
    /// be repeated.
    async fn reopen(&self, id: &str) -> Result<Acted, Fault> {
        let counts = self.places.counts(&*self.store, self.now()).await?;
        let known = self.controlled.log.refresh(&*self.store).await?;
        if counts.given_up == 0 && known.find(id).is_none() {
            return Ok(Acted::Unchanged);
        }
        let acted = self.log(id, OperatorAction::Reopen { places: counts.given_up }).await?;
        self.places.reopen(&*self.store, None, self.now()).await?;
        self.forget_counts().await;
        Ok(acted)
    }

    /// Logs that something is about to be downloaded.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn log_download(&self, what: &str) -> Result<(), Fault> {
        let id: [u8; 16] = crate::web::service::keys::random()?;
        self.log(&hex::to_hex(&id), OperatorAction::Export { what: what.into() }).await.map(drop)
    }

    async fn log(&self, id: &str, action: OperatorAction) -> Result<Acted, Fault> {
        self.log_with(id, |_| action.clone()).await
    }

    async fn log_with(
        &self,
        id: &str,
        action: impl Fn(&Control) -> OperatorAction + Send,
    ) -> Result<Acted, Fault> {
        let request = ActionRequest { id, by: OPERATOR, unix_ms: self.now().0 / 1_000 };
        let acted = self.controlled.log.act(&*self.store, request, action).await?;
        self.follow_actions().await?;
        self.outdate_overview().await;
        Ok(acted)
    }

    /// A rater with the session that the rater has, and the reason for a decision.
    async fn decided(&self, rater: &str, reason: &str) -> Result<(Arc<str>, Arc<str>, Arc<str>), Fault> {
        let find = || self.follower.census().session_of(rater);
        let mut found = find();
        if found.is_none() {
            // The session may have begun a moment ago.
            let _ = self.follower.look(&self.store, self.places.position()).await;
            found = find();
        }
        let (place, attempt) =
            found.ok_or_else(|| Fault::Refused(format!("this study has no rater {rater:?}")))?;
        Ok((rater.into(), session_name(place, attempt), reason.trim().into()))
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
        OperatorAction::Links { .. } => "the operator has made links",
        _ => "the operator has downloaded a file",
    }
}
