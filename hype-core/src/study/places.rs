//! Places of a study during collection: the [rule](crate::protocol::places) applied to the log of a store.
//!
//! All backends claim, extend and release places through this module only. Any number of processes may do so at the
//! same time: each folds the shared log, decides by the rule, and appends its decision if the place has not changed in
//! the meantime; otherwise it decides again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::model::action::{LoggedAction, OperatorAction};
use crate::model::event::{Event, LogError};
use crate::model::record::{Ending, SessionRecord};
use crate::model::units::Micros;
use crate::plugin::store::{Store, StoreError, StoreExt as _, all_sessions};
use crate::protocol::places::{
    ClaimRequest, Claimed, LatestSession, Occupancy, PlaceCounts, PlaceKind, Places, Plan, Progress, Release,
};
use crate::study::Study;
use crate::study::backend::BackendError;
use crate::study::session::{ReplayError, Session, Step, place_and_attempt, session_name};

mod log;

pub use self::log::PlacesLog;

/// Places cannot be claimed or released.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlacesError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The log of an earlier session at a place is not a valid session log; the operator restores a backup of the
    /// store.
    #[error("session {session}: {source}")]
    Log {
        /// The session.
        session: String,
        /// The fault of its log.
        source: LogError,
    },
    /// The log of an earlier session at a place cannot be replayed with this study.
    #[error("session {session}: {source}")]
    Replay {
        /// The session.
        session: String,
        /// The fault of its log.
        source: ReplayError,
    },
}

/// Which places were opened again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reopened {
    /// Those that had been given up and can be claimed now.
    pub opened: Vec<u32>,
    /// Named ones that had not been given up, which did not change.
    pub unchanged: Vec<(u32, PlaceKind)>,
    /// Named ones that are not in the plan.
    pub unknown: Vec<u32>,
}

/// The places of a study as seen by one process.
#[derive(Debug)]
pub struct StudyPlaces {
    /// The number of places, which operators may raise.
    places: AtomicU32,
    replacements: u32,
    log: PlacesLog,
}

impl StudyPlaces {
    /// Reads the places of a study from a store that is bound to it. Adds changes for sessions that the log of places
    /// does not account for, as places follow from what was collected.
    ///
    /// # Errors
    /// If the store fails, or the log of a session is damaged.
    pub async fn open(study: &Study, store: &dyn Store) -> Result<Self, PlacesError> {
        let places = Self {
            places: study.places().into(),
            replacements: study.raters().replacements,
            log: PlacesLog::default(),
        };
        places.log.refresh(store).await?;
        // The names of attempts from the thousandth on are not in the order of their numbers.
        let mut latest: BTreeMap<u32, u32> = BTreeMap::new();
        for name in all_sessions(store).await? {
            let Some((place, attempt)) = place_and_attempt(&name) else { continue };
            let last = latest.entry(place).or_default();
            *last = attempt.max(*last);
        }
        for last in latest {
            places.follow(study, store, last).await?;
        }
        Ok(places)
    }

    fn plan(&self) -> Plan {
        Plan { places: self.places.load(Ordering::Relaxed), replacements: self.replacements }
    }

    /// Brings places in line with the operators' decisions that the study [knows](Study::under): the plan has the places that
    /// were added, a place that only an excluded rater filled can be claimed again, and one whose rater counts again is done.
    /// `entries` are those that were not followed before; following them again changes nothing.
    ///
    /// # Errors
    /// If the store fails, or the log of a session is damaged.
    pub async fn follow_actions(
        &self,
        study: &Study,
        store: &dyn Store,
        entries: &[LoggedAction],
    ) -> Result<(), PlacesError> {
        self.places.store(study.places(), Ordering::Relaxed);
        for entry in entries {
            let (OperatorAction::Exclude { rater, session, .. }
            | OperatorAction::Include { rater, session, .. }) = &entry.action
            else {
                continue;
            };
            let Some((place, attempt)) = place_and_attempt(session) else { continue };
            self.log.refresh(store).await?;
            if study.control().excluded().contains_key(rater) {
                let vacate = |places: &mut Places| places.vacate(place, attempt).map(|change| ((), change));
                self.log.change(store, vacate).await?;
            } else {
                self.follow(study, store, (place, attempt)).await?;
            }
        }
        Ok(())
    }

