//! Stores: append-only logs of a study's sessions and places, and records of its participants.

use std::error::Error;
use std::ops::ControlFlow;
use std::sync::Arc;

use async_trait::async_trait;

use crate::model::action::LoggedAction;
use crate::model::digest::Digest;
use crate::model::event::Event;
use crate::model::ledger::LedgerEntry;
use crate::protocol::places::PlaceChange;

/// The number of session names requested at a time.
const PAGE: usize = 4096;

/// Keeps the logs of a study's sessions and places, and records of its participants. Appended entries are never altered
/// or lost.
///
/// A store keeps rows and appends to a log only if the log has the length that the caller expects. It knows none of the
/// rules of a study. All changes of a call are durable when it returns. A failed call may still have taken effect.
/// Every call can be repeated: repeating a successful call changes nothing.
#[async_trait]
pub trait Store: Send + Sync {
    /// Binds the store to a study. The first call writes the digest; later calls compare it.
    ///
    /// # Errors
    /// [`StoreError::AnotherStudy`] if the store belongs to another study, or a failure of the store.
    async fn bind(&self, study: Digest) -> Result<(), StoreError>;

    /// Appends events to a session's log if it contains exactly `expected` events, and returns its new length.
    /// Repeating a successful append with equal events succeeds and changes nothing. The events are durable when the
    /// call returns.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the log has a different length, or a failure of the store.
    async fn append(&self, session: &str, expected: u64, events: &[Event]) -> Result<u64, StoreError>;

    /// Loads a session's log, which is empty if the session does not exist.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the log cannot be read or was altered, or a failure of the store.
    async fn load(&self, session: &str) -> Result<Vec<Event>, StoreError>;

    /// The names of at most `limit` sessions after the name `after`, in ascending order.
    ///
    /// # Errors
    /// A failure of the store.
    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError>;

