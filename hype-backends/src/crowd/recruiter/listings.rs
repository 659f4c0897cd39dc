//! Listings: what is offered at the platform follows from what the study needs.

use std::sync::Arc;

use hype_core::model::ledger::LedgerChange;
use hype_core::protocol::control::Admission;
use hype_core::protocol::ledger::{Ledger, LimitReached, Listing};
use hype_core::protocol::places::Release;
use hype_core::protocol::terms::minutes_told;
use hype_core::study::places::StudyPlaces;
use hype_core::study::session::place_and_attempt;
use hype_core::{Amount, Study};

use super::supply::{Offer, offers, supply};
use super::work::Work;
use super::{RecruitError, Recruiter, Seen, due};
use crate::crowd::platform::{
    ListingAdmission, ListingRequest, ListingState, Platform, PlatformError, PlatformLimits,
};

/// Milliseconds of a day.
const DAY_MS: u64 = 86_400_000;

/// The way of ending whose code is known only to the program and the platform.
pub(super) const HANDED_IN: &str = "handed in";

impl Recruiter {
    /// Frees the places of people who returned their work or let its time run out.
    pub(super) async fn free_places(&self, seen: &Seen) -> Result<(), RecruitError> {
        let gone = seen.work.iter().filter_map(|work| {
            let session = work.session.as_ref()?;
            (work.is_gone() && session.ending.is_none()).then_some(session)
        });
        let mut places = None;
        for session in gone {
            let Some((place, _)) = place_and_attempt(&session.session) else { continue };
            let places = match &places {
                Some(places) => places,
                None => places.insert(StudyPlaces::open(&seen.study, &*self.store).await?),
            };
            let release = Release::after(false, session.has_answers);
            places.release(&*self.store, place, &session.rater, release).await?;
        }
        Ok(())
    }

