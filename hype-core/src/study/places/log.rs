//! The fold of a store's log of places, and appends to that log.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::model::units::Micros;
use crate::plugin::store::{Store, StoreError};
use crate::protocol::places::{Claimed, PlaceChange, PlaceCounts, PlaceKind, PlaceState, Places, Plan};

/// The fold of a store's log of places, with the position up to which it has been read.
#[derive(Debug, Default)]
pub struct PlacesLog {
    book: Mutex<Book>,
}

#[derive(Debug, Default)]
struct Book {
    places: Places,
    /// The position up to which the store's log has been read.
    read: u64,
    /// Whether a change was appended beyond `read`, which the next claim then has to read up to.
    is_behind: bool,
    /// Changes that were decided but not yet confirmed by the store, each with the previous state.
    pending: Vec<(PlaceChange, PlaceState)>,
}

impl PlacesLog {
    /// No panic can leave the book in an inconsistent state, so a poisoned lock is safe to use.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of a place as of the last read of the log.
    #[must_use]
    pub fn state(&self, place: u32) -> PlaceState {
        self.book().places.state(place)
    }

    /// Counts the places of a plan as of the last read of the log.
    #[must_use]
    pub fn counts(&self, plan: Plan, now: Micros) -> PlaceCounts {
        self.book().places.counts(plan, now)
    }

    /// The status of a place as of the last read of the log.
    pub(super) fn kind(&self, plan: Plan, place: u32, now: Micros) -> PlaceKind {
        self.book().places.kind(plan, place, now)
    }

    /// The places with a current holder, or a last one who may return, as of the last read of the log.
    pub(super) fn holders(&self, plan: Plan) -> Vec<(Claimed, String)> {
        let book = self.book();
        book.places.holders(plan).map(|(claimed, holder)| (claimed, holder.to_string())).collect()
    }

    /// The position up to which the log was read.
    pub(super) fn position(&self) -> u64 {
        self.book().read
    }

    /// Reads new entries of the store's log.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn refresh(&self, store: &dyn Store) -> Result<(), StoreError> {
        let from = {
            let mut book = self.book();
            book.is_behind = false;
            book.read
        };
        let (changes, read) = store.place_changes(from).await?;
        let mut book = self.book();
        for change in &changes {
            // The store has confirmed a change with this number, from this process or another.
            book.pending
                .retain(|(pending, _)| (pending.place, pending.number) != (change.place, change.number));
            book.places.apply(change);
        }
        book.read = book.read.max(read);
        Ok(())
    }

    /// Decides on a change and appends it. Decides again if the place has changed in the meantime. `None` if there is
    /// nothing to change as of the last read.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn change<R>(
        &self,
        store: &dyn Store,
        mut decide: impl FnMut(&mut Places) -> Option<(R, PlaceChange)>,
    ) -> Result<Option<R>, StoreError> {
        loop {
            let Some(decision) = self.decide(&mut decide) else { return Ok(None) };
            if let Some(result) = self.append(store, decision).await? {
                return Ok(Some(result));
            }
            self.refresh(store).await?;
        }
    }

    /// Like [`change`](Self::change), for a claim. Decides by the state of the last read. Reads the log first only if
    /// other processes are known to have changed places since, and afterwards if the store refuses the decision or no
    /// place was free. A place that another process has just released may thus be seen only by a later claim.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn claim<R>(
        &self,
        store: &dyn Store,
        mut decide: impl FnMut(&mut Places) -> Option<(R, PlaceChange)>,
    ) -> Result<Option<R>, StoreError> {
        let is_behind = self.book().is_behind;
        if !is_behind
            && let Some(decision) = self.decide(&mut decide)
            && let Some(result) = self.append(store, decision).await?
        {
            return Ok(Some(result));
        }
        self.refresh(store).await?;
        self.change(store, decide).await
    }

    /// Like [`change`](Self::change), for a place that is held. Decides by the state of the last read, and reads the
    /// log only if that allows no change. Returns whether there was something to change.
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

    /// Decides on a change and applies it before it is appended, so that concurrent callers decide on other places.
    fn decide<R>(
        &self,
        mut decide: impl FnMut(&mut Places) -> Option<(R, PlaceChange)>,
    ) -> Option<Decision<R>> {
        let mut book = self.book();
        let (result, change) = decide(&mut book.places)?;
        let before = book.places.state(change.place);
        let first_after = (change.state.holders > before.holders).then_some(book.read);
        book.places.apply(&change);
        book.pending.push((change.clone(), before));
        Some(Decision { result, change, first_after })
    }

    /// Appends a decided change. `None` if the store refuses it.
    async fn append<R>(&self, store: &dyn Store, decision: Decision<R>) -> Result<Option<R>, StoreError> {
        let Decision { result, change, first_after } = decision;
        let appended = store.change_place(&change, first_after).await;
        let mut book = self.book();
        let is_applied = book.settle(&change, matches!(appended, Ok(Some(_))));
        Ok(appended?.map(|position| {
            if is_applied && position == book.read + 1 {
                book.read = position;
            } else {
                book.is_behind |= position > book.read;
            }
            result
        }))
    }
}

/// A decided change that is to be appended.
struct Decision<R> {
    result: R,
    change: PlaceChange,
    /// For a new holder, the position up to which the log was read.
    first_after: Option<u64>,
}

impl Book {
    /// Settles a decided change and returns whether it stays applied. If it may not have been appended, the place
    /// returns to its state before the first change that the store has not confirmed. If that change was appended after
    /// all, the next read of the log applies it.
    fn settle(&mut self, change: &PlaceChange, appended: bool) -> bool {
        let Some(at) = self.pending.iter().position(|(pending, _)| pending == change) else { return false };
        if appended {
            self.pending.swap_remove(at);
            return true;
        }
        let of_place = |(pending, _): &&(PlaceChange, PlaceState)| pending.place == change.place;
        let first = self.pending.iter().filter(of_place).min_by_key(|(pending, _)| pending.number).cloned();
        if let Some((first, before)) = first {
            self.places.set(first.place, first.number, before);
        }
        self.pending.retain(|(pending, _)| pending.place != change.place);
        false
    }
}
