//! Following the logs of a store.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hype_core::protocol::places::PlaceChange;
use hype_core::study::session::{place_and_attempt, session_name};
use hype_core::{Event, Store, StoreError, StoreExt as _, Study};

use super::{Census, Key};

/// The number of sessions that one look reads until every session was read once.
const FIRST: usize = 1_024;

/// The number of sessions that a look reads after that.
const LATER: usize = 64;

/// A census, shared between those who append and those who look.
#[derive(Debug)]
pub(crate) struct Follower {
    census: Mutex<Census>,
    /// One look at a time.
    cursor: tokio::sync::Mutex<Cursor>,
}

/// How far a store was read.
#[derive(Debug, Default)]
struct Cursor {
    /// The last session that was read of those that the store had at first.
    session: Option<String>,
    /// The position in the log of places.
    places: Option<u64>,
}

impl Follower {
    pub(crate) fn new(study: &Study) -> Self {
        Self { census: Mutex::new(Census::new(study)), cursor: tokio::sync::Mutex::default() }
    }

    /// The counts as of the last look. A poisoned lock is safe to use: at worst a session is counted late.
    pub(crate) fn census(&self) -> MutexGuard<'_, Census> {
        self.census.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes events that this process has appended.
    pub(crate) fn appended(&self, session: &str, at: u64, events: &[Event]) {
        self.census().appended(session, at, events);
    }

    /// Reads what is new, a bounded number of sessions. `read` is a position in the log of places up to which the store's
    /// sessions can be listed.
    ///
    /// # Errors
    /// If the store fails. The next look continues.
    pub(crate) async fn look(&self, store: &Arc<dyn Store>, read: u64) -> Result<(), StoreError> {
        let mut cursor = self.cursor.lock().await;
        let from = *cursor.places.get_or_insert(read);
        if !self.census().is_complete {
            self.read_first(store, &mut cursor).await?;
        }
        let (changes, position) = store.entries::<PlaceChange>(from).await?;
        self.census().places_changed(&changes);
        cursor.places = Some(position);
        let due = self.census().due(LATER);
        for key in due {
            self.load(store, key).await?;
        }
        Ok(())
    }

    /// Reads the next of the sessions that the store had at first.
    async fn read_first(&self, store: &Arc<dyn Store>, cursor: &mut Cursor) -> Result<(), StoreError> {
        let names = store.sessions(cursor.session.as_deref(), FIRST).await?;
        for name in &names {
            if let Some(key) = place_and_attempt(name)
                && self.census().session(key).is_none()
            {
                self.load(store, key).await?;
            }
            cursor.session = Some(name.clone());
        }
        self.census().is_complete = names.len() < FIRST;
        Ok(())
    }

    async fn load(&self, store: &Arc<dyn Store>, key: Key) -> Result<(), StoreError> {
        match store.load(&session_name(key.0, key.1)).await {
            Ok(log) => self.census().read(key, log),
            Err(StoreError::Damaged { .. }) => drop(self.census().unreadable.insert(key)),
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
