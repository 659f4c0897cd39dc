//! Places: how raters claim, keep and release them.

use std::hash::{BuildHasher as _, RandomState};

use hype_core::plugin::store::{Claimed, Registered, Standing, Wish};
use hype_core::study::session::session_name;
use hype_core::{Ending, Event, Micros, Session, SessionRecord};
use tokio::sync::{Mutex, MutexGuard};

use super::{CachedSession, Credential, Fault, RaterService};
use crate::web::service::cached_session::is_due;
use crate::web::settings::Access;
use crate::web::wire::request::Arrival;
use crate::web::wire::screen::ClosedReason;

/// The age at which the count of places is made again.
const COUNT_EVERY: Micros = Micros(2_000_000);

/// The number of arrival locks. Raters whose identities hash to one lock wait for each other, which is harmless.
const LOCKS: usize = 64;

/// Serialises concurrent consents with the same link or participant. Otherwise many consents at once with one link would
/// claim many places and release all but one, which uses up the replacements of the released places.
#[derive(Debug)]
pub(crate) struct ArrivalLocks {
    locks: [Mutex<()>; LOCKS],
    hasher: RandomState,
}

impl Default for ArrivalLocks {
    fn default() -> Self {
        Self { locks: std::array::from_fn(|_| Mutex::default()), hasher: RandomState::new() }
    }
}

