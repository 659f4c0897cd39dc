//! The places of a study that is being collected: the [rule](crate::protocol::places) over the log of a store.
//!
//! Every backend claims, keeps and gives back places here, and only here. Any number of processes may do so at the same
//! time: each folds the log that they share, decides by the rule, and appends its decision if nobody else has changed
//! the place meanwhile; else it decides again.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::model::event::{Event, LogError};
use crate::model::record::{Ending, SessionRecord};
use crate::model::units::Micros;
use crate::plugin::store::{Store, StoreError, all_sessions};
use crate::protocol::places::{
    ClaimRequest, Claimed, LatestSession, Occupancy, PlaceChange, PlaceCounts, PlaceKind, PlaceState, Places,
    Plan, Progress,
};
use crate::study::Study;
use crate::study::backend::BackendError;
use crate::study::session::{ReplayError, Session, Step, place_and_attempt, session_name};

/// Places cannot be claimed or given back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlacesError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The log of an earlier session at a place is not the log of a session; the operator restores a copy of the store.
    #[error("session {session}: {source}")]
    Log {
        /// The session.
        session: String,
        /// What is wrong with its log.
        source: LogError,
    },
    /// The log of an earlier session at a place does not follow from the study.
    #[error("session {session}: {source}")]
    Replay {
        /// The session.
        session: String,
        /// What is wrong with its log.
        source: ReplayError,
    },
}

/// The places of a study, as one process knows them.
#[derive(Debug)]
pub struct StudyPlaces {
    plan: Plan,
    ledger: Ledger,
}

impl StudyPlaces {
    /// Reads the places of a study from a store that is bound to it. Sessions that the log of places does not account
    /// for are entered there: places follow from what was collected.
    ///
    /// # Errors
    /// If the store fails, or the log of a session is damaged.
    pub async fn open(study: &Study, store: &dyn Store) -> Result<Self, PlacesError> {
        let places = Self { plan: plan(study), ledger: Ledger::default() };
        places.ledger.refresh(store).await?;
        let mut latest: Option<(u32, u32)> = None;
        // In ascending order of places and, for each, of attempts.
        for name in all_sessions(store).await? {
            let Some(found) = place_and_attempt(&name) else { continue };
            if let Some(before) = latest.replace(found)
                && before.0 != found.0
            {
                places.follow(study, store, before).await?;
            }
        }
        if let Some(last) = latest {
            places.follow(study, store, last).await?;
        }
        Ok(places)
    }

    async fn follow(
        &self,
        study: &Study,
        store: &dyn Store,
        (place, attempt): (u32, u32),
    ) -> Result<(), PlacesError> {
        let state = self.ledger.state(place);
        if state.occupancy == Occupancy::Done || attempt + 1 < state.holders {
            return Ok(());
        }
        let name = session_name(place, attempt);
        let log = store.load(&name).await?;
        let Some(Event::Opened(header)) = log.first() else { return Ok(()) };
        let rater = header.rater.clone();
        let progress = match log.last() {
            Some(Event::Finished(_)) => match fills_place(study, &name, log)? {
                true => Progress::Completed,
                false => Progress::Failed,
            },
            _ => Progress::Unfinished,
        };
        let latest = LatestSession { rater, attempt, progress };
        self.ledger.change(store, |places| places.follow(place, &latest).map(|change| ((), change))).await?;
        Ok(())
    }

    /// Claims a place for a holder: the one that it has, else the first that is free. What an earlier holder of the
    /// place left unfinished is ended. `None` if no place is free now.
    ///
    /// # Errors
    /// If the store fails, or the log of an earlier session at the place is damaged.
    pub async fn claim(
        &self,
        study: &Study,
        store: &dyn Store,
        request: &ClaimRequest<'_>,
    ) -> Result<Option<Claimed>, PlacesError> {
        loop {
            let claim = |places: &mut Places| places.claim(self.plan, request);
            self.ledger.refresh(store).await?;
            let Some(claimed) = self.ledger.change(store, claim).await? else { return Ok(None) };
            if self.is_open(study, store, claimed, request.holder).await? {
                return Ok(Some(claimed));
            }
        }
    }

