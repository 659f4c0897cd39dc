//! A store whose failures are recorded in the server's health, and whose appends are counted.

use std::ops::ControlFlow;
use std::sync::Arc;

use async_trait::async_trait;
use hype_core::model::action::LoggedAction;
use hype_core::model::ledger::LedgerEntry;
use hype_core::plugin::store::{Erasure, Registered};
use hype_core::protocol::places::PlaceChange;
use hype_core::{Digest, Event, Store, StoreError};

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

    fn read<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        self.health.called(Area::Reading, &result, self.clock.now());
        result
    }
}

#[async_trait]
impl Store for ObservedStore {
    async fn bind(&self, study: Digest) -> Result<(), StoreError> {
        self.wrote(self.store.bind(study).await)
    }

    async fn append(&self, session: &str, expected: u64, events: &[Event]) -> Result<u64, StoreError> {
        let appended = self.wrote(self.store.append(session, expected, events).await);
        if appended.is_ok() {
            self.follower.appended(session, expected, events);
        }
        appended
    }

    async fn load(&self, session: &str) -> Result<Vec<Event>, StoreError> {
        self.read(self.store.load(session).await)
    }

    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.read(self.store.sessions(after, limit).await)
    }

    async fn visit(
        &self,
        visit: &mut (dyn for<'a> FnMut(&'a str, Vec<Event>) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError> {
        self.read(self.store.visit(visit).await)
    }

    async fn change_place(
        &self,
        change: &PlaceChange,
        first_after: Option<u64>,
    ) -> Result<Option<u64>, StoreError> {
        self.wrote(self.store.change_place(change, first_after).await)
    }

    async fn place_changes(&self, after: u64) -> Result<(Vec<PlaceChange>, u64), StoreError> {
        self.read(self.store.place_changes(after).await)
    }

    async fn append_action(&self, number: u64, action: &LoggedAction) -> Result<bool, StoreError> {
        self.wrote(self.store.append_action(number, action).await)
    }

    async fn actions(&self, from: u64) -> Result<Vec<LoggedAction>, StoreError> {
        self.read(self.store.actions(from).await)
    }

    async fn append_to_ledger(&self, number: u64, entry: &LedgerEntry) -> Result<bool, StoreError> {
        self.wrote(self.store.append_to_ledger(number, entry).await)
    }

    async fn ledger(&self, from: u64) -> Result<Vec<LedgerEntry>, StoreError> {
        self.read(self.store.ledger(from).await)
    }

    async fn register(
        &self,
        key: &str,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError> {
        self.wrote(self.store.register(key, holder, sealed).await)
    }

    async fn registered(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.read(self.store.registered(key).await)
    }

    async fn sealed(&self, holder: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(self.store.sealed(holder).await)
    }

    async fn reseal(&self, holder: &str, sealed: &[u8]) -> Result<(), StoreError> {
        self.wrote(self.store.reseal(holder, sealed).await)
    }

    async fn all_sealed(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.read(self.store.all_sealed(after, limit).await)
    }

    async fn forget(&self, holder: &str) -> Result<(), StoreError> {
        self.wrote(self.store.forget(holder).await)
    }

    async fn erase(&self, erasures: &[Erasure]) -> Result<(), StoreError> {
        self.wrote(self.store.erase(erasures).await)
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        self.wrote(self.store.scrub().await)
    }

    async fn redeem(&self, link: &str, holder: &str) -> Result<Registered, StoreError> {
        self.wrote(self.store.redeem(link, holder).await)
    }

    async fn redeemed(&self, link: &str) -> Result<Option<String>, StoreError> {
        self.read(self.store.redeemed(link).await)
    }

    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        self.wrote(self.store.secret(fresh).await)
    }
}
