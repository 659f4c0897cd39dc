//! Stores: append-only logs of a study, and records of its participants.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use crate::model::action::LoggedAction;
use crate::model::digest::Digest;
use crate::model::event::Event;
use crate::model::ledger::LedgerEntry;
use crate::protocol::places::PlaceChange;

mod typed;

pub use self::typed::{Logged, StoreExt, all_sealed, all_sessions};

/// Keeps the logs of a study, and records of its participants. Appended entries are never altered or lost.
///
/// A store keeps rows and appends to a log only if the log has the length that the caller expects. It knows none of the
/// rules of a study. All changes of a call are durable when it returns. A failed call may still have taken effect.
/// Every call can be repeated: repeating a successful call changes nothing. [`StoreExt`] has typed calls.
#[async_trait]
pub trait Store: Send + Sync {
    /// Binds the store to a study. The first call writes the digest; later calls compare it.
    ///
    /// # Errors
    /// [`StoreError::AnotherStudy`] if the store belongs to another study, or a failure of the store.
    async fn bind(&self, study: Digest) -> Result<(), StoreError>;

    /// The secret that all processes of the study share. If there is none yet, it becomes `fresh`, which has to come
    /// from the system's source of randomness.
    ///
    /// # Errors
    /// A failure of the store.
    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError>;

    /// Appends to a log if it has exactly `expected` entries. Returns the length of a session's log, or the position
    /// after the entry in another log. Repeating a successful append of equal entries succeeds and changes nothing.
    ///
    /// Changes of places are appended by processes that need not have read the log. A change is appended if its place has
    /// had exactly [`number`](PlaceChange::number) changes, and no entry after the position `expected` has the same holder;
    /// pass [`u64::MAX`] if the holder may have later entries. Thus a holder who claims from two processes at once gets one
    /// place. Only the last change of a place can be repeated.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if another writer has appended, [`StoreError::Erased`] if the session was erased, or a
    /// failure of the store.
    async fn append(&self, entries: Append<'_>, expected: u64) -> Result<u64, StoreError>;

    /// Reads a log from a position on, and returns the position for the next call. The log of an unknown session is
    /// empty. A caller who passes each returned position to the next call sees every entry at least once, and the changes
    /// of one place in ascending order of their numbers.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if an entry cannot be read or was altered, or a failure of the store.
    async fn read(&self, log: Log<'_>, from: u64) -> Result<(Entries, u64), StoreError>;

    /// The names of at most `limit` sessions after the name `after`, in ascending order.
    ///
    /// # Errors
    /// A failure of the store.
    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError>;

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

    /// Binds an identity to a holder, unless it is already bound. `sealed` data, such as a person's id encrypted with the
    /// study's key, are kept for the holder, separately from the logs; those of the first registration that has any stay
    /// until they are [replaced](Self::reseal).
    ///
    /// # Errors
    /// A failure of the store.
    async fn register(
        &self,
        identity: Identity<'_>,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError>;

    /// The holder to which an identity is bound, if any.
    ///
    /// # Errors
    /// A failure of the store.
    async fn holder(&self, identity: Identity<'_>) -> Result<Option<String>, StoreError>;

    /// Holders with their sealed data, in ascending order of holders. Holders without sealed data are left out.
    ///
    /// # Errors
    /// A failure of the store.
    async fn sealed(&self, holders: Holders<'_>) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    /// Replaces the sealed data of a holder. Has no effect if the holder has none, so a forgotten person is not remembered again.
    ///
    /// # Errors
    /// A failure of the store.
    async fn reseal(&self, holder: &str, sealed: &[u8]) -> Result<(), StoreError>;

    /// Removes the persons and the sealed data of a holder. The logs stay, as they contain only the rater's random key,
    /// and so do redeemed links.
    ///
    /// # Errors
    /// A failure of the store.
    async fn forget(&self, holder: &str) -> Result<(), StoreError>;
}

/// A log of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a store keeps every log")]
pub enum Log<'a> {
    /// The events of a session.
    Session(&'a str),
    /// The changes of places.
    Places,
    /// The operators' actions.
    Actions,
    /// Listings and payments.
    Ledger,
}

impl Log<'_> {
    /// The error of an append to this log.
    #[must_use]
    pub fn conflict(self, expected: u64, found: u64) -> StoreError {
        StoreError::Conflict { log: self.to_string(), expected, found }
    }
}

impl fmt::Display for Log<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(name) => write!(f, "session {name}"),
            Self::Places => f.write_str("the log of places"),
            Self::Actions => f.write_str("the log of operators' actions"),
            Self::Ledger => f.write_str("the ledger"),
        }
    }
}

/// Entries to append, with their log. Only events are appended several at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a store keeps every log")]
pub enum Append<'a> {
    /// Events of a session.
    Events(&'a str, &'a [Event]),
    /// A change of a place.
    Place(&'a PlaceChange),
    /// An operator's action.
    Action(&'a LoggedAction),
    /// An entry of the ledger.
    Ledger(&'a LedgerEntry),
}

/// Entries that were read from a log.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a store keeps every log")]
pub enum Entries {
    /// Events of a session.
    Events(Vec<Event>),
    /// Changes of places.
    Places(Vec<PlaceChange>),
    /// Operators' actions.
    Actions(Vec<LoggedAction>),
    /// Entries of the ledger.
    Ledger(Vec<LedgerEntry>),
}

/// An identity that is bound to one holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a store keeps every identity")]
pub enum Identity<'a> {
    /// A person: a keyed hash of a platform's id, never the id itself.
    Person(&'a str),
    /// A one-time link, which stays bound when its holder is forgotten. A link has no sealed data.
    Link(&'a str),
}

/// Holders whose sealed data are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a store answers all requests")]
pub enum Holders<'a> {
    /// One holder.
    One(&'a str),
    /// At most so many holders after a holder, or from the first one on.
    After(Option<&'a str>, usize),
}

/// The erasure of a session's log.
#[derive(Debug, Clone, PartialEq)]
pub struct Erasure {
    /// The session.
    pub session: String,
    /// The number of events in its log.
    pub expected: u64,
    /// The events that replace the log.
    pub remains: [Event; 2],
}

/// Whether an identity was already bound.
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
    #[error("{log} has {found} entries, not {expected} as expected")]
    Conflict {
        /// The log.
        log: String,
        /// The expected number of entries.
        expected: u64,
        /// The actual number of entries.
        found: u64,
    },
    /// The session's answers were erased on request, so nothing can be appended to its log.
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
        /// The fault.
        reason: String,
        /// The error of another library that tells so, if there is one.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
    /// The store is busy or unreachable; the same call may succeed later.
    #[error("the store is not available: {reason}")]
    Unavailable {
        /// The fault.
        reason: String,
        /// The error of another library that tells so, if there is one.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
    /// There is no space left for the store. Nothing was written; the same call succeeds once the operator has made room.
    #[error("the store is full: {reason}")]
    Full {
        /// The fault.
        reason: String,
        /// The error of another library that tells so, if there is one.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
    /// The store's file is no longer at its path, so anything written would be lost. The operator puts the file back,
    /// or restores a backup and restarts the program.
    #[error("the store is gone: {reason}")]
    Gone {
        /// The fault.
        reason: String,
        /// The error of another library that tells so, if there is one.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
    /// The store failed permanently; the operator checks the disk, the permissions and the settings.
    #[error("the store failed: {reason}")]
    Failed {
        /// The fault.
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
