//! Places: how a rater gets one, keeps it and gives it back.

use std::hash::{BuildHasher as _, RandomState};

use hype_core::plugin::store::{Claimed, Registered, Standing, Wish};
use hype_core::study::session::session_name;
use hype_core::{Ending, Event, Micros, Session, SessionRecord};
use tokio::sync::{Mutex, MutexGuard};

use super::{CachedSession, Credential, Fault, RaterService};
use crate::web::service::cached_session::is_due;
use crate::web::settings::Access;
use crate::web::wire::request::Arrival;
use crate::web::wire::screen::Closed;

/// How long what is known of all places may be old.
const STANDING_FOR: Micros = Micros(2_000_000);

/// How many may arrive at once. Two who share a lock wait for each other, and nothing else.
const LOCKS: usize = 64;

/// Lets those who come by one link or with one name in one at a time. Otherwise whoever agrees many times at once by
/// one link would claim many places, give back all but one, and so use up the replacements of the others.
#[derive(Debug)]
pub(in crate::web) struct Arriving {
    locks: [Mutex<()>; LOCKS],
    hasher: RandomState,
}

impl Default for Arriving {
    fn default() -> Self {
        Self { locks: std::array::from_fn(|_| Mutex::default()), hasher: RandomState::new() }
    }
}

impl RaterService {
    /// The turn of a rater who comes by a link or with a name; nobody waits for others.
    pub(in crate::web) async fn turn(&self, arrival: &Arrival) -> Option<MutexGuard<'_, ()>> {
        let participant = || self.participant(arrival).map(|id| self.keys.participant(id));
        let name = self.link(arrival).or_else(participant)?;
        let lock = self.arriving.hasher.hash_one(name) as usize % LOCKS;
        Some(self.arriving.locks[lock].lock().await)
    }

    /// Claims a place for a rater, and ends what an earlier holder has left unfinished there.
    pub(in crate::web) async fn claim(&self, rater: &str) -> Result<Option<Claimed>, Fault> {
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
            let completed = self.end(claimed.place, before).await? == Some(Ending::Completed);
            if !completed || self.is_excluded(&session_name(claimed.place, before)).await? {
                return Ok(Some(claimed));
            }
            // It was completed, and whoever kept its last answer could not give the place back.
            self.store.release(claimed.place, rater, true).await?;
        }
    }

    /// Ends the session of an attempt whose place has gone to somebody else; how it ended, if it was ever opened.
    async fn end(&self, place: u32, attempt: u32) -> Result<Option<Ending>, Fault> {
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

    /// Gives the place of an ended session back, and prolongs the lease of another when half of it is over.
    pub(in crate::web) async fn keep_place(
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

    /// Whether a rule of the task leaves a completed session's rater out, who is then replaced.
    async fn is_excluded(&self, session: &str) -> Result<bool, Fault> {
        let record =
            SessionRecord::from_events(self.store.load(session).await?).map_err(|_| Fault::Failed)?;
        Ok(self.study.exclusion(&record).is_some())
    }

    /// When a lease ends that is granted now.
    pub(in crate::web) fn lease_end(&self, now: Micros) -> Micros {
        Micros(now.0.saturating_add(self.lease().0))
    }

    /// How long a place is held without an answer.
    pub(in crate::web) fn lease(&self) -> Micros {
        Micros(u64::from(self.page.idle_minutes) * 60_000_000)
    }

    /// How the places stand, as it was a moment ago.
    pub(crate) async fn standing(&self) -> Result<Standing, Fault> {
        let mut kept = self.standing.lock().await;
        let now = self.now();
        if let Some((at, standing)) = *kept
            && now.0.saturating_sub(at.0) < STANDING_FOR.0
        {
            return Ok(standing);
        }
        let standing = self.store.standing(now, self.study.raters().replacements).await?;
        *kept = Some((now, standing));
        Ok(standing)
    }

    /// Whether every place is taken.
    pub(in crate::web) async fn is_full(&self) -> Result<bool, Fault> {
        let standing = self.standing().await?;
        Ok(standing.done + standing.held + standing.given_up >= self.study.places())
    }

    /// Why somebody who comes like this cannot take part at all.
    pub(in crate::web) fn refuse(&self, arrival: &Arrival) -> Option<Closed> {
        let linked = self.page.access == Access::Open || self.link(arrival).is_some();
        let named = self.page.participant.as_ref().is_none_or(|name| arrival.contains_key(&**name));
        (!linked || !named).then_some(Closed::LinkInvalid)
    }

    /// What the rater's one-time link is called in the store.
    pub(in crate::web) fn link(&self, arrival: &Arrival) -> Option<String> {
        match self.page.access {
            Access::Open => None,
            Access::Links => arrival.get("link").and_then(|link| self.keys.linked(link)),
        }
    }

    /// Binds the rater's link and the panel's participant to a session that is about to begin, unless one of them has
    /// taken part before.
    pub(in crate::web) async fn take_part(
        &self,
        arrival: &Arrival,
        credential: &Credential,
    ) -> Result<Option<Closed>, Fault> {
        let holder = credential.holder();
        // What was bound to this very session before was bound by a server that ended before it opened the session.
        if let Some(link) = self.link(arrival)
            && let Registered::Before(other) = self.store.spend(&link, &holder).await?
            && other != holder
        {
            return Ok(Some(Closed::LinkUsed));
        }
        if let Some(id) = self.participant(arrival) {
            let sealed = self.keys.seal(&holder, id)?;
            let key = self.keys.participant(id);
            if let Registered::Before(other) = self.store.register(&key, &holder, Some(&sealed)).await?
                && other != holder
            {
                return Ok(Some(Closed::TookPart));
            }
        }
        Ok(None)
    }

    /// The platform's id of the participant whom a panel names.
    fn participant<'a>(&self, arrival: &'a Arrival) -> Option<&'a str> {
        let parameter = self.page.participant.as_ref()?;
        arrival.get(&**parameter).map(|id| &**id)
    }

    /// Whether somebody else has come than the rater of a session: by another link, or with another name.
    pub(in crate::web) async fn is_another(
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

    /// The session of a rater whom the panel has named before.
    pub(in crate::web) async fn known(&self, arrival: &Arrival) -> Result<Option<Credential>, Fault> {
        let Some(id) = self.participant(arrival) else { return Ok(None) };
        let holder = self.store.registered(&self.keys.participant(id)).await?;
        Ok(holder.as_deref().and_then(Credential::of_holder))
    }
}