    async fn follow(
        &self,
        study: &Study,
        store: &dyn Store,
        (place, attempt): (u32, u32),
    ) -> Result<(), PlacesError> {
        let state = self.log.state(place);
        if state.occupancy == Occupancy::Done || attempt + 1 < state.holders {
            return Ok(());
        }
        let name = session_name(place, attempt);
        let log = store.load(&name).await?;
        let Some(Event::Opened(header)) = log.first() else { return Ok(()) };
        let rater = header.rater.clone();
        // The place was settled or reopened when the answers were erased.
        if matches!(log.last(), Some(Event::Erased(_)))
            && attempt + 1 == state.holders
            && state.holder.is_none()
        {
            return Ok(());
        }
        let answered = log.iter().any(|event| match event {
            Event::Answered(_) => true,
            Event::Erased(erased) => erased.answers > 0,
            _ => false,
        });
        let progress = match log.last() {
            Some(Event::Erased(erased)) if erased.filled => Progress::Completed,
            Some(Event::Erased(_)) => Progress::Failed,
            Some(Event::Finished(_)) => match fills_place(study, &name, log)? {
                true => Progress::Completed,
                false => Progress::Failed,
            },
            _ => Progress::Unfinished,
        };
        let latest = LatestSession { rater, attempt, progress, answered };
        self.log.change(store, |places| places.follow(place, &latest).map(|change| ((), change))).await?;
        Ok(())
    }

    /// Claims a place for a holder: its current place, or else the first free one. Ends an unfinished session of the
    /// place's previous holder. `None` if no place is free now.
    ///
    /// # Errors
    /// If the store fails, or the log of an earlier session at the place is damaged.
    pub async fn claim(
        &self,
        study: &Study,
        store: &dyn Store,
        request: &ClaimRequest<'_>,
    ) -> Result<Option<Claimed>, PlacesError> {
        self.claim_within(study, store, request, None).await
    }

    /// As [`claim`](Self::claim), but admits no new holder while at least the given number of places is held. Several processes
    /// that admit holders at the same moment may exceed it.
    ///
    /// # Errors
    /// As [`claim`](Self::claim).
    pub async fn claim_within(
        &self,
        study: &Study,
        store: &dyn Store,
        request: &ClaimRequest<'_>,
        room: Option<u32>,
    ) -> Result<Option<Claimed>, PlacesError> {
        if room.is_some() {
            // Other processes let raters in as well.
            self.log.refresh(store).await?;
        }
        loop {
            let claim = |places: &mut Places| {
                let is_full = room.is_some_and(|room| {
                    !places.has(request.holder) && places.counts(self.plan(), request.now).held >= room
                });
                if is_full { None } else { places.claim(self.plan(), request) }
            };
            let Some(claimed) = self.log.claim(store, claim).await? else { return Ok(None) };
            if self.is_open(study, store, claimed, request.holder).await? {
                return Ok(Some(claimed));
            }
        }
    }

    /// Claims the first free place below `below` for a holder whose name is derived from the place and the attempt.
    ///
    /// # Errors
    /// As [`claim`](Self::claim).
    pub async fn claim_next(
        &self,
        study: &Study,
        store: &dyn Store,
        below: u32,
        (now, until): (Micros, Micros),
        holder: impl Fn(Claimed) -> String + Sync,
    ) -> Result<Option<Claimed>, PlacesError> {
        loop {
            let claim = |places: &mut Places| {
                let claimed = places.next(self.plan(), now).filter(|claimed| claimed.place < below)?;
                Some((claimed, places.take(claimed.place, &holder(claimed), until)))
            };
            let Some(claimed) = self.log.claim(store, claim).await? else { return Ok(None) };
            if self.is_open(study, store, claimed, &holder(claimed)).await? {
                return Ok(Some(claimed));
            }
        }
    }

