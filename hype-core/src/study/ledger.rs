//! The ledger in a store, followed by one process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::model::ledger::{LedgerChange, LedgerEntry};
use crate::plugin::store::{Store, StoreError};
use crate::protocol::ledger::Ledger;

/// The fold of a store's ledger, as far as this process has read it, and the pen of one writer.
#[derive(Debug)]
pub struct LedgerLog {
    ledger: Mutex<Arc<Ledger>>,
    writer: Arc<str>,
    /// The number of entries that this writer has tried to append.
    tried: AtomicU64,
}

impl LedgerLog {
    /// A log for a writer with a name that no other process has, such as one drawn at random.
    #[must_use]
    pub fn new(writer: &str) -> Self {
        Self { ledger: Mutex::default(), writer: writer.into(), tried: AtomicU64::new(0) }
    }

    /// No panic can leave the state half-changed, so a poisoned lock is safe to use.
    fn state(&self) -> MutexGuard<'_, Arc<Ledger>> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state as of the last read.
    #[must_use]
    pub fn current(&self) -> Arc<Ledger> {
        Arc::clone(&self.state())
    }

    /// Reads new entries and returns the state.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn refresh(&self, store: &dyn Store) -> Result<Arc<Ledger>, StoreError> {
        let from = self.current().entries();
        let entries = store.ledger(from).await?;
        let mut state = self.state();
        // Another call may have read them in the meantime.
        let read = state.entries().saturating_sub(from);
        for entry in entries.into_iter().skip(usize::try_from(read).unwrap_or(usize::MAX)) {
            Arc::make_mut(&mut state).apply(entry);
        }
        Ok(Arc::clone(&state))
    }

    /// Decides on a change by the latest state, and appends it. Returns whether this call appended one: of several callers who
    /// decide on the same change at once, one appends it, and the others decide again by the state that follows. Whoever
    /// appended that a payment is [sent](LedgerChange::Sent) is the only one who may send it.
    ///
    /// # Errors
    /// If `decide` fails, or the store does. A change may have been appended nevertheless.
    pub async fn append<E: From<StoreError>>(
        &self,
        store: &dyn Store,
        unix_ms: u64,
        decide: impl Fn(&Ledger) -> Result<Option<LedgerChange>, E> + Send,
    ) -> Result<bool, E> {
        loop {
            let ledger = self.refresh(store).await?;
            let Some(change) = decide(&ledger)? else { return Ok(false) };
            // With a name of its own, no entry is taken for an equal one of somebody else.
            let id = format!("{}-{}", self.writer, self.tried.fetch_add(1, Ordering::Relaxed));
            let entry = LedgerEntry { id: id.into(), unix_ms, change };
            if store.append_to_ledger(ledger.entries(), &entry).await? {
                self.refresh(store).await?;
                return Ok(true);
            }
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
