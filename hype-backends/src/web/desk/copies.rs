//! A session's copy for the time of one request: taken from those held, or made from the log, and kept true to it.

use hype_core::{Event, StoreError};
use tokio::sync::OwnedMutexGuard;

use super::{Desk, Fault, Live, Pass};
use crate::web::request::{Arrival, Tab};

/// A session's copy that nobody else uses meanwhile.
pub(super) struct Held(OwnedMutexGuard<Option<Live>>);

impl Held {
    pub(super) fn live(&mut self) -> Result<&mut Live, Fault> {
        self.0.as_mut().ok_or(Fault::Unavailable)
    }

    pub(super) fn forget(&mut self) {
        *self.0 = None;
    }
}

impl Desk {
    /// The session that a browser has come with, by a copy that passes a test or is new. At a computer that raters
    /// share, one that is past its age is nobody's, and so is one that is over when somebody else has come.
    pub(super) async fn session_of(
        &self,
        cookie: Option<&str>,
        arrival: &Arrival,
        keeps: impl Fn(&Live) -> bool,
    ) -> Result<Option<Held>, Fault> {
        let Some(pass) = cookie.and_then(|cookie| self.keys.pass(cookie)) else { return Ok(None) };
        let Some(mut held) = self.live(&pass, keeps).await? else { return Ok(None) };
        if !self.page.is_shared() {
            return Ok(Some(held));
        }
        let live = held.live()?;
        let is_nobodys = match live.outcome() {
            Some(_) => self.is_another(arrival, &pass).await?,
            None => self.is_too_old(live, self.now()),
        };
        Ok((!is_nobodys).then_some(held))
    }

    /// The session of a cookie, if this page holds it, by a copy that passes a test or is new.
    pub(super) async fn held(
        &self,
        cookie: Option<&str>,
        tab: &Tab,
        keeps: impl Fn(&Live) -> bool,
    ) -> Result<Held, Fault> {
        let pass = cookie.and_then(|cookie| self.keys.pass(cookie)).ok_or(Fault::NoSession)?;
        let keeps = |live: &Live| *live.tab == *tab.as_str() && keeps(live);
        let mut held = self.live(&pass, keeps).await?.ok_or(Fault::NoSession)?;
        let now = self.now();
        let live = held.live()?;
        if *live.tab != *tab.as_str() {
            return Err(Fault::TakenOver);
        }
        if live.outcome().is_none() && self.is_too_old(live, now) {
            return Err(Fault::NoSession);
        }
        Ok(held)
    }

    /// A session as the store has it; `None` if there is none. A copy that does not pass a test is made again: another
    /// process may know better.
    pub(super) async fn live(
        &self,
        pass: &Pass,
        keeps: impl Fn(&Live) -> bool,
    ) -> Result<Option<Held>, Fault> {
        let mut held = Held(self.sessions.entry(pass, self.now()).await);
        if !held.0.as_ref().is_some_and(keeps) {
            held.forget();
            let log = self.store.load(&pass.session).await?;
            if log.is_empty() {
                return Ok(None);
            }
            *held.0 = Live::from_log(&self.study, pass.clone(), log, self.lease()).ok();
        }
        Ok(held.0.is_some().then_some(held))
    }

    /// Appends what a session's copy has taken already. If that fails, the copy is dropped, so that the next request
    /// begins with what the store has.
    pub(super) async fn append(
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
