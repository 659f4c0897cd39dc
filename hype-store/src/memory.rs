//! A store in memory: for simulations, plans and tests.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use hype_core::model::action::LoggedAction;
use hype_core::model::ledger::LedgerEntry;
use hype_core::plugin::store::{Erasure, Registered};
use hype_core::protocol::places::PlaceChange;
use hype_core::{Digest, Event, Store, StoreError};

/// Keeps logs in memory. All clones share the same logs, which are dropped with the last clone.
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
    logs: Arc<Mutex<Logs>>,
}

#[derive(Default)]
struct Logs {
    study: Option<Digest>,
    logs: BTreeMap<String, Vec<Event>>,
    /// The sessions whose answers were erased.
    erased: BTreeSet<String>,
    changes: Vec<PlaceChange>,
    /// The indexes of each place's changes.
    places: BTreeMap<u32, Vec<usize>>,
    /// Operators' actions.
    actions: Vec<LoggedAction>,
    /// What was listed and paid.
    ledger: Vec<LedgerEntry>,
    /// The holders of people's keys.
    people: BTreeMap<String, String>,
    sealed: BTreeMap<String, Vec<u8>>,
    /// The holders of redeemed links.
    links: BTreeMap<String, String>,
    secret: Option<[u8; 32]>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// No panic can leave the logs in an inconsistent state, so a poisoned lock is safe to use.
    fn lock(&self) -> MutexGuard<'_, Logs> {
        self.logs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shows no contents, as they may be secret.
impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn bind(&self, study: Digest) -> Result<(), StoreError> {
        let bound = *self.lock().study.get_or_insert(study);
        if bound == study {
            return Ok(());
        }
        Err(StoreError::AnotherStudy { found: bound.to_string(), wanted: study.to_string() })
    }

    async fn append(&self, session: &str, expected: u64, events: &[Event]) -> Result<u64, StoreError> {
        let mut logs = self.lock();
        if logs.erased.contains(session) {
            return Err(StoreError::Erased { session: session.to_owned() });
        }
        let log = logs.logs.get_mut(session);
        let found = log.as_ref().map_or(0, |log| log.len() as u64);
        if found == expected {
            match log {
                Some(log) => log.extend_from_slice(events),
                None if events.is_empty() => {}
                None => drop(logs.logs.insert(session.to_owned(), events.to_vec())),
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
        Ok(self.lock().logs.get(session).cloned().unwrap_or_default())
    }

    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let logs = self.lock();
        let names = logs.logs.range::<str, _>((from, Bound::Unbounded));
        Ok(names.take(limit).map(|(name, _)| name.clone()).collect())
    }

    async fn change_place(
        &self,
        change: &PlaceChange,
        first_after: Option<u64>,
    ) -> Result<Option<u64>, StoreError> {
        let mut guard = self.lock();
        let Logs { changes, places, .. } = &mut *guard;
        let of_place = places.entry(change.place).or_default();
        if of_place.len() == change.number as usize {
            let later = first_after.map_or(&[][..], |position| after(changes, position));
            if later.iter().any(|later| later.state.holder == change.state.holder) {
                return Ok(None);
            }
            of_place.push(changes.len());
            changes.push(change.clone());
            return Ok(Some(changes.len() as u64));
        }
        let last = of_place.last().filter(|&&at| changes[at] == *change);
        Ok(last.map(|&at| at as u64 + 1))
    }

    async fn place_changes(&self, after: u64) -> Result<(Vec<PlaceChange>, u64), StoreError> {
        let logs = self.lock();
        Ok((self::after(&logs.changes, after).to_vec(), logs.changes.len() as u64))
    }

    async fn append_action(&self, number: u64, action: &LoggedAction) -> Result<bool, StoreError> {
        Ok(append(&mut self.lock().actions, number, action))
    }

    async fn actions(&self, from: u64) -> Result<Vec<LoggedAction>, StoreError> {
        Ok(after(&self.lock().actions, from).to_vec())
    }

    async fn append_to_ledger(&self, number: u64, entry: &LedgerEntry) -> Result<bool, StoreError> {
        Ok(append(&mut self.lock().ledger, number, entry))
    }

    async fn ledger(&self, from: u64) -> Result<Vec<LedgerEntry>, StoreError> {
        Ok(after(&self.lock().ledger, from).to_vec())
    }

    async fn register(
        &self,
        key: &str,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError> {
        let mut logs = self.lock();
        let registered = register(&mut logs.people, key, holder);
        if let (Registered::New, Some(sealed)) = (&registered, sealed) {
            logs.sealed.entry(holder.to_owned()).or_insert_with(|| sealed.to_vec());
        }
        Ok(registered)
    }

    async fn registered(&self, key: &str) -> Result<Option<String>, StoreError> {
        Ok(self.lock().people.get(key).cloned())
    }

    async fn sealed(&self, holder: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.lock().sealed.get(holder).cloned())
    }

    async fn reseal(&self, holder: &str, sealed: &[u8]) -> Result<(), StoreError> {
        if let Some(before) = self.lock().sealed.get_mut(holder) {
            *before = sealed.to_vec();
        }
        Ok(())
    }

    async fn all_sealed(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let logs = self.lock();
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let rows = logs.sealed.range::<str, _>((from, Bound::Unbounded)).take(limit);
        Ok(rows.map(|(holder, sealed)| (holder.clone(), sealed.clone())).collect())
    }

    async fn forget(&self, holder: &str) -> Result<(), StoreError> {
        let mut logs = self.lock();
        logs.people.retain(|_, by| by != holder);
        logs.sealed.remove(holder);
        Ok(())
    }

    async fn erase(&self, erasures: &[Erasure]) -> Result<(), StoreError> {
        let mut guard = self.lock();
        let Logs { logs, erased, .. } = &mut *guard;
        let open: Vec<&Erasure> = erasures.iter().filter(|one| !erased.contains(&one.session)).collect();
        for Erasure { session, expected, .. } in &open {
            let (expected, found) = (*expected, logs.get(session).map_or(0, |log| log.len() as u64));
            if found == 0 || found != expected {
                return Err(StoreError::Conflict { session: session.clone(), expected, found });
            }
        }
        for Erasure { session, remains, .. } in open {
            logs.insert(session.clone(), remains.to_vec());
            erased.insert(session.clone());
        }
        Ok(())
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn redeem(&self, link: &str, holder: &str) -> Result<Registered, StoreError> {
        Ok(register(&mut self.lock().links, link, holder))
    }

    async fn redeemed(&self, link: &str) -> Result<Option<String>, StoreError> {
        Ok(self.lock().links.get(link).cloned())
    }

    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        Ok(*self.lock().secret.get_or_insert(fresh))
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

/// Appends an entry if the log has `number` entries. Returns whether the entry with this number is the given one then.
fn append<T: Clone + PartialEq>(log: &mut Vec<T>, number: u64, entry: &T) -> bool {
    if log.len() as u64 == number {
        log.push(entry.clone());
    }
    after(log, number).first() == Some(entry)
}

/// The entries of a log after a position.
fn after<T>(log: &[T], position: u64) -> &[T] {
    let from = usize::try_from(position).unwrap_or(usize::MAX).min(log.len());
    &log[from..]
}
