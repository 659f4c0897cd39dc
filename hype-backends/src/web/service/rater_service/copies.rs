//! A session's copy for the time of one request: taken from those held, or made from the log, and kept true to it.

use hype_core::{Event, StoreError};
use tokio::sync::OwnedMutexGuard;

use super::{CachedSession, Credential, Fault, RaterService};
use crate::web::wire::request::{Arrival, Tab};

/// A session's copy that nobody else uses meanwhile.
pub(in crate::web) struct Held(OwnedMutexGuard<Option<CachedSession>>);

impl Held {
    pub(in crate::web) fn live(&mut self) -> Result<&mut CachedSession, Fault> {
        self.0.as_mut().ok_or(Fault::Unavailable)
    }

    pub(in crate::web) fn forget(&mut self) {
        *self.0 = None;
    }
}

impl RaterService {
    /// The session that a browser has come with, by a copy that passes a test or is new. At a computer that raters
    /// share, one that is past its age is nobody's, and so is one that is over when somebody else has come.
    pub(in crate::web) async fn session_of(
        &self,
        cookie: Option<&str>,
        arrival: &Arrival,
        keeps: impl Fn(&CachedSession) -> bool,
    ) -> Result<Option<Held>, Fault> {
        let Some(credential) = cookie.and_then(|cookie| self.keys.credential(cookie)) else {
            return Ok(None);
        };
        let Some(mut held) = self.live(&credential, keeps).await? else { return Ok(None) };
        if !self.page.is_shared() {
            return Ok(Some(held));
        }
        let cached = held.live()?;
        let is_nobodys = match cached.outcome() {
            Some(_) => self.is_another(arrival, &credential).await?,
            None => self.is_too_old(cached, self.now()),
        };
        Ok((!is_nobodys).then_some(held))
    }

    /// The session of a cookie, if this page holds it, by a copy that passes a test or is new.
    pub(in crate::web) async fn held(
        &self,
        cookie: Option<&str>,
        tab: &Tab,
        keeps: impl Fn(&CachedSession) -> bool,
    ) -> Result<Held, Fault> {
        let credential = cookie.and_then(|cookie| self.keys.credential(cookie)).ok_or(Fault::NoSession)?;
        let keeps = |cached: &CachedSession| *cached.tab == *tab.as_str() && keeps(cached);
        let mut held = self.live(&credential, keeps).await?.ok_or(Fault::NoSession)?;
        let now = self.now();
        let cached = held.live()?;
        if *cached.tab != *tab.as_str() {
            return Err(Fault::TakenOver);
        }
        if cached.outcome().is_none() && self.is_too_old(cached, now) {
            return Err(Fault::NoSession);
        }
        Ok(held)
    }

    /// A session as the store has it; `None` if there is none. A copy that does not credential a test is made again: another
    /// process may know better.
    pub(in crate::web) async fn live(
        &self,
        credential: &Credential,
        keeps: impl Fn(&CachedSession) -> bool,
    ) -> Result<Option<Held>, Fault> {
        let mut held = Held(self.sessions.entry(credential, self.now()).await);
        if !held.0.as_ref().is_some_and(keeps) {
            held.forget();
            let log = self.store.load(&credential.session).await?;
            if log.is_empty() {
                return Ok(None);
            }
            *held.0 = CachedSession::from_log(&self.study, credential.clone(), log, self.lease()).ok();
        }
        Ok(held.0.is_some().then_some(held))
    }

    /// Appends what a session's copy has taken already. If that fails, the copy is dropped, so that the next request
    /// begins with what the store has.
    pub(in crate::web) async fn append(
        &self,
        held: &mut Held,
        name: &str,
        expected: u64,
        events: Vec<Event>,
    ) -> Result<(), Fault> {
        match self.store.append(name, expected, &events).await {
            Ok(_) => Ok(()),
            Err(error) => {
                held.forget();
                Err(match error {
                    // Another process has written meanwhile; the page asks again.
                    StoreError::Conflict { .. } => Fault::Unavailable,
                    error => error.into(),
                })
            }
        }
    }
}
