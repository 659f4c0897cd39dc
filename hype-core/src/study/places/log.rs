//! The fold of a store's log of places, and appends to that log.

use crate::model::units::Micros;
use crate::plugin::store::{Store, StoreError};
use crate::protocol::places::{Claimed, PlaceChange, PlaceCounts, PlaceKind, PlaceState, Places, Plan};
use crate::study::journal::{Attempt, Fold, Journal};

/// The fold of a store's log of places, with the position up to which it has been read.
#[derive(Debug, Default)]
pub struct PlacesLog(Journal<Book>);

#[derive(Debug, Default)]
struct Book {
    places: Places,
    /// Changes that were decided but not yet confirmed by the store, each with the previous state. They are applied
    /// already, so concurrent callers decide on other places.
    pending: Vec<(PlaceChange, PlaceState)>,
}

impl PlacesLog {
    /// The state of a place as of the last read of the log.
    #[must_use]
    pub fn state(&self, place: u32) -> PlaceState {
        self.0.view(|book| book.places.state(place))
    }

    /// Counts the places of a plan as of the last read of the log.
    #[must_use]
    pub fn counts(&self, plan: Plan, now: Micros) -> PlaceCounts {
        self.0.view(|book| book.places.counts(plan, now))
    }

    /// The status of a place as of the last read of the log.
    pub(super) fn kind(&self, plan: Plan, place: u32, now: Micros) -> PlaceKind {
        self.0.view(|book| book.places.kind(plan, place, now))
    }

    /// The places with a current holder, or a last one who may return, as of the last read of the log.
    pub(super) fn holders(&self, plan: Plan) -> Vec<(Claimed, String)> {
        self.0.view(|book| {
            book.places.holders(plan).map(|(claimed, holder)| (claimed, holder.to_string())).collect()
        })
    }

    /// The position up to which the log was read.
    pub(super) fn position(&self) -> u64 {
        self.0.position()
    }

    /// Reads new entries of the store's log.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn refresh(&self, store: &dyn Store) -> Result<(), StoreError> {
        self.0.refresh(store).await
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
        self.0.append(store, |book| Ok(decide(&mut book.places))).await
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
        if !self.0.is_behind() {
            let attempt = self.0.attempt(store, |book| Ok::<_, StoreError>(decide(&mut book.places)));
            if let Attempt::Appended(result) = attempt.await? {
                return Ok(Some(result));
            }
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
}

impl Fold for Book {
    type Entry = PlaceChange;

    fn apply(&mut self, _: u64, change: PlaceChange) {
        // The store has confirmed a change with this number, from this process or another.
        self.pending.retain(|(pending, _)| (pending.place, pending.number) != (change.place, change.number));
        self.places.apply(&change);
    }

    fn decided(&mut self, change: &PlaceChange) -> Option<u64> {
        let before = self.places.state(change.place);
        let has_new_holder = change.state.holders > before.holders;
        self.places.apply(change);
        self.pending.push((change.clone(), before));
        // Only a new holder must have no entry that was not read.
        (!has_new_holder).then_some(u64::MAX)
    }

    /// If a change may not have been appended, its place returns to its state before the first change that the store has
    /// not confirmed. If that change was appended after all, the next read of the log applies it.
    fn settled(&mut self, change: &PlaceChange, is_appended: bool) {
        let Some(at) = self.pending.iter().position(|(pending, _)| pending == change) else { return };
        if is_appended {
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