    /// Offers as many places as the study needs, and lets people enter or not as operators have decided.
    pub(super) async fn offer(
        &self,
        seen: &Seen,
        unix_ms: u64,
        problems: &mut Vec<String>,
    ) -> Result<(), RecruitError> {
        let Some((platform, limits)) = self.interface() else { return Ok(()) };
        if seen.demand() == 0 {
            return self.close_listings(seen, unix_ms, problems).await;
        }
        let is_paused = seen.study.control().admission() == Admission::Paused;
        if !is_paused && let Err(error) = self.plan_offers(seen, unix_ms, limits).await {
            match error {
                RecruitError::Limit(limit) => problems.push(limit.to_string()),
                error => return Err(error),
            }
        }
        let wanted = if is_paused { ListingAdmission::Paused } else { ListingAdmission::Open };
        let ledger = self.ledger.refresh(&*self.store).await?;
        // No one can come before something was listed.
        let is_first = ledger.listings().values().all(|listing| listing.id.is_none());
        for (&number, listing) in ledger.listings().iter().filter(|(_, listing)| !listing.is_closed) {
            let state = seen.listings.get(&number).map(|state| state.admission);
            if limits.listings_end && state == Some(ListingAdmission::Closed) {
                // The next step lists the places anew that were not taken.
                self.record_closed(number, unix_ms).await?;
                continue;
            }
            let carried = self.carry_out(platform, seen, number, listing, wanted, unix_ms).await;
            match carried {
                Ok(()) => {}
                Err(RecruitError::Platform(error @ PlatformError::Refused { .. })) if is_first => {
                    return Err(RecruitError::NotListed(error));
                }
                Err(RecruitError::Platform(error)) => problems.push(format!("listing {number}: {error}")),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Decides how the missing places are offered, if the spending limit allows it.
    async fn plan_offers(
        &self,
        seen: &Seen,
        unix_ms: u64,
        limits: PlatformLimits,
    ) -> Result<(), RecruitError> {
        loop {
            let planned = self.ledger.append(&*self.store, unix_ms, |ledger| {
                let supply = supply(limits, ledger.listings(), &seen.work);
                let more = seen.demand().saturating_sub(supply);
                let all = offers(ledger.listings(), more, limits.places_per_listing);
                let Some(offer) = all.into_iter().next() else {
                    return Ok(None);
                };
                self.check_limit(seen, ledger, supply.saturating_add(more))?;
                Ok::<_, RecruitError>(Some(match offer {
                    Offer::Create { listing, places } => LedgerChange::ListingPlanned {
                        listing,
                        mark: self.people.keys().listing(listing).into(),
                        places,
                    },
                    Offer::Resize { listing, places } => LedgerChange::ListingResized { listing, places },
                }))
            });
            if !planned.await? {
                return Ok(());
            }
        }
    }

    /// Checks that all that is promised, and the most that `open` places can cost, stays within the limit.
    fn check_limit(&self, seen: &Seen, ledger: &Ledger, open: u32) -> Result<(), LimitReached> {
        let owed = self.owed(seen, ledger);
        ledger.within(due::most_of(open, seen, self.fees()).plus(owed), self.settings.limit)
    }

    /// Returns the amount, with fees, that the ledger does not have yet: earnings of sessions that are over, and offers for
    /// waiting work without a session.
    pub(super) fn owed(&self, seen: &Seen, ledger: &Ledger) -> Amount {
        let fees = self.fees();
        let is_lost = |work: &&Work| work.is_gone() || ledger.rejections().contains_key(&work.name);
        let open = seen.work.iter().filter(|work| !is_lost(work));
        let due = open.flat_map(|work| match &work.session {
            Some(session) if session.ending.is_some() => {
                [due::base(session, fees), due::bonus(session, fees)]
            }
            Some(_) => [None, None],
            // Work without a session may be approved by an operator, or by the platform after a time.
            None => [work.is_to_review().then(|| self.reward_due(seen, work)), None],
        });
        due.flatten()
            .filter(|due| !ledger.payments().contains_key(&due.payment))
            .fold(Amount(0), |sum, due| sum.plus(due.amount).plus(due.fee))
    }

    /// Brings a listing of the platform in line with the ledger.
    async fn carry_out(
        &self,
        platform: &dyn Platform,
        seen: &Seen,
        number: u32,
        listing: &Listing,
        wanted: ListingAdmission,
        unix_ms: u64,
    ) -> Result<(), RecruitError> {
        let state = match (&listing.id, seen.listings.get(&number)) {
            (Some(_), Some(state)) => state.clone(),
            (Some(id), None) => platform.listing(id).await?,
            (None, _) => self.create(platform, seen, number, listing, unix_ms).await?,
        };
        if state.places != listing.places {
            platform.resize(&state.id, listing.places).await?;
        }
        if state.admission != wanted {
            platform.admit(&state.id, wanted).await?;
        }
        Ok(())
    }

    /// Creates a listing, unless the platform has it already.
    async fn create(
        &self,
        platform: &dyn Platform,
        seen: &Seen,
        number: u32,
        listing: &Listing,
        unix_ms: u64,
    ) -> Result<ListingState, RecruitError> {
        let state = match platform.find(&listing.mark).await? {
            Some(state) => state,
            None => platform.create(&self.request(&seen.study, listing, unix_ms)).await?,
        };
        let id = Arc::clone(&state.id);
        self.ledger
            .append(&*self.store, unix_ms, |ledger| {
                let is_new = ledger.listings().get(&number).is_some_and(|known| known.id.is_none());
                Ok::<_, RecruitError>(
                    is_new.then(|| LedgerChange::ListingCreated { listing: number, id: Arc::clone(&id) }),
                )
            })
            .await?;
        Ok(state)
    }

    /// Returns the listing as people see it.
    pub(super) fn request(&self, study: &Study, listing: &Listing, unix_ms: u64) -> ListingRequest {
        let settings = &self.settings.listing;
        let payment = study.spec().protocol.payment.clone().unwrap_or_default();
        let keys = self.people.keys();
        ListingRequest {
            mark: Arc::clone(&listing.mark),
            title: Arc::clone(&settings.title),
            description: Arc::clone(&settings.description),
            keywords: settings.keywords.clone(),
            address: Arc::clone(&self.settings.address),
            reward: payment.base,
            currency: payment.currency,
            places: listing.places,
            minutes: minutes_told(settings.minutes, study.profile().effort.map(|effort| effort.duration)),
            minutes_at_most: settings.longest(study),
            expires_unix_ms: unix_ms.saturating_add(u64::from(settings.days) * DAY_MS),
            completed_code: keys.completion_code("completed").into(),
            disqualified_code: keys.completion_code("disqualified").into(),
            handed_in_code: keys.completion_code(HANDED_IN).into(),
            pool: self.settings.pool.clone(),
            excluded_pools: self.settings.excluded_pools.clone(),
        }
    }

    /// Closes what is open.
    pub(super) async fn close_listings(
        &self,
        seen: &Seen,
        unix_ms: u64,
        problems: &mut Vec<String>,
    ) -> Result<(), RecruitError> {
        let Some((platform, _)) = self.interface() else { return Ok(()) };
        // Rejected and returned work can open a listing again that was full when it was closed.
        let is_open = |number: &u32, listing: &Listing| {
            let state = seen.listings.get(number);
            !listing.is_closed || state.is_some_and(|state| state.admission == ListingAdmission::Open)
        };
        for (&number, listing) in
            seen.ledger.listings().iter().filter(|(number, listing)| is_open(number, listing))
        {
            let closed = match &listing.id {
                Some(id) => platform.admit(id, ListingAdmission::Closed).await,
                // It was planned, and may have been created.
                None => close_unknown(platform, &listing.mark).await,
            };
            if let Err(error) = closed {
                problems.push(format!("listing {number}: {error}"));
                continue;
            }
            self.record_closed(number, unix_ms).await?;
        }
        Ok(())
    }

    async fn record_closed(&self, number: u32, unix_ms: u64) -> Result<(), RecruitError> {
        let close = |ledger: &Ledger| {
            let is_open = ledger.listings().get(&number).is_some_and(|known| !known.is_closed);
            Ok::<_, RecruitError>(is_open.then_some(LedgerChange::ListingClosed { listing: number }))
        };
        self.ledger.append(&*self.store, unix_ms, close).await.map(drop)
    }
}

async fn close_unknown(platform: &dyn Platform, mark: &str) -> Result<(), PlatformError> {
    match platform.find(mark).await? {
        Some(state) => platform.admit(&state.id, ListingAdmission::Closed).await,
        None => Ok(()),
    }
}