    /// Whether a claimed place still has to be filled. If the previous session was completed but its driver ended
    /// before it released the place, the place is marked as done.
    async fn is_open(
        &self,
        study: &Study,
        store: &dyn Store,
        claimed: Claimed,
        holder: &str,
    ) -> Result<bool, PlacesError> {
        let Some(before) = claimed.attempt.checked_sub(1) else { return Ok(true) };
        if !end(study, store, &session_name(claimed.place, before)).await? {
            return Ok(true);
        }
        self.release(store, claimed.place, holder, Release::Completed).await?;
        Ok(false)
    }

    /// Extends a lease. Returns whether `holder` holds the place; if not, nothing changes.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn prolong(
        &self,
        store: &dyn Store,
        place: u32,
        holder: &str,
        until: Micros,
    ) -> Result<bool, StoreError> {
        self.log.keep(store, |places| places.prolong(place, holder, until)).await
    }

    /// Ends a lease at `now`. Its holder may return until someone else claims the place.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn suspend(
        &self,
        store: &dyn Store,
        place: u32,
        holder: &str,
        now: Micros,
    ) -> Result<(), StoreError> {
        self.log.keep(store, |places| places.suspend(place, holder, now)).await.map(drop)
    }

    /// Records the first answer of a place's holder, who counts from then on among those who may answer before the place
    /// is given up, and extends the lease. Returns whether `holder` holds the place; if not, nothing changes.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn answered(
        &self,
        store: &dyn Store,
        place: u32,
        holder: &str,
        until: Micros,
    ) -> Result<bool, StoreError> {
        self.log.keep(store, |places| places.answered(place, holder, until)).await
    }

    /// Releases a place. Has no effect if `holder` does not hold it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn release(
        &self,
        store: &dyn Store,
        place: u32,
        holder: &str,
        release: Release,
    ) -> Result<(), StoreError> {
        self.log.keep(store, |places| places.release(place, holder, release)).await.map(drop)
    }

    /// Lets places be claimed again that were given up: all of them, or the given ones. Other places do not change.
    /// Repeating the call changes nothing. Works while other processes collect.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn reopen(
        &self,
        store: &dyn Store,
        which: Option<&[u32]>,
        now: Micros,
    ) -> Result<Reopened, StoreError> {
        self.log.refresh(store).await?;
        let all: Vec<u32> = (0..self.plan().places).collect();
        let mut reopened = Reopened::default();
        for &place in which.unwrap_or(&all) {
            if place >= self.plan().places {
                reopened.unknown.push(place);
                continue;
            }
            let reopen =
                |places: &mut Places| places.reopen(self.plan(), place, now).map(|change| ((), change));
            match self.log.change(store, reopen).await? {
                Some(()) => reopened.opened.push(place),
                None if which.is_some() => reopened.unchanged.push((place, self.kind(place, now))),
                None => {}
            }
        }
        Ok(reopened)
    }

    /// Lets a place be claimed again that an attempt filled whose answers were erased.
    pub(super) async fn reopen_erased(
        &self,
        store: &dyn Store,
        place: u32,
        attempt: u32,
    ) -> Result<(), StoreError> {
        self.log.refresh(store).await?;
        let reopen = |places: &mut Places| places.reopen_erased(place, attempt).map(|change| ((), change));
        self.log.change(store, reopen).await.map(drop)
    }

    /// Whether an attempt has filled a place, as of the last read of the log.
    pub(super) fn is_done_by(&self, place: u32, attempt: u32) -> bool {
        let state = self.log.state(place);
        state.occupancy == Occupancy::Done && state.holders == attempt + 1
    }

    /// The status of a place as of the last read of the log.
    fn kind(&self, place: u32, now: Micros) -> PlaceKind {
        self.log.kind(self.plan(), place, now)
    }

    /// Counts the places by status.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn counts(&self, store: &dyn Store, now: Micros) -> Result<PlaceCounts, StoreError> {
        self.log.refresh(store).await?;
        Ok(self.log.counts(self.plan(), now))
    }

    /// The position up to which the log of places was read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.log.position()
    }

    /// The places with a current holder, or a last one who may return, and these holders, in ascending order.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn holders(&self, store: &dyn Store) -> Result<Vec<(Claimed, String)>, StoreError> {
        self.log.refresh(store).await?;
        Ok(self.log.holders(self.plan()))
    }

    /// Whether `holder` holds a place, or held it last and may return, as of the last read of the log.
    #[must_use]
    pub fn is_held_by(&self, place: u32, holder: &str) -> bool {
        self.log.state(place).holder.as_deref() == Some(holder)
    }

    /// Whether `holder` holds a place and the lease has not ended, as of the last read of the log.
    #[must_use]
    pub fn is_leased_by(&self, place: u32, holder: &str, now: Micros) -> bool {
        let state = self.log.state(place);
        state.occupancy == Occupancy::Held && state.until > now && state.holder.as_deref() == Some(holder)
    }

    /// Whether `holder` holds a place, or held it last, and has answered a trial, as of the last read of the log.
    #[must_use]
    pub fn has_answered(&self, place: u32, holder: &str) -> bool {
        let state = self.log.state(place);
        state.answered && state.holder.as_deref() == Some(holder)
    }

    /// Whether a place was completed (`true`) or given up (`false`), as of the last read of the log; `None` if neither.
    #[must_use]
    pub fn settled(&self, place: u32, now: Micros) -> Option<bool> {
        match self.kind(place, now) {
            PlaceKind::Done => Some(true),
            PlaceKind::GivenUp => Some(false),
            PlaceKind::Held | PlaceKind::Free => None,
        }
    }
}