impl RaterService {
    /// Locks the identity of a rater with a link or participant id; `None` for a rater without one.
    pub(crate) async fn arrival_lock(&self, arrival: &Arrival) -> Option<MutexGuard<'_, ()>> {
        let participant = || self.participant(arrival).map(|id| self.keys.participant(id));
        let name = self.link(arrival).or_else(participant)?;
        let lock = self.arrival_locks.hasher.hash_one(name) as usize % LOCKS;
        Some(self.arrival_locks.locks[lock].lock().await)
    }

    /// Claims a place for a rater, and ends the session that an earlier holder left unfinished there.
    pub(crate) async fn claim(&self, rater: &str) -> Result<Option<Claimed>, Fault> {
        loop {
            let now = self.now();
            let wish = Wish {
                holder: rater,
                places: self.study.places(),
                replacements: self.study.raters().replacements,
                now,
                until: self.lease_end(now),
            };
            let Some(claimed) = self.store.claim_next(&wish).await? else { return Ok(None) };
            let Some(before) = claimed.attempt.checked_sub(1) else { return Ok(Some(claimed)) };
            let completed = self.end_attempt(claimed.place, before).await? == Some(Ending::Completed);
            if !completed || self.is_excluded(&session_name(claimed.place, before)).await? {
                return Ok(Some(claimed));
            }
            // The session was completed, but the server that stored its last answer could not release the place.
            self.store.release(claimed.place, rater, true).await?;
        }
    }

    /// Ends the session of an attempt whose place has gone to another rater. Returns its ending, or `None` if it was never
    /// opened.
    async fn end_attempt(&self, place: u32, attempt: u32) -> Result<Option<Ending>, Fault> {
        let name = session_name(place, attempt);
        loop {
            let log = self.store.load(&name).await?;
            match log.last() {
                None => return Ok(None),
                Some(Event::Finished(outcome)) => return Ok(Some(outcome.ending)),
                Some(_) => {}
            }
            let mut session = Session::replay(&self.study, log).map_err(|_| Fault::Failed)?;
            let (expected, last) = (session.events(), session.last());
            let events: Vec<Event> = match session.handle_leave(last) {
                Ok(recorded) => recorded.into_events().collect(),
                Err(_) => match session.step() {
                    hype_core::Step::Finished(outcome) => vec![Event::Finished(outcome.clone())],
                    hype_core::Step::Show(_) => return Err(Fault::Failed),
                },
            };
            match self.store.append(&name, expected, &events).await {
                Ok(_) => {}
                Err(hype_core::StoreError::Conflict { .. }) => continue,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Releases the place of a finished session; otherwise prolongs its lease if that is due.
    pub(crate) async fn renew_or_release(
        &self,
        cached: &mut CachedSession,
        now: Micros,
    ) -> Result<(), Fault> {
        let place = cached.session.header().place.number;
        let ending = cached.outcome().map(|outcome| outcome.ending);
        if let Some(ending) = ending {
            let done = ending == Ending::Completed && !self.is_excluded(&cached.credential.session).await?;
            self.store.release(place, &cached.credential.rater, done).await?;
        } else {
            let end = self.lease_end(now);
            if is_due(cached.until, now, self.lease()) {
                self.store.prolong(place, &cached.credential.rater, end).await?;
                cached.until = end;
            }
        }
        Ok(())
    }

    /// Whether a rule of the task excludes the rater of a completed session, who is then replaced.
    async fn is_excluded(&self, session: &str) -> Result<bool, Fault> {
        let record =
            SessionRecord::from_events(self.store.load(session).await?).map_err(|_| Fault::Failed)?;
        Ok(self.study.exclusion(&record).is_some())
    }

    /// The end of a lease granted now.
    pub(crate) fn lease_end(&self, now: Micros) -> Micros {
        Micros(now.0.saturating_add(self.lease().0))
    }

    /// How long a place is held without an answer.
    pub(crate) fn lease(&self) -> Micros {
        Micros(u64::from(self.page.idle_minutes) * 60_000_000)
    }

    /// The count of places, at most two seconds old.
    pub(crate) async fn standing(&self) -> Result<Standing, Fault> {
        let mut latest = self.standing.lock().await;
        let now = self.now();
        if let Some((at, standing)) = *latest
            && now.0.saturating_sub(at.0) < COUNT_EVERY.0
        {
            return Ok(standing);
        }
        let standing = self.store.standing(now, self.study.raters().replacements).await?;
        *latest = Some((now, standing));
        Ok(standing)
    }

    /// Whether all places are taken.
    pub(crate) async fn is_full(&self) -> Result<bool, Fault> {
        let standing = self.standing().await?;
        Ok(standing.done + standing.held + standing.given_up >= self.study.places())
    }

    /// Why an arrival without a valid link or participant id is refused.
    pub(crate) fn refusal(&self, arrival: &Arrival) -> Option<ClosedReason> {
        let linked = self.page.access == Access::Open || self.link(arrival).is_some();
        let named = self.page.participant.as_ref().is_none_or(|name| arrival.contains_key(&**name));
        (!linked || !named).then_some(ClosedReason::LinkInvalid)
    }

    /// The key of the arrival's one-time link in the store.
    pub(crate) fn link(&self, arrival: &Arrival) -> Option<String> {
        match self.page.access {
            Access::Open => None,
            Access::Links => arrival.get("link").and_then(|link| self.keys.linked(link)),
        }
    }

    /// Binds the link and the participant of an arrival to a session that is about to begin. Returns a reason for refusal
    /// if either is bound to another session.
    pub(crate) async fn bind_identity(
        &self,
        arrival: &Arrival,
        credential: &Credential,
    ) -> Result<Option<ClosedReason>, Fault> {
        let holder = credential.holder();
        // A binding to this same session is by a server that ended before it opened the session.
        if let Some(link) = self.link(arrival)
            && let Registered::Before(other) = self.store.spend(&link, &holder).await?
            && other != holder
        {
            return Ok(Some(ClosedReason::LinkUsed));
        }
        if let Some(id) = self.participant(arrival) {
            let sealed = self.keys.seal(&holder, id)?;
            let key = self.keys.participant(id);
            if let Registered::Before(other) = self.store.register(&key, &holder, Some(&sealed)).await?
                && other != holder
            {
                return Ok(Some(ClosedReason::TookPart));
            }
        }
        Ok(None)
    }

    /// The participant's id at the panel.
    fn participant<'a>(&self, arrival: &'a Arrival) -> Option<&'a str> {
        let parameter = self.page.participant.as_ref()?;
        arrival.get(&**parameter).map(|id| &**id)
    }

    /// Whether an arrival is by a link or participant other than that of a session.
    pub(crate) async fn is_other_participant(
        &self,
        arrival: &Arrival,
        credential: &Credential,
    ) -> Result<bool, Fault> {
        let holder = Some(credential.holder());
        if let Some(link) = self.link(arrival)
            && self.store.spent(&link).await? != holder
        {
            return Ok(true);
        }
        match self.participant(arrival) {
            Some(id) => Ok(self.store.registered(&self.keys.participant(id)).await? != holder),
            None => Ok(false),
        }
    }

    /// The session of a participant who has been here before.
    pub(crate) async fn returning_participant(&self, arrival: &Arrival) -> Result<Option<Credential>, Fault> {
        let Some(id) = self.participant(arrival) else { return Ok(None) };
        let holder = self.store.registered(&self.keys.participant(id)).await?;
        Ok(holder.as_deref().and_then(Credential::of_holder))
    }
}