    /// Claims the first free place below `below` for a holder that the place and the attempt name.
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
            self.ledger.refresh(store).await?;
            let claim = |places: &mut Places| {
                let claimed = places.next(self.plan, now).filter(|claimed| claimed.place < below)?;
                Some((claimed, places.take(claimed.place, &holder(claimed), until)))
            };
            let Some(claimed) = self.ledger.change(store, claim).await? else { return Ok(None) };
            if self.is_open(study, store, claimed, &holder(claimed)).await? {
                return Ok(Some(claimed));
            }
        }
    }

    /// Whether a claimed place is still to be filled. If the session before was completed, but its driver
    /// ended before it gave the place back, the place is done.
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
        self.release(store, claimed.place, holder, true).await?;
        Ok(false)
    }

    /// Prolongs a lease, and tells whether `holder` holds the place; if not, nothing changes.
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
        self.ledger.keep(store, |places| places.prolong(place, holder, until)).await
    }

    /// Ends a lease at `now`. Its holder may come back until somebody else claims the place.
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
        self.ledger.keep(store, |places| places.suspend(place, holder, now)).await.map(drop)
    }

    /// Gives a place back; `done` if its session was completed by a rater who counts, so that nobody claims it again.
    /// Without effect if `holder` does not hold it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn release(
        &self,
        store: &dyn Store,
        place: u32,
        holder: &str,
        done: bool,
    ) -> Result<(), StoreError> {
        self.ledger.keep(store, |places| places.release(place, holder, done)).await.map(drop)
    }

    /// Counts the places by what has become of them.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn counts(&self, store: &dyn Store, now: Micros) -> Result<PlaceCounts, StoreError> {
        self.ledger.refresh(store).await?;
        Ok(self.ledger.book().places.counts(self.plan, now))
    }

    /// The places that somebody holds, or held last and may come back to, with their holders, in ascending order.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn holders(&self, store: &dyn Store) -> Result<Vec<(Claimed, String)>, StoreError> {
        self.ledger.refresh(store).await?;
        let book = self.ledger.book();
        Ok(book.places.holders(self.plan).map(|(claimed, holder)| (claimed, holder.to_string())).collect())
    }

    /// Whether `holder` holds a place, or held it last and may come back, as it was known last.
    #[must_use]
    pub fn is_held_by(&self, place: u32, holder: &str) -> bool {
        self.ledger.state(place).holder.as_deref() == Some(holder)
    }

    /// Whether a place was completed, if it was that or given up, as it was known last.
    #[must_use]
    pub fn settled(&self, place: u32, now: Micros) -> Option<bool> {
        match self.ledger.book().places.kind(self.plan, place, now) {
            PlaceKind::Done => Some(true),
            PlaceKind::GivenUp => Some(false),
            PlaceKind::Held | PlaceKind::Free => None,
        }
    }
}

/// The plan of a study.
fn plan(study: &Study) -> Plan {
    Plan { places: study.places(), replacements: study.raters().replacements }
}

/// Whether a finished session fills its place: it was completed by a rater whom no rule excludes.
fn fills_place(study: &Study, session: &str, log: Vec<Event>) -> Result<bool, PlacesError> {
    let record = SessionRecord::from_events(log)
        .map_err(|source| PlacesError::Log { session: session.to_owned(), source })?;
    Ok(study.fills_place(&record))
}

