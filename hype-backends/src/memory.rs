//! A store in memory: for simulations, plans and tests.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use hype_core::store::{Claim, Lease};
use hype_core::{Digest, Event, Store, StoreError};

use crate::claims::{self, Held};

/// Keeps logs in memory; they are gone with it.
///
/// # Examples
/// ```
/// use hype_backends::MemoryStore;
/// use hype_core::{Event, Micros, Store};
///
/// # pollster::block_on(async {
/// let store = MemoryStore::new();
/// let events = [Event::Left { at: Micros(5) }];
/// assert_eq!(store.append("p000000-000", 0, &events).await?, 1);
/// assert_eq!(store.load("p000000-000").await?, events);
/// # Ok::<(), hype_core::StoreError>(()) }).unwrap();
/// ```
#[derive(Debug, Default)]
pub struct MemoryStore {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    study: Option<Digest>,
    logs: BTreeMap<String, Vec<Event>>,
    places: BTreeMap<u32, Held>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing in here can be left half done by a panic, so a poisoned lock is as good as a sound one.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn bind(&self, study: Digest) -> Result<(), StoreError> {
        let bound = *self.kept().study.get_or_insert(study);
        if bound == study {
            return Ok(());
        }
        Err(StoreError::AnotherStudy { found: bound.to_string(), wanted: study.to_string() })
    }

    async fn append(&self, session: &str, expected: u64, events: &[Event]) -> Result<u64, StoreError> {
        let mut kept = self.kept();
        let log = kept.logs.get_mut(session);
        let found = log.as_ref().map_or(0, |log| log.len() as u64);
        if found == expected {
            match log {
                Some(log) => log.extend_from_slice(events),
                None if events.is_empty() => {}
                None => drop(kept.logs.insert(session.to_owned(), events.to_vec())),
            }
            return Ok(found + events.len() as u64);
        }
        let before = log.and_then(|log| {
            let start = usize::try_from(expected).ok()?;
            log.get(start..start.checked_add(events.len())?)
        });
        if before == Some(events) {
            return Ok(found);
        }
        Err(StoreError::Conflict { session: session.to_owned(), expected, found })
    }

    async fn load(&self, session: &str) -> Result<Vec<Event>, StoreError> {
        Ok(self.kept().logs.get(session).cloned().unwrap_or_default())
    }

    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let kept = self.kept();
        let names = kept.logs.range::<str, _>((from, Bound::Unbounded));
        Ok(names.take(limit).map(|(name, _)| name.clone()).collect())
    }

    async fn claim(&self, lease: &Lease<'_>) -> Result<Claim, StoreError> {
        let mut kept = self.kept();
        let (claim, held) = claims::claim(kept.places.get(&lease.place), lease);
        if let Some(held) = held {
            kept.places.insert(lease.place, held);
        }
        Ok(claim)
    }

    async fn release(&self, place: u32, holder: &str, done: bool) -> Result<(), StoreError> {
        let mut kept = self.kept();
        if !claims::may_release(kept.places.get(&place), holder) {
            return Ok(());
        }
        if done {
            if let Some(held) = kept.places.get_mut(&place) {
                held.done = true;
            }
        } else {
            kept.places.remove(&place);
        }
        Ok(())
    }
}
