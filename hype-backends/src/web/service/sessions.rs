//! The sessions that a process holds between requests: copies of what the store has, dropped when in doubt: any process
//! can continue any session.

use std::sync::Arc;

use hype_core::model::note::SessionNote;
use hype_core::{Ending, Event, StoreError, StoreExt as _};
use tokio::sync::OwnedMutexGuard;

use crate::web::service::cached_session::CachedSession;
use crate::web::service::context::Context;
use crate::web::service::fault::Fault;
use crate::web::service::keys::Credential;
use crate::web::service::panel::PanelService;
use crate::web::service::places::Places;
use crate::web::service::running::RunningStudy;
use crate::web::wire::request::{Arrival, Tab};
use crate::web::wire::screen::{Screen, ScreenKind};

mod slots;

use self::slots::Slots;

/// The number of events allowed for each trial. A page writes two, and two more for each disturbed showing.
const EVENTS_OF_TRIAL: u64 = 64;

/// The number of events allowed in addition to those of trials: the notes of the longest wait, and others such as reloads of the
/// page.
const EVENTS_BESIDE: u64 = 512 + 1_024;

/// The wait requested of the page, in seconds.
const WAIT: u32 = 60;

/// The cache of sessions.
#[derive(Debug)]
pub(crate) struct Sessions {
    context: Arc<Context>,
    running: Arc<RunningStudy>,
    places: Arc<Places>,
    panel: Arc<PanelService>,
    slots: Slots,
}

/// Exclusive access to a session's copy, for the duration of one request.
pub(crate) struct HeldSession(OwnedMutexGuard<Option<CachedSession>>);

impl HeldSession {
    pub(crate) fn session(&mut self) -> Result<&mut CachedSession, Fault> {
        self.0.as_mut().ok_or(Fault::Unavailable)
    }

    /// Drops the copy, which may differ from the log.
    pub(crate) fn forget(&mut self) {
        *self.0 = None;
    }
}

impl Sessions {
    pub(crate) fn new(
        context: &Arc<Context>,
        running: &Arc<RunningStudy>,
        places: &Arc<Places>,
        panel: &Arc<PanelService>,
    ) -> Self {
        Self {
            context: Arc::clone(context),
            running: Arc::clone(running),
            places: Arc::clone(places),
            panel: Arc::clone(panel),
            slots: Slots::default(),
        }
    }

    /// The session of a credential; `None` if the store has none. A copy is rebuilt unless it `is_current`, since another
    /// process may have written to the log.
    pub(crate) async fn load(
        &self,
        credential: &Credential,
        is_current: impl Fn(&CachedSession) -> bool,
    ) -> Result<Option<HeldSession>, Fault> {
        let mut held = HeldSession(self.slots.entry(credential, self.context.now()).await);
        if !held.0.as_ref().is_some_and(is_current) {
            held.forget();
            let log = self.context.store.load(&credential.session).await?;
            if log.is_empty() {
                return Ok(None);
            }
            let study = self.running.with_place_of(&credential.session).await?;
            let lease = self.context.lease();
            *held.0 = CachedSession::from_log(&study, credential.clone(), log, lease).ok();
        }
        Ok(held.0.is_some().then_some(held))
    }

    /// The session of a cookie, from a copy that `is_current` or a new one.
    ///
    /// # Errors
    /// If the cookie belongs to no open session, or the session is open in another page.
    pub(crate) async fn of_tab(
        &self,
        cookie: Option<&str>,
        tab: &Tab,
        is_current: impl Fn(&CachedSession) -> bool,
    ) -> Result<HeldSession, Fault> {
        let credential = self.context.credential(cookie).ok_or(Fault::NoSession)?;
        let is_current = |cached: &CachedSession| *cached.page.tab == *tab.as_str() && is_current(cached);
        let mut held = self.load(&credential, is_current).await?.ok_or(Fault::NoSession)?;
        let cached = held.session()?;
        if *cached.page.tab != *tab.as_str() {
            return Err(Fault::TakenOver);
        }
        if cached.outcome().is_none() && self.is_too_old(cached) {
            return Err(Fault::NoSession);
        }
        Ok(held)
    }

    /// Keeps a new session, whose log has been stored.
    pub(crate) async fn insert(&self, cached: CachedSession) {
        let credential = cached.credential.clone();
        *self.slots.entry(&credential, self.context.now()).await = Some(cached);
    }

