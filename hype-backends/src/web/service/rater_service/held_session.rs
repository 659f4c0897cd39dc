//! A session's copy for the duration of one request: from the cache or rebuilt from the log, and dropped when it and the
//! log may differ.

use hype_core::{Event, StoreError};
use tokio::sync::OwnedMutexGuard;

use super::{CachedSession, Credential, Fault, RaterService};
use crate::web::wire::request::{Arrival, Tab};

/// Exclusive access to a session's copy.
pub(crate) struct HeldSession(OwnedMutexGuard<Option<CachedSession>>);

impl HeldSession {
    pub(crate) fn session(&mut self) -> Result<&mut CachedSession, Fault> {
        self.0.as_mut().ok_or(Fault::Unavailable)
    }

    pub(crate) fn forget(&mut self) {
        *self.0 = None;
    }
}

impl RaterService {
    /// The session of a browser's cookie, from a copy that `is_current` or a new one. At a shared computer, an expired
    /// session is ignored, and so is a finished one if another rater has come.
    pub(crate) async fn session_of(
        &self,
        cookie: Option<&str>,
        arrival: &Arrival,
        is_current: impl Fn(&CachedSession) -> bool,
    ) -> Result<Option<HeldSession>, Fault> {
        let Some(credential) = cookie.and_then(|cookie| self.keys.credential(cookie)) else {
            return Ok(None);
        };
        let Some(mut held) = self.load(&credential, is_current).await? else { return Ok(None) };
        if !self.page.is_shared() {
            return Ok(Some(held));
        }
        let cached = held.session()?;
        let is_abandoned = match cached.outcome() {
            Some(_) => self.is_other_participant(arrival, &credential).await?,
            None => self.is_too_old(cached, self.now()),
        };
        Ok((!is_abandoned).then_some(held))
    }

    /// The session of a cookie, from a copy that `is_current` or a new one.
    ///
    /// # Errors
    /// If the cookie belongs to no open session, or the session is open in another page.
    pub(crate) async fn session_of_tab(
        &self,
        cookie: Option<&str>,
        tab: &Tab,
        is_current: impl Fn(&CachedSession) -> bool,
    ) -> Result<HeldSession, Fault> {
        let credential = cookie.and_then(|cookie| self.keys.credential(cookie)).ok_or(Fault::NoSession)?;
        let is_current = |cached: &CachedSession| *cached.tab == *tab.as_str() && is_current(cached);
        let mut held = self.load(&credential, is_current).await?.ok_or(Fault::NoSession)?;
        let now = self.now();
        let cached = held.session()?;
        if *cached.tab != *tab.as_str() {
            return Err(Fault::TakenOver);
        }
        if cached.outcome().is_none() && self.is_too_old(cached, now) {
            return Err(Fault::NoSession);
        }
        Ok(held)
    }

    /// The session of a credential; `None` if the store has none. A copy is rebuilt unless it `is_current`, since another
    /// process may have written to the log.
    pub(crate) async fn load(
        &self,
        credential: &Credential,
        is_current: impl Fn(&CachedSession) -> bool,
    ) -> Result<Option<HeldSession>, Fault> {
        let mut held = HeldSession(self.sessions.entry(credential, self.now()).await);
        if !held.0.as_ref().is_some_and(is_current) {
            held.forget();
            let log = self.store.load(&credential.session).await?;
            if log.is_empty() {
                return Ok(None);
            }
            let study = self.study_with(&credential.session).await?;
            *held.0 = CachedSession::from_log(&study, credential.clone(), log, self.lease()).ok();
        }
        Ok(held.0.is_some().then_some(held))
    }

    /// Confirms that the store has everything that the copy has, before a repeated report is acknowledged: the request that
    /// reported it first may have been dropped while it was stored, and the store may have failed since.
    ///
    /// # Errors
    /// If the store fails or lacks events. The copy is dropped, and the next request starts from the log.
    pub(crate) async fn confirm(&self, held: &mut HeldSession) -> Result<(), Fault> {
        let cached = held.session()?;
        let stored = self.store.load(&cached.credential.session).await;
        if stored.as_ref().is_ok_and(|log| log.len() as u64 >= cached.session.events()) {
            return Ok(());
        }
        held.forget();
        Err(stored.err().map_or(Fault::Unavailable, Fault::from))
    }

    /// Appends events that the copy has already handled. If that fails, the copy is dropped, and the next request starts
    /// from the log.
    pub(crate) async fn append(
        &self,
        held: &mut HeldSession,
        name: &str,
        expected: u64,
        events: Vec<Event>,
    ) -> Result<(), Fault> {
        match self.store.append(name, expected, &events).await {
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
}
