//! A store that counts what is read.

use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use hype_core::plugin::store::{Append, Entries, Erasure, Holders, Identity, Log, Registered};
use hype_core::{Digest, Store, StoreError};
use hype_store::MemoryStore;

#[derive(Default)]
pub(crate) struct CountingStore {
    pub(crate) store: MemoryStore,
    /// Logs of sessions that were read.
    pub(crate) logs: AtomicU64,
    /// Names of sessions and changes of places that were read.
    pub(crate) rows: AtomicU64,
}

impl CountingStore {
    /// The numbers of logs and of rows that were read since the last call.
    pub(crate) fn read(&self) -> (u64, u64) {
        (self.logs.swap(0, Ordering::Relaxed), self.rows.swap(0, Ordering::Relaxed))
    }

    fn rows(&self, rows: usize) {
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }
}

#[async_trait]
impl Store for CountingStore {
    async fn bind(&self, study: Digest) -> Result<(), StoreError> {
        self.store.bind(study).await
    }

    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        self.store.secret(fresh).await
    }

    async fn append(&self, entries: Append<'_>, expected: u64) -> Result<u64, StoreError> {
        self.store.append(entries, expected).await
    }

    async fn read(&self, log: Log<'_>, from: u64) -> Result<(Entries, u64), StoreError> {
        let read = self.store.read(log, from).await?;
        match &read.0 {
            Entries::Events(_) => drop(self.logs.fetch_add(1, Ordering::Relaxed)),
            Entries::Places(changes) => self.rows(changes.len()),
            Entries::Actions(_) | Entries::Ledger(_) => {}
        }
        Ok(read)
    }

    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let names = self.store.sessions(after, limit).await?;
        self.rows(names.len());
        Ok(names)
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
