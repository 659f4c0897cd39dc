//! A store that counts what is read.

use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use hype_core::model::action::LoggedAction;
use hype_core::model::ledger::LedgerEntry;
use hype_core::plugin::store::{Erasure, Registered};
use hype_core::protocol::places::PlaceChange;
use hype_core::{Digest, Event, Store, StoreError};
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

    async fn append(&self, session: &str, expected: u64, events: &[Event]) -> Result<u64, StoreError> {
        self.store.append(session, expected, events).await
    }

    async fn load(&self, session: &str) -> Result<Vec<Event>, StoreError> {
        self.logs.fetch_add(1, Ordering::Relaxed);
        self.store.load(session).await
    }

    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let names = self.store.sessions(after, limit).await?;
        self.rows(names.len());
        Ok(names)
    }

    async fn change_place(
        &self,
        change: &PlaceChange,
        first_after: Option<u64>,
    ) -> Result<Option<u64>, StoreError> {
        self.store.change_place(change, first_after).await
    }

    async fn place_changes(&self, after: u64) -> Result<(Vec<PlaceChange>, u64), StoreError> {
        let changes = self.store.place_changes(after).await?;
        self.rows(changes.0.len());
        Ok(changes)
    }

    async fn append_action(&self, number: u64, action: &LoggedAction) -> Result<bool, StoreError> {
        self.store.append_action(number, action).await
    }

    async fn actions(&self, from: u64) -> Result<Vec<LoggedAction>, StoreError> {
        self.store.actions(from).await
    }

    async fn append_to_ledger(&self, number: u64, entry: &LedgerEntry) -> Result<bool, StoreError> {
        self.store.append_to_ledger(number, entry).await
    }

    async fn ledger(&self, from: u64) -> Result<Vec<LedgerEntry>, StoreError> {
        self.store.ledger(from).await
    }

    async fn register(
        &self,
        key: &str,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError> {
        self.store.register(key, holder, sealed).await
    }

    async fn registered(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.store.registered(key).await
    }

    async fn sealed(&self, holder: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.sealed(holder).await
    }

    async fn reseal(&self, holder: &str, sealed: &[u8]) -> Result<(), StoreError> {
        self.store.reseal(holder, sealed).await
    }

    async fn all_sealed(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.store.all_sealed(after, limit).await
    }

    async fn forget(&self, holder: &str) -> Result<(), StoreError> {
        self.store.forget(holder).await
    }

    async fn erase(&self, erasures: &[Erasure]) -> Result<(), StoreError> {
        self.store.erase(erasures).await
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        self.store.scrub().await
    }

    async fn redeem(&self, link: &str, holder: &str) -> Result<Registered, StoreError> {
        self.store.redeem(link, holder).await
    }

    async fn redeemed(&self, link: &str) -> Result<Option<String>, StoreError> {
        self.store.redeemed(link).await
    }

    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        self.store.secret(fresh).await
    }
}