    /// Confirms that the store has everything that the copy has, before a repeated report is acknowledged: the request that
    /// reported it first may have been dropped while it was stored, and the store may have failed since.
    ///
    /// # Errors
    /// If the store fails or lacks events. The copy is dropped, and the next request starts from the log.
    pub(crate) async fn confirm(&self, held: &mut HeldSession) -> Result<(), Fault> {
        let cached = held.session()?;
        let stored = self.context.store.load(&cached.credential.session).await;
        if stored.as_ref().is_ok_and(|log| log.len() as u64 >= cached.session.events()) {
            return Ok(());
        }
        held.forget();
        Err(stored.err().map_or(Fault::Unavailable, Fault::from))
    }

    /// Appends the events that the copy has handled since it was last stored. If that fails, the copy is dropped, and the
    /// next request starts from the log.
    pub(crate) async fn append(&self, held: &mut HeldSession, events: Vec<Event>) -> Result<(), Fault> {
        let cached = held.session()?;
        let stored = cached.session.events() - events.len() as u64;
        match self.context.store.append_events(&cached.credential.session, stored, &events).await {
            Ok(_) => Ok(()),
            Err(error) => {
                held.forget();
                Err(match error {
                    // Another process has appended in the meantime; the page repeats its request.
                    StoreError::Conflict { .. } => Fault::Unavailable,
                    error => error.into(),
                })
            }
        }
    }

    /// Adds to the log of a session that waits what the time has brought: another minute, or the end of the wait.
    pub(crate) async fn continue_wait(&self, held: &mut HeldSession) -> Result<(), Fault> {
        let Some(wait) = held.session()?.waiting() else { return Ok(()) };
        self.running.follow_actions().await?;
        let cached = held.session()?;
        let at = cached.at(self.context.now());
        let Some(waited) = wait.next(at, self.running.held_open().as_ref()) else { return Ok(()) };
        let mut events = Vec::new();
        cached.note(SessionNote::Waited(waited), at, &mut events)?;
        self.append(held, events).await
    }

    /// Shows a session in its state now: prolongs or releases its place, and returns its screen. If that is the last one, it
    /// has the way back to the panel, through the submission of the arrival if it names one.
    pub(crate) async fn settle(
        &self,
        held: &mut HeldSession,
        arrival: Option<&Arrival>,
    ) -> Result<Screen, Fault> {
        self.end_excluded(held).await?;
        let cached = held.session()?;
        self.places.renew_or_release(cached, self.context.now()).await?;
        self.show(cached, arrival).await
    }

    /// Ends a session whose rater the operator has excluded, and releases its place.
    pub(crate) async fn end_excluded(&self, held: &mut HeldSession) -> Result<(), Fault> {
        let cached = held.session()?;
        let is_excluded =
            || self.running.current().control().excluded().contains_key(&*cached.credential.rater);
        if cached.outcome().is_some() || !is_excluded() {
            return Ok(());
        }
        let now = self.context.now();
        let left = cached.session.handle_leave(cached.at(now))?;
        self.append(held, left.into_events().collect()).await?;
        self.places.renew_or_release(held.session()?, now).await
    }

    /// The current screen of a session; if it is the last one, with the way back to the panel.
    pub(crate) async fn show(
        &self,
        cached: &mut CachedSession,
        arrival: Option<&Arrival>,
    ) -> Result<Screen, Fault> {
        if cached.outcome().is_some() {
            self.slots.forget(&cached.credential);
        }
        let mut screen = self.context.presenter.screen(cached, self.context.now());
        if let ScreenKind::End(end) = &mut screen.shown {
            let control = self.running.current();
            let is_excluded = control.control().excluded().contains_key(&*cached.credential.rater);
            end.excluded = end.ending == Ending::Left && is_excluded;
        }
        self.panel.handed_back(screen, &cached.credential, arrival).await
    }

    /// Whether a session has expired.
    pub(crate) fn is_too_old(&self, cached: &CachedSession) -> bool {
        cached.at(self.context.now()) > self.context.max_age()
    }

    /// Refuses repeatable reports of a session that has written far more events than a page does: no rater can fill
    /// the disk. Answers need no such limit, since each trial takes one.
    pub(crate) fn check_event_limit(&self, cached: &CachedSession) -> Result<(), Fault> {
        let most = EVENTS_BESIDE + EVENTS_OF_TRIAL * u64::from(self.context.presenter.at_most);
        if cached.session.events() < most { Ok(()) } else { Err(Fault::TooMany { seconds: WAIT }) }
    }
}
