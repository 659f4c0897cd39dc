//! Places: how raters claim, keep and release them.

use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;

use hype_core::plugin::store::Registered;
use hype_core::protocol::places::{ClaimRequest, Claimed, PlaceCounts};
use hype_core::study::session::place_and_attempt;
use hype_core::{Micros, SessionRecord};
use tokio::sync::{Mutex, MutexGuard};

use super::{CachedSession, Credential, Fault, RaterService};
use crate::drive::release_inside;
use crate::web::service::cached_session::is_due;
use crate::web::service::panel::{PANEL_PARAMETERS, PanelIds};
use crate::web::settings::Access;
use crate::web::wire::request::Arrival;
use crate::web::wire::screen::ClosedReason;

/// How old the counts of places may be.
const COUNTS_FOR: Micros = Micros(2_000_000);

/// The number of arrival locks. Raters whose identities hash to one lock wait for each other, which is harmless.
const LOCKS: usize = 64;

/// Serialises concurrent consents with the same link or participant. Otherwise many consents at once with one link would
/// claim many places and release all but one.
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
        let participant = || self.participant(arrival).map(|ids| self.keys.participant(&ids.participant));
        let name = self.link(arrival).or_else(participant)?;
        let lock = self.arrival_locks.hasher.hash_one(name) as usize % LOCKS;
        Some(self.arrival_locks.locks[lock].lock().await)
    }

    /// Charges the entry of a rater who has no session yet.
    ///
    /// # Errors
    /// [`Fault::Crowded`] if too many have entered lately.
    pub(super) fn admit_entry(&self, from: Option<IpAddr>) -> Result<(), Fault> {
        // A one-time link opens one session, and synthetic raters enter as fast as they answer.
        if !self.is_timed || self.page.access == Access::Links {
            return Ok(());
        }
        self.entries.admit(&self.page.entries, self.entries.source(from), self.now())
    }

    /// Claims a place for a rater. If none is free, the rater may get the place of one from a crowd who entered a while ago
    /// and answered nothing.
    pub(super) async fn claim(&self, rater: &str, from: Option<IpAddr>) -> Result<Option<Claimed>, Fault> {
        let source = self.entries.source(from);
        loop {
            let now = self.now();
            let request = ClaimRequest { holder: rater, now, until: self.lease_end(now) };
            let study = self.current_study();
            let room = self.held_open(&study).map(|retainer| retainer.raters.get());
            if let Some(claimed) = self.places.claim_within(&study, &*self.store, &request, room).await? {
                return Ok(Some(claimed));
            }
            // A rater who is displaced makes no room for others who would have to wait.
            let is_room_full = self.is_room_full().await?;
            let displaced = self.entries.to_displace(source, now).filter(|_| !is_room_full);
            let Some((place, silent)) = displaced else { return Ok(None) };
            self.entries.settled(place, &silent);
            // Another process may have taken an answer.
            if !self.places.has_answered(place, &silent) {
                self.places.suspend(&*self.store, place, &silent, now).await?;
            }
        }
    }

    /// Records that a rater holds a place and has not answered yet.
    pub(super) fn entered(&self, rater: &str, place: u32, from: Option<IpAddr>) {
        self.entries.entered(place, rater, self.entries.source(from), self.now());
    }

    /// The rater of a browser whose cookie names a place without a session. This happens if the server assigned the
    /// place but stopped before it opened the session.
    pub(super) async fn promised(&self, cookie: Option<&str>) -> Result<Option<Credential>, Fault> {
        let Some(credential) = cookie.and_then(|cookie| self.keys.credential(cookie)) else {
            return Ok(None);
        };
        let holds = place_and_attempt(&credential.session)
            .is_some_and(|(place, _)| self.places.is_held_by(place, &credential.rater));
        Ok((holds && self.store.load(&credential.session).await?.is_empty()).then_some(credential))
    }

    /// Releases the place of a finished session; otherwise prolongs its lease if that is due.
    pub(crate) async fn renew_or_release(
        &self,
        cached: &mut CachedSession,
        now: Micros,
    ) -> Result<(), Fault> {
        let place = cached.session.header().place.number;
        if cached.outcome().is_some() {
            let record = SessionRecord::from_events(self.store.load(&cached.credential.session).await?)
                .map_err(|_| Fault::Failed)?;
            if record.erased.is_some() {
                return Err(Fault::NoSession);
            }
            // The operator may have excluded the rater in the meantime.
            self.follow_actions().await?;
            let study = self.current_study();
            let release = match self.is_timed {
                true => study.release(&record),
                false => release_inside(&study, &record),
            };
            self.entries.settled(place, &cached.credential.rater);
            self.places.release(&*self.store, place, &cached.credential.rater, release).await?;
        } else {
            let (rater, end) = (&cached.credential.rater, self.lease_end(now));
            if cached.last.is_some() && !self.places.has_answered(place, rater) {
                self.places.answered(&*self.store, place, rater, end).await?;
                self.entries.settled(place, rater);
            } else if is_due(cached.until, now, self.lease()) {
                self.places.prolong(&*self.store, place, rater, end).await?;
            } else {
                return Ok(());
            }
            cached.until = end;
        }
        Ok(())
    }

    /// The end of a lease granted now.
    pub(crate) fn lease_end(&self, now: Micros) -> Micros {
        Micros(now.0.saturating_add(self.lease().0))
    }

    /// How long a place is held without an answer.
    pub(crate) fn lease(&self) -> Micros {
        Micros(u64::from(self.page.idle_minutes) * 60_000_000)
    }

    /// The number of places in each state, at most [`COUNTS_FOR`] old.
    pub(crate) async fn counts(&self) -> Result<PlaceCounts, Fault> {
        let mut latest = self.counts.lock().await;
        let now = self.now();
        if let Some((at, counts)) = *latest
            && now.0.saturating_sub(at.0) < COUNTS_FOR.0
        {
            return Ok(counts);
        }
        let counts = self.places.counts(&*self.store, now).await?;
        *latest = Some((now, counts));
        Ok(counts)
    }

    /// Counts the places again on the next call of [`counts`](Self::counts).
    pub(super) async fn forget_counts(&self) {
        if let Some((at, _)) = &mut *self.counts.lock().await {
            *at = Micros(0);
        }
    }

    /// The counts of places as they were found last, however old; `None` if they never were.
    pub(crate) async fn latest_counts(&self) -> Option<PlaceCounts> {
        self.counts.lock().await.map(|(_, counts)| counts)
    }

    /// Whether every place is taken for raters from an address.
    pub(super) async fn is_full_for(&self, from: Option<IpAddr>) -> Result<bool, Fault> {
        let counts = self.counts().await?;
        let source = self.entries.source(from);
        Ok(counts.settled() + counts.held >= self.current_study().places()
            && self.entries.to_displace(source, self.now()).is_none())
    }

    /// Why an arrival without a valid link or participant id is refused.
    pub(crate) fn refusal(&self, arrival: &Arrival) -> Option<ClosedReason> {
        let linked = self.page.access == Access::Open || self.link(arrival).is_some();
        if !linked {
            return Some(ClosedReason::LinkInvalid);
        }
        // Raters without an id would all be one participant.
        let named = self.page.participant.is_none() || self.participant(arrival).is_some();
        (!named).then_some(ClosedReason::ParticipantInvalid)
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
        // The link may be bound to this very session by a server that stopped before it opened the session.
        if let Some(link) = self.link(arrival)
            && let Registered::Before(other) = self.store.redeem(&link, &holder).await?
            && other != holder
        {
            return Ok(Some(ClosedReason::LinkUsed));
        }
        if let Some(ids) = self.participant(arrival) {
            let sealed = self.keys.seal(&holder, &ids.to_text())?;
            let key = self.keys.participant(&ids.participant);
            if let Registered::Before(other) = self.store.register(&key, &holder, Some(&sealed)).await?
                && other != holder
            {
                return Ok(Some(ClosedReason::TookPart));
            }
        }
        Ok(None)
    }

    /// The participant's ids at the panel; `None` in a study without a panel, or if the address has no valid id.
    pub(super) fn participant(&self, arrival: &Arrival) -> Option<PanelIds> {
        let name = self.page.participant.as_ref()?;
        match &self.panel {
            Some(rules) => PanelIds::of(arrival, name, rules.kept()),
            None => PanelIds::of(arrival, name, PANEL_PARAMETERS),
        }
    }

    /// Whether an arrival is by a link or participant other than that of a session.
    pub(crate) async fn is_other_participant(
        &self,
        arrival: &Arrival,
        credential: &Credential,
    ) -> Result<bool, Fault> {
        let holder = Some(credential.holder());
        if let Some(link) = self.link(arrival)
            && self.store.redeemed(&link).await? != holder
        {
            return Ok(true);
        }
        match self.participant(arrival) {
            Some(ids) => Ok(self.store.registered(&self.keys.participant(&ids.participant)).await? != holder),
            None => Ok(false),
        }
    }

    /// The session of a returning participant.
    pub(crate) async fn returning_participant(&self, arrival: &Arrival) -> Result<Option<Credential>, Fault> {
        let Some(ids) = self.participant(arrival) else { return Ok(None) };
        let holder = self.store.registered(&self.keys.participant(&ids.participant)).await?;
        Ok(holder.as_deref().and_then(Credential::of_holder))
    }
}
