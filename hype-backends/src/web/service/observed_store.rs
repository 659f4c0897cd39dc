//! A store whose failures are recorded in the server's health, and whose appends are counted.

use std::sync::Arc;

use async_trait::async_trait;
use hype_core::plugin::store::{Append, Entries, Erasure, Holders, Identity, Log, Registered};
use hype_core::{Digest, Store, StoreError};

use crate::clock::Clock;
use crate::web::service::census::Follower;
use crate::web::service::health::{Area, Health};

/// Passes every call on, records whether it failed, and tells the census what was appended.
pub(crate) struct ObservedStore {
    store: Arc<dyn Store>,
    health: Arc<Health>,
    clock: Arc<dyn Clock>,
    follower: Arc<Follower>,
}

impl ObservedStore {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        health: Arc<Health>,
        clock: Arc<dyn Clock>,
        follower: Arc<Follower>,
    ) -> Self {
        Self { store, health, clock, follower }
    }

    fn wrote<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        self.health.called(Area::Writing, &result, self.clock.now());
        result
    }

    fn found<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        self.health.called(Area::Reading, &result, self.clock.now());
        result
    }
}

#[async_trait]
impl Store for ObservedStore {
    async fn bind(&self, study: Digest) -> Result<(), StoreError> {
        self.wrote(self.store.bind(study).await)
    }

    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        self.wrote(self.store.secret(fresh).await)
    }

    async fn append(&self, entries: Append<'_>, expected: u64) -> Result<u64, StoreError> {
        let appended = self.wrote(self.store.append(entries, expected).await);
        if let (Append::Events(session, events), Ok(_)) = (entries, &appended) {
            self.follower.appended(session, expected, events);
        }
        appended
    }

    async fn read(&self, log: Log<'_>, from: u64) -> Result<(Entries, u64), StoreError> {
        self.found(self.store.read(log, from).await)
    }

    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.found(self.store.sessions(after, limit).await)
    }

    async fn erase(&self, erasures: &[Erasure]) -> Result<(), StoreError> {
        self.wrote(self.store.erase(erasures).await)
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        self.wrote(self.store.scrub().await)
    }

    async fn register(
        &self,
        identity: Identity<'_>,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError> {
        self.wrote(self.store.register(identity, holder, sealed).await)
    }

    async fn holder(&self, identity: Identity<'_>) -> Result<Option<String>, StoreError> {
        self.found(self.store.holder(identity).await)
    }

    async fn sealed(&self, holders: Holders<'_>) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.found(self.store.sealed(holders).await)
    }

    async fn reseal(&self, holder: &str, sealed: &[u8]) -> Result<(), StoreError> {
        self.wrote(self.store.reseal(holder, sealed).await)
    }

    async fn forget(&self, holder: &str) -> Result<(), StoreError> {
        self.wrote(self.store.forget(holder).await)
    }
}
