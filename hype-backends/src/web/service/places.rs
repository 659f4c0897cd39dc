//! Places: how raters claim, keep and release them.

use std::net::IpAddr;
use std::sync::Arc;

use hype_core::protocol::places::{ClaimRequest, Claimed};
use hype_core::study::session::session_name;
use hype_core::{Event, Micros, SessionRecord, StoreExt as _};

use crate::drive::release_inside;
use crate::web::service::cached_session::{CachedSession, is_due};
use crate::web::service::context::Context;
use crate::web::service::entries::Entries;
use crate::web::service::fault::Fault;
use crate::web::service::haste::Haste;
use crate::web::service::health::{Area, Health};
use crate::web::service::running::RunningStudy;
use crate::web::settings::Access;
use crate::web::wire::status::ServerProblem;

/// The places of a study, and who of those that this process has let in holds one without having answered.
#[derive(Debug)]
pub(crate) struct Places {
    context: Arc<Context>,
    running: Arc<RunningStudy>,
    entries: Entries,
    haste: Haste,
    health: Arc<Health>,
}

impl Places {
    pub(crate) fn new(context: &Arc<Context>, running: &Arc<RunningStudy>, health: &Arc<Health>) -> Self {
        Self {
            context: Arc::clone(context),
            running: Arc::clone(running),
            entries: Entries::default(),
            haste: Haste::default(),
            health: Arc::clone(health),
        }
    }

    /// Charges the entry of a rater who has no session yet.
    ///
    /// # Errors
    /// [`Fault::Crowded`] if too many have entered lately.
    pub(crate) fn admit_entry(&self, from: Option<IpAddr>) -> Result<(), Fault> {
        let Context { page, .. } = &*self.context;
        // A one-time link opens one session, and synthetic raters enter as fast as they answer.
        if !self.context.is_timed || page.access == Access::Links {
            return Ok(());
        }
        self.entries.admit(&page.entries, self.entries.source(from), self.context.now())
    }

    /// Whether every place is taken for raters from an address.
    pub(crate) async fn is_full_for(&self, from: Option<IpAddr>) -> Result<bool, Fault> {
        let counts = self.running.counts().await?;
        let source = self.entries.source(from);
        Ok(counts.settled() + counts.held >= self.running.current().places()
            && self.entries.to_displace(source, self.context.now()).is_none())
    }

    /// Whether as many places are held as raters may wait.
    pub(crate) async fn is_room_full(&self) -> Result<bool, Fault> {
        let Some(retainer) = self.running.held_open() else { return Ok(false) };
        Ok(self.running.count().await?.held >= retainer.raters.get())
    }

    /// Claims a place for a rater. If none is free, the rater may get the place of one from a crowd who entered a while ago
    /// and answered nothing.
    pub(crate) async fn claim(&self, rater: &str, from: Option<IpAddr>) -> Result<Option<Claimed>, Fault> {
        let (store, places) = (&*self.context.store, &self.running.places);
        let source = self.entries.source(from);
        loop {
            let now = self.context.now();
            let request = ClaimRequest { holder: rater, now, until: self.context.lease_end(now) };
            let study = self.running.current();
            let room = self.running.held_open().map(|retainer| retainer.raters.get());
            if let Some(claimed) = places.claim_within(&study, store, &request, room).await? {
                return Ok(Some(claimed));
            }
            // A rater who is displaced makes no room for others who would have to wait.
            let is_room_full = self.is_room_full().await?;
            let displaced = self.entries.to_displace(source, now).filter(|_| !is_room_full);
            let Some((place, silent)) = displaced else { return Ok(None) };
            self.entries.settled(place, &silent);
            // Another process may have taken answers.
            let holders = places.holders(store).await?;
            let held = holders.iter().find(|(claimed, holder)| claimed.place == place && **holder == *silent);
            let Some((Claimed { attempt, .. }, _)) = held else { continue };
            let events = store.load(&session_name(place, *attempt)).await?;
            if !events.iter().any(|event| matches!(event, Event::Answered(_))) {
                places.suspend(store, place, &silent, now).await?;
            }
        }
    }

    /// Records that a rater holds a place and has not answered yet.
    pub(crate) fn entered(&self, rater: &str, place: u32, from: Option<IpAddr>) {
        self.entries.entered(place, rater, self.entries.source(from), self.context.now());
    }

    /// Lets a rater keep the place without an answer.
    pub(crate) fn keep(&self, cached: &CachedSession) {
        self.entries.settled(cached.place(), &cached.credential.rater);
    }

    /// Releases the place of a finished session; otherwise prolongs its lease if that is due.
    pub(crate) async fn renew_or_release(
        &self,
        cached: &mut CachedSession,
        now: Micros,
    ) -> Result<(), Fault> {
        if cached.outcome().is_some() {
            return self.release(cached).await;
        }
        let (store, places) = (&*self.context.store, &self.running.places);
        let (place, rater, end) = (cached.place(), &cached.credential.rater, self.context.lease_end(now));
        let answered = cached.trial().map_or(0, |trial| trial.number);
        if answered > 0 {
            self.entries.settled(place, rater);
        }
        if !places.has_answered(place, rater) && self.running.current().uses_up_attempt(answered) {
            places.answered(store, place, rater, end).await?;
            let study = &self.context.study;
            // Synthetic raters do not wait for what they report.
            if self.context.is_timed
                && let Some(reason) = self.haste.used_up(study, answered, cached.at(now), now)
            {
                self.health.failed(Area::Raters, ServerProblem::PlacesGoFast, &reason, now);
            }
        } else if is_due(cached.until, now, self.context.lease()) {
            places.prolong(store, place, rater, end).await?;
        } else {
            return Ok(());
        }
        cached.until = end;
        Ok(())
    }

    /// Releases the place of a finished session.
    async fn release(&self, cached: &CachedSession) -> Result<(), Fault> {
        let Context { store, is_timed, .. } = &*self.context;
        let record = SessionRecord::from_events(store.load(&cached.credential.session).await?)
            .map_err(|_| Fault::Failed)?;
        if record.erased.is_some() {
            return Err(Fault::NoSession);
        }
        // The operator may have excluded the rater in the meantime.
        self.running.follow_actions().await?;
        let study = self.running.current();
        let release = match is_timed {
            true => study.release(&record),
            false => release_inside(&study, &record),
        };
        self.keep(cached);
        let (place, rater) = (cached.place(), &cached.credential.rater);
        self.running.places.release(&**store, place, rater, release).await?;
        Ok(())
    }
}
