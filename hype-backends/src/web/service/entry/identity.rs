//! Who has come: the holder of a one-time link, a panel's participant, or both.

use std::hash::{BuildHasher as _, RandomState};

use hype_core::plugin::store::{Identity, Registered};
use tokio::sync::{Mutex, MutexGuard};

use super::EntryService;
use crate::web::service::context::Context;
use crate::web::service::fault::Fault;
use crate::web::service::keys::Credential;
use crate::web::service::participants::holder_of;
use crate::web::settings::Access;
use crate::web::wire::request::Arrival;
use crate::web::wire::screen::ClosedReason;

/// The number of arrival locks. Raters whose identities hash to one lock wait for each other, which is harmless.
const LOCKS: usize = 64;

/// Serialises concurrent consents with the same link or participant. Otherwise many consents at once with one link would
/// claim many places and release all but one.
#[derive(Debug)]
pub(super) struct ArrivalLocks {
    locks: [Mutex<()>; LOCKS],
    hasher: RandomState,
}

impl Default for ArrivalLocks {
    fn default() -> Self {
        Self { locks: std::array::from_fn(|_| Mutex::default()), hasher: RandomState::new() }
    }
}

impl EntryService {
    /// Locks the identity of a rater with a link or participant id; `None` for a rater without one.
    pub(super) async fn lock(&self, arrival: &Arrival) -> Option<MutexGuard<'_, ()>> {
        let name = self.link(arrival).or_else(|| self.participant(arrival))?;
        let lock = self.locks.hasher.hash_one(name) as usize % LOCKS;
        Some(self.locks.locks[lock].lock().await)
    }

    /// The cookie of a browser, unless its session is another participant's than the one who has come: people from a panel may
    /// share a browser.
    pub(super) async fn own_cookie<'a>(
        &self,
        cookie: Option<&'a str>,
        arrival: &Arrival,
    ) -> Result<Option<&'a str>, Fault> {
        let Some(credential) = self.context.credential(cookie) else { return Ok(None) };
        let is_other =
            self.context.panel.is_some() && self.is_other_participant(arrival, &credential).await?;
        Ok(cookie.filter(|_| !is_other))
    }

    /// Why an arrival without a valid link or participant id is refused.
    pub(super) fn refusal(&self, arrival: &Arrival) -> Option<ClosedReason> {
        let page = &self.context.page;
        let linked = page.access == Access::Open || self.link(arrival).is_some();
        if !linked {
            return Some(ClosedReason::LinkInvalid);
        }
        // Raters without an id would all be one participant.
        let named = page.participant.is_none() || self.panel.participant(arrival).is_some();
        (!named).then_some(ClosedReason::ParticipantInvalid)
    }

    /// Whether an arrival is by a link that another rater has used.
    pub(super) async fn is_link_of_other(&self, arrival: &Arrival, rater: &str) -> Result<bool, Fault> {
        let Some(link) = self.link(arrival) else { return Ok(false) };
        let holder = self.context.store.holder(Identity::Link(&link)).await?;
        let is_own = |holder: &str| Credential::of_holder(holder).is_some_and(|own| own.rater == rater);
        Ok(holder.is_some_and(|holder| !is_own(&holder)))
    }

    /// Binds the link and the participant of an arrival to a session that is about to begin. Returns a reason for refusal
    /// if either is bound to another session.
    pub(super) async fn bind_identity(
        &self,
        arrival: &Arrival,
        credential: &Credential,
    ) -> Result<Option<ClosedReason>, Fault> {
        let Context { store, keys, .. } = &*self.context;
        let holder = credential.holder();
        // The link may be bound to this very session by a server that stopped before it opened the session.
        if let Some(link) = self.link(arrival)
            && let Registered::Before(other) = store.register(Identity::Link(&link), &holder, None).await?
            && other != holder
        {
            return Ok(Some(ClosedReason::LinkUsed));
        }
        if let Some(ids) = self.panel.participant(arrival) {
            let sealed = keys.seal(&holder, &ids.to_text())?;
            let key = keys.participant(&ids.participant);
            if let Registered::Before(other) =
                store.register(Identity::Person(&key), &holder, Some(&sealed)).await?
                && other != holder
            {
                return Ok(Some(ClosedReason::TookPart));
            }
        }
        Ok(None)
    }

    /// Whether an arrival is by a link or participant other than that of a session.
    pub(super) async fn is_other_participant(
        &self,
        arrival: &Arrival,
        credential: &Credential,
    ) -> Result<bool, Fault> {
        let store = &self.context.store;
        let holder = Some(credential.holder());
        if let Some(link) = self.link(arrival)
            && store.holder(Identity::Link(&link)).await? != holder
        {
            return Ok(true);
        }
        match self.panel.participant(arrival) {
            Some(ids) => Ok(holder_of(&**store, &self.context.keys, &ids.participant).await? != holder),
            None => Ok(false),
        }
    }

    /// The key of the arrival's one-time link in the store.
    fn link(&self, arrival: &Arrival) -> Option<String> {
        match self.context.page.access {
            Access::Open => None,
            Access::Links => arrival.get("link").and_then(|link| self.context.keys.linked(link)),
        }
    }

    /// The key of the arrival's participant in the store.
    fn participant(&self, arrival: &Arrival) -> Option<String> {
        self.panel.participant(arrival).map(|ids| self.context.keys.participant(&ids.participant))
    }
}