/// Ends a session whose place has gone to somebody else, if it was ever opened; tells whether it fills its place.
async fn end(study: &Study, store: &dyn Store, name: &str) -> Result<bool, PlacesError> {
    loop {
        let log = store.load(name).await?;
        match log.last() {
            None => return Ok(false),
            Some(Event::Finished(outcome)) if outcome.ending == Ending::Completed => {
                return fills_place(study, name, log);
            }
            Some(Event::Finished(_)) => return Ok(false),
            Some(_) => {}
        }
        let replay = |source| PlacesError::Replay { session: name.to_owned(), source };
        let mut session = Session::replay(study, log).map_err(replay)?;
        let (expected, last) = (session.events(), session.last());
        let events: Vec<Event> = match (session.handle_leave(last), session.step()) {
            (Ok(recorded), _) => recorded.into_events().collect(),
            // All but the end is in the log.
            (Err(_), Step::Finished(outcome)) => vec![Event::Finished(outcome.clone())],
            (Err(source), Step::Show(_)) => {
                return Err(replay(ReplayError::Rejected { index: expected as usize, source }));
            }
        };
        match store.append(name, expected, &events).await {
            Ok(_) | Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The fold of a store's log of places, and how far it has been read.
#[derive(Debug, Default)]
pub struct Ledger {
    book: Mutex<Book>,
}

#[derive(Debug, Default)]
struct Book {
    places: Places,
    /// Up to where the store's log has been read.
    read: u64,
    /// Changes that were decided and that the store has not confirmed yet, with what was before them.
    pending: Vec<(PlaceChange, PlaceState)>,
}

impl Ledger {
    /// No panic can leave the book half changed, so a poisoned lock is safe to use.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of a place as it was known last.
    #[must_use]
    pub fn state(&self, place: u32) -> PlaceState {
        self.book().places.state(place)
    }

    /// Counts the places of a plan as they were known last.
    #[must_use]
    pub fn counts(&self, plan: Plan, now: Micros) -> PlaceCounts {
        self.book().places.counts(plan, now)
    }

    /// Reads what the store's log holds by now.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn refresh(&self, store: &dyn Store) -> Result<(), StoreError> {
        let from = self.book().read;
        let (changes, read) = store.place_changes(from).await?;
        let mut book = self.book();
        for change in &changes {
            // The store has confirmed a change with this number, be it this process's or another's.
            book.pending
                .retain(|(pending, _)| (pending.place, pending.number) != (change.place, change.number));
            book.places.apply(change);
        }
        book.read = book.read.max(read);
        Ok(())
    }

    /// Decides on a change and appends it; decides again if somebody else has changed the place meanwhile. `None` if
    /// there is nothing to change.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn change<R>(
        &self,
        store: &dyn Store,
        mut decide: impl FnMut(&mut Places) -> Option<(R, PlaceChange)>,
    ) -> Result<Option<R>, StoreError> {
        loop {
            let Some((result, change)) = self.decide(&mut decide) else { return Ok(None) };
            let appended = store.change_place(&change).await;
            self.book().settle(&change, matches!(appended, Ok(true)));
            if appended? {
                return Ok(Some(result));
            }
            self.refresh(store).await?;
        }
    }

    /// As [`change`](Self::change) for a place that is held, by what is known already or, if that allows nothing, by
    /// what the store's log holds; tells whether there was something to change.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn keep(
        &self,
        store: &dyn Store,
        mut decide: impl FnMut(&Places) -> Option<PlaceChange>,
    ) -> Result<bool, StoreError> {
        let mut decide = |places: &mut Places| decide(places).map(|change| ((), change));
        if self.change(store, &mut decide).await?.is_some() {
            return Ok(true);
        }
        self.refresh(store).await?;
        Ok(self.change(store, decide).await?.is_some())
    }

    /// Decides, and takes the change into account before it is appended, so that others decide on other places.
    fn decide<R>(
        &self,
        mut decide: impl FnMut(&mut Places) -> Option<(R, PlaceChange)>,
    ) -> Option<(R, PlaceChange)> {
        let mut book = self.book();
        let (result, change) = decide(&mut book.places)?;
        let before = book.places.state(change.place);
        book.places.apply(&change);
        book.pending.push((change.clone(), before));
        Some((result, change))
    }
}

impl Book {
    /// A decided change was appended, or may not have been. Then the place is as it was before the first change that
    /// the store has not confirmed; if that was appended after all, the log tells so when it is read next.
    fn settle(&mut self, change: &PlaceChange, appended: bool) {
        let Some(at) = self.pending.iter().position(|(pending, _)| pending == change) else { return };
        if appended {
            self.pending.swap_remove(at);
            return;
        }
        let of_place = |(pending, _): &&(PlaceChange, PlaceState)| pending.place == change.place;
        let first = self.pending.iter().filter(of_place).min_by_key(|(pending, _)| pending.number).cloned();
        if let Some((first, before)) = first {
            self.places.set(first.place, first.number, before);
        }
        self.pending.retain(|(pending, _)| pending.place != change.place);
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
