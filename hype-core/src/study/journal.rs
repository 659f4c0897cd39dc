//! The fold of a log in a store, followed by one process.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::plugin::store::{Logged, Store, StoreError, StoreExt as _};

/// The state that follows from the entries of a log.
pub(crate) trait Fold: Send {
    /// An entry of the log.
    type Entry: Logged;

    /// Applies the entry at a position of the log. Entries that were applied before may come again and change nothing.
    fn apply(&mut self, at: u64, entry: Self::Entry);

    /// Takes an entry that is about to be appended, before the store confirms it. Returns the position at which the store
    /// expects the log, if not the one up to which it was read.
    fn decided(&mut self, _entry: &Self::Entry) -> Option<u64> {
        None
    }

    /// Takes the outcome of an entry that was decided.
    fn settled(&mut self, _entry: &Self::Entry, _is_appended: bool) {}
}

/// The fold of a log as far as this process has read it. Entries are decided by the fold and appended if no other process
/// has appended in the meantime; otherwise they are decided again.
#[derive(Debug, Default)]
pub(crate) struct Journal<F>(Mutex<Followed<F>>);

#[derive(Debug, Default)]
struct Followed<F> {
    fold: F,
    /// The position up to which the log has been read.
    read: u64,
    /// Whether this process has appended beyond `read`.
    is_behind: bool,
}

impl<F: Fold> Journal<F> {
    /// No panic can leave the state half-changed, so a poisoned lock is safe to use.
    fn lock(&self) -> MutexGuard<'_, Followed<F>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A view of the fold as of the last read.
    pub(crate) fn view<R>(&self, view: impl FnOnce(&F) -> R) -> R {
        view(&self.lock().fold)
    }

    /// The position up to which the log was read.
    pub(crate) fn position(&self) -> u64 {
        self.lock().read
    }

    /// Whether this process has appended after entries of others that it has not read.
    pub(crate) fn is_behind(&self) -> bool {
        self.lock().is_behind
    }

    /// Reads new entries.
    pub(crate) async fn refresh(&self, store: &dyn Store) -> Result<(), StoreError> {
        let from = {
            let mut followed = self.lock();
            followed.is_behind = false;
            followed.read
        };
        let (entries, end) = store.entries(from).await?;
        let mut followed = self.lock();
        for (at, entry) in (from..).zip(entries) {
            followed.fold.apply(at, entry);
        }
        followed.read = followed.read.max(end);
        Ok(())
    }

    /// Decides on an entry by the last read and appends it; refreshes and decides again as long as the store refuses it.
    /// Returns what the decision says of the entry; `None` if there is nothing to append.
    pub(crate) async fn append<R, E: From<StoreError>>(
        &self,
        store: &dyn Store,
        mut decide: impl FnMut(&mut F) -> Result<Option<(R, F::Entry)>, E>,
    ) -> Result<Option<R>, E> {
        loop {
            match self.attempt(store, &mut decide).await? {
                Attempt::Appended(result) => return Ok(Some(result)),
                Attempt::Nothing => return Ok(None),
                Attempt::Refused => self.refresh(store).await?,
            }
        }
    }

    /// Decides on an entry by the last read and appends it unless the store refuses it.
    pub(crate) async fn attempt<R, E: From<StoreError>>(
        &self,
        store: &dyn Store,
        decide: impl FnOnce(&mut F) -> Result<Option<(R, F::Entry)>, E>,
    ) -> Result<Attempt<R>, E> {
        let (result, entry, expected) = {
            let Followed { fold, read, .. } = &mut *self.lock();
            let Some((result, entry)) = decide(fold)? else { return Ok(Attempt::Nothing) };
            let expected = fold.decided(&entry).unwrap_or(*read);
            (result, entry, expected)
        };
        let appended = store.append(entry.to_append(), expected).await;
        let Followed { fold, read, is_behind } = &mut *self.lock();
        fold.settled(&entry, appended.is_ok());
        match appended {
            Ok(position) if position == *read + 1 => {
                fold.apply(*read, entry);
                *read = position;
            }
            Ok(position) => *is_behind |= position > *read,
            Err(StoreError::Conflict { .. }) => return Ok(Attempt::Refused),
            Err(error) => return Err(error.into()),
        }
        Ok(Attempt::Appended(result))
    }
}

/// The outcome of one decision.
pub(crate) enum Attempt<R> {
    /// The entry was appended.
    Appended(R),
    /// The decision was to append nothing.
    Nothing,
    /// Another process has appended in the meantime.
    Refused,
}