/// Whether a finished session fills its place, that is, was completed by a rater that no rule excludes.
fn fills_place(study: &Study, session: &str, log: Vec<Event>) -> Result<bool, PlacesError> {
    let record = SessionRecord::from_events(log)
        .map_err(|source| PlacesError::Log { session: session.to_owned(), source })?;
    Ok(study.fills_place(&record))
}

/// Ends a session whose place was assigned to another holder, if it was ever opened. Returns whether it fills its
/// place.
async fn end(study: &Study, store: &dyn Store, name: &str) -> Result<bool, PlacesError> {
    loop {
        let log = store.load(name).await?;
        match log.last() {
            None => return Ok(false),
            Some(Event::Finished(outcome)) if outcome.ending == Ending::Completed => {
                return fills_place(study, name, log);
            }
            Some(Event::Finished(_) | Event::Erased(_)) => return Ok(false),
            Some(_) => {}
        }
        let replay = |source| PlacesError::Replay { session: name.to_owned(), source };
        let mut session = Session::replay(study, log).map_err(replay)?;
        let (expected, last) = (session.events(), session.last());
        let events: Vec<Event> = match (session.handle_leave(last), session.step()) {
            (Ok(recorded), _) => recorded.into_events().collect(),
            // Only the final event is missing from the log.
            (Err(_), Step::Finished(outcome)) => vec![Event::Finished(outcome.clone())],
            (Err(source), Step::Show(_)) => {
                return Err(replay(ReplayError::Rejected { index: expected as usize, source }));
            }
        };
        match store.append_events(name, expected, &events).await {
            Ok(_) | Err(StoreError::Conflict { .. } | StoreError::Erased { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

impl From<PlacesError> for BackendError {
    fn from(error: PlacesError) -> Self {
        match error {
            PlacesError::Store(error) => Self::Store(error),
            PlacesError::Log { session, source } => Self::Log { session, source },
            PlacesError::Replay { session, source } => Self::Replay { session, source },
        }
    }
}
