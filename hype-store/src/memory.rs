//! A store in memory: for simulations, plans and tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use hype_core::model::action::LoggedAction;
use hype_core::model::ledger::LedgerEntry;
use hype_core::plugin::store::{Append, Entries, Erasure, Holders, Identity, Log, Registered};
use hype_core::protocol::places::PlaceChange;
use hype_core::{Digest, Event, Store, StoreError};

/// Keeps logs in memory. All clones share the same logs, which are dropped with the last clone.
///
/// # Examples
/// ```
/// use hype_store::MemoryStore;
/// use hype_core::{Event, Micros, StoreExt};
///
/// # hype_store::block_on(async {
/// let store = MemoryStore::new();
/// let events = [Event::Left { at: Micros(5) }];
/// assert_eq!(store.append_events("p000000-000", 0, &events).await?, 1);
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
    /// Listings and payments.
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

    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        Ok(*self.lock().secret.get_or_insert(fresh))
    }

    async fn append(&self, entries: Append<'_>, expected: u64) -> Result<u64, StoreError> {
        let mut guard = self.lock();
        let logs = &mut *guard;
        match entries {
            Append::Events(session, events) => logs.append_events(session, events, expected),
            Append::Place(change) => logs.change_place(change, expected),
            Append::Action(action) => append(&mut logs.actions, Log::Actions, action, expected),
            Append::Ledger(entry) => append(&mut logs.ledger, Log::Ledger, entry, expected),
        }
    }

    async fn read(&self, log: Log<'_>, from: u64) -> Result<(Entries, u64), StoreError> {
        let logs = self.lock();
        Ok(match log {
            Log::Session(session) => {
                read(logs.logs.get(session).map_or(&[], Vec::as_slice), from, Entries::Events)
            }
            Log::Places => read(&logs.changes, from, Entries::Places),
            Log::Actions => read(&logs.actions, from, Entries::Actions),
            Log::Ledger => read(&logs.ledger, from, Entries::Ledger),
        })
    }

    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let logs = self.lock();
        let names = logs.logs.range::<str, _>((from, Bound::Unbounded));
        Ok(names.take(limit).map(|(name, _)| name.clone()).collect())
    }

    async fn erase(&self, erasures: &[Erasure]) -> Result<(), StoreError> {
        let mut guard = self.lock();
        let Logs { logs, erased, .. } = &mut *guard;
        let open: Vec<&Erasure> = erasures.iter().filter(|one| !erased.contains(&one.session)).collect();
        for Erasure { session, expected, .. } in &open {
            let (expected, found) = (*expected, logs.get(session).map_or(0, |log| log.len() as u64));
            if found == 0 || found != expected {
                return Err(Log::Session(session).conflict(expected, found));
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

    async fn register(
        &self,
        identity: Identity<'_>,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError> {
        let mut guard = self.lock();
        let logs = &mut *guard;
        let (names, name) = match identity {
            Identity::Person(key) => (&mut logs.people, key),
            Identity::Link(link) => (&mut logs.links, link),
        };
        if let Some(before) = names.get(name) {
            return Ok(Registered::Before(before.clone()));
        }
        names.insert(name.to_owned(), holder.to_owned());
        if let (Identity::Person(_), Some(sealed)) = (identity, sealed) {
            logs.sealed.entry(holder.to_owned()).or_insert_with(|| sealed.to_vec());
        }
        Ok(Registered::New)
    }

    async fn holder(&self, identity: Identity<'_>) -> Result<Option<String>, StoreError> {
        let logs = self.lock();
        Ok(match identity {
            Identity::Person(key) => logs.people.get(key).cloned(),
            Identity::Link(link) => logs.links.get(link).cloned(),
        })
    }

    async fn sealed(&self, holders: Holders<'_>) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let logs = self.lock();
        let (from, to, limit) = match holders {
            Holders::One(holder) => (Bound::Included(holder), Bound::Included(holder), 1),
            Holders::After(after, limit) => {
                (after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded, limit)
            }
        };
        let rows = logs.sealed.range::<str, _>((from, to)).take(limit);
        Ok(rows.map(|(holder, sealed)| (holder.clone(), sealed.clone())).collect())
    }

    async fn reseal(&self, holder: &str, sealed: &[u8]) -> Result<(), StoreError> {
        if let Some(before) = self.lock().sealed.get_mut(holder) {
            *before = sealed.to_vec();
        }
        Ok(())
    }

    async fn forget(&self, holder: &str) -> Result<(), StoreError> {
        let mut logs = self.lock();
        logs.people.retain(|_, by| by != holder);
        logs.sealed.remove(holder);
        Ok(())
    }
}

impl Logs {
    fn append_events(&mut self, session: &str, events: &[Event], expected: u64) -> Result<u64, StoreError> {
        if self.erased.contains(session) {
            return Err(StoreError::Erased { session: session.to_owned() });
        }
        let log = self.logs.get_mut(session);
        let found = log.as_ref().map_or(0, |log| log.len() as u64);
        if found == expected {
            match log {
                Some(log) => log.extend_from_slice(events),
                None if events.is_empty() => {}
                None => drop(self.logs.insert(session.to_owned(), events.to_vec())),
            }
            return Ok(found + events.len() as u64);
        }
        if expected < found && log.is_some_and(|log| after(log, expected).starts_with(events)) {
            return Ok(found);
        }
        Err(Log::Session(session).conflict(expected, found))
    }

    fn change_place(&mut self, change: &PlaceChange, expected: u64) -> Result<u64, StoreError> {
        let found = self.changes.len() as u64;
        let of_place = self.places.entry(change.place).or_default();
        if of_place.len() == change.number as usize {
            let mut later = after(&self.changes, expected).iter();
            if later.all(|later| later.state.holder != change.state.holder) {
                of_place.push(self.changes.len());
                self.changes.push(change.clone());
                return Ok(found + 1);
            }
        } else if let Some(&last) = of_place.last()
            && self.changes[last] == *change
        {
            return Ok(last as u64 + 1);
        }
        Err(Log::Places.conflict(expected, found))
    }
}

/// Appends an entry if the log has `expected` entries, or finds it there. Returns the position after it.
fn append<T: Clone + PartialEq>(
    entries: &mut Vec<T>,
    log: Log<'_>,
    entry: &T,
    expected: u64,
) -> Result<u64, StoreError> {
    if entries.len() as u64 == expected {
        entries.push(entry.clone());
    }
    match after(entries, expected).first() {
        Some(there) if there == entry => Ok(expected + 1),
        _ => Err(log.conflict(expected, entries.len() as u64)),
    }
}

fn read<T: Clone>(log: &[T], from: u64, entries: fn(Vec<T>) -> Entries) -> (Entries, u64) {
    (entries(after(log, from).to_vec()), log.len() as u64)
}

/// The entries of a log after a position.
fn after<T>(log: &[T], position: u64) -> &[T] {
    let from = usize::try_from(position).unwrap_or(usize::MAX).min(log.len());
    &log[from..]
}
