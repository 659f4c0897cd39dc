//! A store whose process can end at any append to the ledger, and whose contents can be copied.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hype_core::model::ledger::LedgerEntry;
use hype_core::plugin::store::{Append, Entries, Erasure, Holders, Identity, Log, Registered};
use hype_core::protocol::places::PlaceChange;
use hype_core::{Digest, Store, StoreError, StoreExt as _};
use hype_store::MemoryStore;

/// A registration of a person: key, holder and what is under seal.
type Person = (String, String, Option<Vec<u8>>);

/// When the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Crash {
    /// Never.
    Never,
    /// Before the append to the ledger with this number, or after it.
    At { append: u32, after: bool },
    /// It has ended.
    Ended,
}

/// Passes every call on to a store in memory until the process ends.
#[derive(Clone)]
pub(crate) struct CrashingStore {
    pub(crate) store: MemoryStore,
    people: Arc<Mutex<Vec<Person>>>,
    crash: Arc<Mutex<Crash>>,
}

impl CrashingStore {
    pub(crate) fn new() -> Self {
        let (store, people) = (MemoryStore::new(), Arc::default());
        Self { store, people, crash: Arc::new(Mutex::new(Crash::Never)) }
    }

    /// Another process with the same contents.
    pub(crate) fn process(&self, crash: Crash) -> Self {
        Self { crash: Arc::new(Mutex::new(crash)), ..self.clone() }
    }

    pub(crate) fn has_crashed(&self) -> bool {
        *self.crash.lock().unwrap() == Crash::Ended
    }

    /// A separate store with everything that this one has, but only the first entries of the ledger: a backup of that moment.
    pub(crate) async fn backup(&self, entries: usize) -> Self {
        let copy = self.copy().await;
        let ledger = self.entries::<LedgerEntry>(0).await.unwrap().0;
        for (number, entry) in (0..).zip(ledger.iter().take(entries)) {
            copy.append(Append::Ledger(entry), number).await.unwrap();
        }
        copy
    }

    /// The number of entries of the ledger.
    pub(crate) async fn ledger_entries(&self) -> usize {
        self.entries::<LedgerEntry>(0).await.unwrap().0.len()
    }

    /// A separate store with the same sessions, places, people and secret, and without a ledger.
    pub(crate) async fn copy(&self) -> Self {
        let copy = Self::new();
        copy.secret(self.secret([0; 32]).await.unwrap()).await.unwrap();
        for name in self.sessions(None, 1_000).await.unwrap() {
            copy.append_events(&name, 0, &self.load(&name).await.unwrap()).await.unwrap();
        }
        for change in self.entries::<PlaceChange>(0).await.unwrap().0 {
            copy.append(Append::Place(&change), u64::MAX).await.unwrap();
        }
        let people = self.people.lock().unwrap().clone();
        for (key, holder, sealed) in people {
            copy.register(Identity::Person(&key), &holder, sealed.as_deref()).await.unwrap();
        }
        copy
    }

    fn alive(&self) -> Result<(), StoreError> {
        if self.has_crashed() { Err(StoreError::failed("the process has ended".into())) } else { Ok(()) }
    }
}

#[async_trait]
impl Store for CrashingStore {
    async fn bind(&self, study: Digest) -> Result<(), StoreError> {
        self.store.bind(study).await
    }

    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        self.store.secret(fresh).await
    }

    async fn append(&self, entries: Append<'_>, expected: u64) -> Result<u64, StoreError> {
        self.alive()?;
        if !matches!(entries, Append::Ledger(_)) {
            return self.store.append(entries, expected).await;
        }
        let crashes = {
            let mut crash = self.crash.lock().unwrap();
            match &mut *crash {
                Crash::At { append: 0, after } => {
                    let after = *after;
                    *crash = Crash::Ended;
                    Some(after)
                }
                Crash::At { append, .. } => {
                    *append -= 1;
                    None
                }
                _ => None,
            }
        };
        if crashes != Some(false) {
            let appended = self.store.append(entries, expected).await?;
            if crashes.is_none() {
                return Ok(appended);
            }
        }
        self.alive().map(|()| expected)
    }

    async fn read(&self, log: Log<'_>, from: u64) -> Result<(Entries, u64), StoreError> {
        self.alive()?;
        self.store.read(log, from).await
    }

    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.alive()?;
        self.store.sessions(after, limit).await
    }

    async fn erase(&self, erasures: &[Erasure]) -> Result<(), StoreError> {
        self.store.erase(erasures).await
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        self.store.scrub().await
    }

    async fn register(
        &self,
        identity: Identity<'_>,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError> {
        if let Identity::Person(key) = identity {
            self.people.lock().unwrap().push((key.into(), holder.into(), sealed.map(<[u8]>::to_vec)));
        }
        self.store.register(identity, holder, sealed).await
    }

    async fn holder(&self, identity: Identity<'_>) -> Result<Option<String>, StoreError> {
        self.store.holder(identity).await
    }

    async fn sealed(&self, holders: Holders<'_>) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.store.sealed(holders).await
    }

    async fn reseal(&self, holder: &str, sealed: &[u8]) -> Result<(), StoreError> {
        self.store.reseal(holder, sealed).await
    }

    async fn forget(&self, holder: &str) -> Result<(), StoreError> {
        self.store.forget(holder).await
    }
}
