//! A store in memory: for simulations, plans and tests.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use hype_core::plugin::store::{Claimed, Registered, Standing, Wish};
use hype_core::{Digest, Event, Micros, Store, StoreError};

use crate::claims::Claims;

/// Keeps logs in memory; they are gone with the last of its clones, which are all the same store.
///
/// # Examples
/// ```
/// use hype_store::MemoryStore;
/// use hype_core::{Event, Micros, Store};
///
/// # pollster::block_on(async {
/// let store = MemoryStore::new();
/// let events = [Event::Left { at: Micros(5) }];
/// assert_eq!(store.append("p000000-000", 0, &events).await?, 1);
/// assert_eq!(store.load("p000000-000").await?, events);
/// # Ok::<(), hype_core::StoreError>(()) }).unwrap();
/// ```
#[derive(Clone, Default)]
pub struct MemoryStore {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    study: Option<Digest>,
    logs: BTreeMap<String, Vec<Event>>,
    claims: Claims,
    /// The holders of people's keys.
    people: BTreeMap<String, String>,
    sealed: BTreeMap<String, Vec<u8>>,
    /// Who used which link.
    links: BTreeMap<String, String>,
    secret: Option<[u8; 32]>,
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

/// Without what is kept, which may be secret.
impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
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

    async fn claim_next(&self, wish: &Wish<'_>) -> Result<Option<Claimed>, StoreError> {
        Ok(self.kept().claims.claim_next(wish))
    }

    async fn prolong(&self, place: u32, holder: &str, until: Micros) -> Result<bool, StoreError> {
        Ok(self.kept().claims.prolong(place, holder, until))
    }

    async fn release(&self, place: u32, holder: &str, done: bool) -> Result<(), StoreError> {
        self.kept().claims.release(place, holder, done);
        Ok(())
    }

    async fn standing(&self, now: Micros, replacements: u32) -> Result<Standing, StoreError> {
        Ok(self.kept().claims.standing(now, replacements))
    }

    async fn register(
        &self,
        key: &str,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError> {
        let mut kept = self.kept();
        let registered = register(&mut kept.people, key, holder);
        if let (Registered::New, Some(sealed)) = (&registered, sealed) {
            kept.sealed.entry(holder.to_owned()).or_insert_with(|| sealed.to_vec());
        }
        Ok(registered)
    }

    async fn registered(&self, key: &str) -> Result<Option<String>, StoreError> {
        Ok(self.kept().people.get(key).cloned())
    }

    async fn sealed(&self, holder: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.kept().sealed.get(holder).cloned())
    }

    async fn forget(&self, holder: &str) -> Result<(), StoreError> {
        let mut kept = self.kept();
        kept.people.retain(|_, by| by != holder);
        kept.sealed.remove(holder);
        Ok(())
    }

    async fn spend(&self, link: &str, holder: &str) -> Result<Registered, StoreError> {
        Ok(register(&mut self.kept().links, link, holder))
    }

    async fn spent(&self, link: &str) -> Result<Option<String>, StoreError> {
        Ok(self.kept().links.get(link).cloned())
    }

    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        Ok(*self.kept().secret.get_or_insert(fresh))
    }
}

fn register(names: &mut BTreeMap<String, String>, name: &str, holder: &str) -> Registered {
    match names.entry(name.to_owned()) {
        Entry::Vacant(entry) => {
            entry.insert(holder.to_owned());
            Registered::New
        }
        Entry::Occupied(entry) => Registered::Before(entry.get().clone()),
    }
}
