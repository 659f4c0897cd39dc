//! The ledger in a store, followed by one process.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::model::ledger::{LedgerChange, LedgerEntry};
use crate::plugin::store::{Store, StoreError};
use crate::protocol::ledger::Ledger;
use crate::study::journal::{Fold, Journal};

/// The fold of a store's ledger, as far as this process has read it, and the pen of one writer.
#[derive(Debug)]
pub struct LedgerLog {
    journal: Journal<Arc<Ledger>>,
    writer: Arc<str>,
    /// The number of entries that this writer has tried to append.
    tried: AtomicU64,
}

impl LedgerLog {
    /// A log for a writer with a name that no other process has, such as one drawn at random.
    #[must_use]
    pub fn new(writer: &str) -> Self {
        Self { journal: Journal::default(), writer: writer.into(), tried: AtomicU64::new(0) }
    }

    /// The state as of the last read.
    #[must_use]
    pub fn current(&self) -> Arc<Ledger> {
        self.journal.view(Arc::clone)
    }

    /// Reads new entries and returns the state.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn refresh(&self, store: &dyn Store) -> Result<Arc<Ledger>, StoreError> {
        self.journal.refresh(store).await?;
        Ok(self.current())
    }

    /// Decides on a change by the latest state, and appends it. Returns whether this call appended one: of several callers who
    /// decide on the same change at once, one appends it, and the others decide again by the state that follows. Only the caller
    /// who appended that a payment is [sent](LedgerChange::Sent) may send it.
    ///
    /// # Errors
    /// If `decide` fails, or the store does. A change may have been appended nevertheless.
    pub async fn append<E: From<StoreError>>(
        &self,
        store: &dyn Store,
        unix_ms: u64,
        decide: impl Fn(&Ledger) -> Result<Option<LedgerChange>, E> + Send,
    ) -> Result<bool, E> {
        self.journal.refresh(store).await?;
        let entry = |change| {
            // With its own name, no entry is mistaken for an equal one of another caller.
            let id = format!("{}-{}", self.writer, self.tried.fetch_add(1, Ordering::Relaxed));
            ((), LedgerEntry { id: id.into(), unix_ms, change })
        };
        let appended = self.journal.append(store, |ledger| Ok::<_, E>(decide(ledger)?.map(entry)));
        Ok(appended.await?.is_some())
    }
}

impl Fold for Arc<Ledger> {
    type Entry = LedgerEntry;

    fn apply(&mut self, at: u64, entry: LedgerEntry) {
        if at == self.entries() {
            Self::make_mut(self).apply(entry);
        }
    }
}

/// The ledger in a store.
///
/// # Errors
/// If the store fails.
pub async fn ledger(store: &dyn Store) -> Result<Arc<Ledger>, StoreError> {
    LedgerLog::new("reader").refresh(store).await
}