    /// Visits the logs of all sessions in ascending order of names, until `visit` breaks. Only one log at a time is in
    /// memory, so that a study of any size can be scored. Entries appended during the visit may or may not be seen.
    ///
    /// # Errors
    /// A failure of the store.
    async fn visit(
        &self,
        visit: &mut (dyn for<'a> FnMut(&'a str, Vec<Event>) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError> {
        let mut last: Option<String> = None;
        loop {
            let page = self.sessions(last.as_deref(), PAGE).await?;
            for name in &page {
                if visit(name, self.load(name).await?).is_break() {
                    return Ok(());
                }
            }
            if page.len() < PAGE {
                return Ok(());
            }
            last = page.into_iter().next_back();
        }
    }

    /// Appends a change to the log of places if its place has had exactly [`number`](PlaceChange::number) changes.
    /// Returns the position of the change in the log, or `None` if it is not the place's last change then. Of several
    /// concurrent changes with the same number, one succeeds. Repeating a place's last change succeeds and changes
    /// nothing.
    ///
    /// With `first_after`, a position of the log, the change is appended only if no later entry has the same holder.
    /// Thus a holder who claims from two processes at once gets one place, and neither needs to read the log first.
    ///
    /// [`Places`](crate::protocol::places::Places) decides which change to append, not the store.
    ///
    /// # Errors
    /// A failure of the store.
    async fn change_place(
        &self,
        change: &PlaceChange,
        first_after: Option<u64>,
    ) -> Result<Option<u64>, StoreError>;

    /// The changes of places after a position in their log, which begins at 0, and the position for the next call. A
    /// caller who passes each returned position to the next call sees every change at least once. The changes of one
    /// place are in ascending order of their numbers.
    ///
    /// # Errors
    /// A failure of the store.
    async fn place_changes(&self, after: u64) -> Result<(Vec<PlaceChange>, u64), StoreError>;

    /// Appends an action to the log of operators' actions if the log contains exactly `number` entries. Returns whether
    /// the entry with this number is the given one then, so that repeating a successful call succeeds and changes
    /// nothing.
    ///
    /// # Errors
    /// A failure of the store.
    async fn append_action(&self, number: u64, action: &LoggedAction) -> Result<bool, StoreError>;

    /// The entries of the log of operators' actions from a number on.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if an entry cannot be read or was altered, or a failure of the store.
    async fn actions(&self, from: u64) -> Result<Vec<LoggedAction>, StoreError>;

    /// Appends an entry to the study's ledger if the ledger contains exactly `number` entries. Returns whether the entry with
    /// this number is the given one then, so that repeating a successful call succeeds and changes nothing.
    ///
    /// # Errors
    /// A failure of the store.
    async fn append_to_ledger(&self, number: u64, entry: &LedgerEntry) -> Result<bool, StoreError>;

    /// The entries of the ledger from a number on.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if an entry cannot be read or was altered, or a failure of the store.
    async fn ledger(&self, from: u64) -> Result<Vec<LedgerEntry>, StoreError>;

    /// Binds a person's key to a holder, unless it is already bound. The key is a keyed hash of a platform's id, never
    /// the id itself. `sealed` data, such as the id encrypted with the study's key, are kept for the holder, separately
    /// from the logs.
    ///
    /// # Errors
    /// A failure of the store.
    async fn register(
        &self,
        key: &str,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError>;

    /// The holder to which a person's key is bound, if any.
    ///
    /// # Errors
    /// A failure of the store.
    async fn registered(&self, key: &str) -> Result<Option<String>, StoreError>;

    /// The sealed data of a holder: those of the first registration that had any, unless they were [replaced](Self::reseal).
    ///
    /// # Errors
    /// A failure of the store.
    async fn sealed(&self, holder: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Replaces the sealed data of a holder. Has no effect if the holder has none, so that nobody is remembered again who was
    /// forgotten.
    ///
    /// # Errors
    /// A failure of the store.
    async fn reseal(&self, holder: &str, sealed: &[u8]) -> Result<(), StoreError>;

    /// At most `limit` holders after the holder `after` with their sealed data, in ascending order of holders.
    ///
    /// # Errors
    /// A failure of the store.
    async fn all_sealed(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    /// Removes the keys and the sealed data of a holder. The logs stay, as they contain only the rater's random key.
    ///
    /// # Errors
    /// A failure of the store.
    async fn forget(&self, holder: &str) -> Result<(), StoreError>;

    /// Replaces the logs of sessions by what remains of them, all or none, such as by [`SessionRecord::remains`]. Afterwards, nothing can
    /// be appended to these logs, and their hashes show that they were erased and not altered. A session that was erased
    /// before does not change. What the logs held may stay in unused parts of a file until [`scrub`](Self::scrub).
    ///
    /// [`SessionRecord::remains`]: crate::model::record::SessionRecord::remains
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if a log does not contain the expected number of events, or a failure of the store.
    async fn erase(&self, erasures: &[Erasure]) -> Result<(), StoreError>;

    /// Overwrites what was erased and forgotten, wherever the store can.
    ///
    /// # Errors
    /// A failure of the store; the call can be repeated at any time.
    async fn scrub(&self) -> Result<(), StoreError>;

    /// Binds a one-time link to a holder, unless it is already bound. A link stays redeemed when its holder is
    /// forgotten.
    ///
    /// # Errors
    /// A failure of the store.
    async fn redeem(&self, link: &str, holder: &str) -> Result<Registered, StoreError>;

    /// The holder to which a link is bound, if any.
    ///
    /// # Errors
    /// A failure of the store.
    async fn redeemed(&self, link: &str) -> Result<Option<String>, StoreError>;

    /// The secret that all processes of the study share. If there is none yet, it becomes `fresh`, which has to come
    /// from the system's source of randomness.
    ///
    /// # Errors
    /// A failure of the store.
    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError>;
}

/// The erasure of a session's log.
#[derive(Debug, Clone, PartialEq)]
pub struct Erasure {
    /// The session.
    pub session: String,
    /// The number of events in its log.
    pub expected: u64,
    /// What replaces the log.
    pub remains: [Event; 2],
}

/// Whether a key or a link was already bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registered {
    /// It was not bound before; it is now bound to the holder.
    New,
    /// It was already bound to this holder, who is the same as now if a call is repeated.
    Before(String),
}

/// A failure of a store.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The log has an unexpected length because another writer has appended to it. The caller reloads the log and
    /// decides again.
    #[error("session {session} has {found} events, not {expected} as expected")]
    Conflict {
        /// The session.
        session: String,
        /// The expected number of events.
        expected: u64,
        /// The actual number of events.
        found: u64,
    },
    /// The session's answers were erased on request, so that nothing can be appended to its log.
    #[error("the answers of session {session} were erased")]
    Erased {
        /// The session.
        session: String,
    },
    /// The store belongs to another study. The operator chooses another folder or restores the spec of that study.
    #[error(
        "the store belongs to study {found}, not to {wanted}: the task, the stimuli, the seed, the design, the \
         qualification or the payment have changed since collection began"
    )]
    AnotherStudy {
        /// The digest in the store.
        found: String,
        /// The digest of the study at hand.
        wanted: String,
    },
    /// The stored data cannot be read; the operator restores a backup.
    #[error("the store is damaged: {reason}")]
    Damaged {
        /// What is wrong.
        reason: String,
        /// The error of another library that tells so, if there is one.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
    /// The store is busy or unreachable; the same call may succeed later.
    #[error("the store is not available: {reason}")]
    Unavailable {
        /// What is wrong.
        reason: String,
        /// The error of another library that tells so, if there is one.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
    /// There is no space left for the store. Nothing was written; the same call succeeds once the operator has made room.
    #[error("the store is full: {reason}")]
    Full {
        /// What is wrong.
        reason: String,
        /// The error of another library that tells so, if there is one.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
    /// The store's file is no longer at its path, so that whatever is written would be lost. The operator puts the file
    /// back, or restores a backup and restarts the program.
    #[error("the store is gone: {reason}")]
    Gone {
        /// What is wrong.
        reason: String,
        /// The error of another library that tells so, if there is one.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
    /// The store failed permanently; the operator checks the disk, the permissions and the settings.
    #[error("the store failed: {reason}")]
    Failed {
        /// What is wrong.
        reason: String,
        /// The error of another library that tells so, if there is one.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
}

impl StoreError {
    /// The stored data cannot be read, for this reason.
    #[must_use]
    pub const fn damaged(reason: String) -> Self {
        Self::Damaged { reason, source: None }
    }

    /// The store is busy or unreachable, for this reason.
    #[must_use]
    pub const fn unavailable(reason: String) -> Self {
        Self::Unavailable { reason, source: None }
    }

    /// There is no space left, for this reason.
    #[must_use]
    pub const fn full(reason: String) -> Self {
        Self::Full { reason, source: None }
    }

    /// The store's file is no longer at its path, for this reason.
    #[must_use]
    pub const fn gone(reason: String) -> Self {
        Self::Gone { reason, source: None }
    }

    /// The store failed permanently, for this reason.
    #[must_use]
    pub const fn failed(reason: String) -> Self {
        Self::Failed { reason, source: None }
    }

    /// Keeps the error behind an error that has a reason.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Error + Send + Sync + 'static) -> Self {
        if let Self::Damaged { source, .. }
        | Self::Unavailable { source, .. }
        | Self::Full { source, .. }
        | Self::Gone { source, .. }
        | Self::Failed { source, .. } = &mut self
        {
            *source = Some(Arc::new(cause));
        }
        self
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }
}

/// The names of all sessions in a store in ascending order, requested one page at a time.
///
/// # Errors
/// A failure of the store.
pub async fn all_sessions(store: &dyn Store) -> Result<Vec<String>, StoreError> {
    let mut names: Vec<String> = Vec::new();
    loop {
        let page = store.sessions(names.last().map(String::as_str), PAGE).await?;
        let last = page.len() < PAGE;
        names.extend(page);
        if last {
            return Ok(names);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn the_cause_is_kept() {
        let error = StoreError::failed("the disk is slow".into()).caused_by(io::Error::other("a timeout"));
        assert_eq!(error.to_string(), "the store failed: the disk is slow");
        assert!(error.source().is_some_and(|source| source.to_string() == "a timeout"));
        let conflict = StoreError::Erased { session: "r1".into() };
        assert!(conflict.caused_by(io::Error::other("a timeout")).source().is_none());
    }
}
