//! Stores: the append-only logs of a study's sessions and of its places, and who takes part.

use std::ops::ControlFlow;

use async_trait::async_trait;

use crate::model::digest::Digest;
use crate::model::event::Event;
use crate::protocol::places::PlaceChange;

/// How many names of sessions are asked for at once.
const PAGE: usize = 4096;

/// Keeps the logs of a study's sessions and of its places, and who takes part in it. Nothing that was appended is ever
/// altered or lost.
///
/// A store keeps rows, and appends only where a log is as long as the caller believes; it knows no rule of the study.
/// Whatever a call has changed is durable when it returns. A call that failed may have taken effect all the same,
/// and can be repeated: repeating a call that has succeeded changes nothing more.
#[async_trait]
pub trait Store: Send + Sync {
    /// Binds the store to a study: the first call writes the digest, later ones compare it.
    ///
    /// # Errors
    /// [`StoreError::AnotherStudy`] if the store belongs to another study, or a failure of the store.
    async fn bind(&self, study: Digest) -> Result<(), StoreError>;

    /// Appends events to a session's log if it holds exactly `expected` events, and returns how many it
    /// holds then. Repeating an append that has succeeded, with equal events, succeeds and changes nothing.
    /// When this returns the events are durable.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the log holds another number of events, or a failure of the store.
    async fn append(&self, session: &str, expected: u64, events: &[Event]) -> Result<u64, StoreError>;

    /// Loads a session's log; empty if there is none.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the log cannot be read or was altered, or a failure of the store.
    async fn load(&self, session: &str) -> Result<Vec<Event>, StoreError>;

    /// The names of sessions in ascending order, at most `limit` of them after `after`.
    ///
    /// # Errors
    /// A failure of the store.
    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError>;

    /// Visits the log of every session in ascending order of names, until `visit` breaks off. One log at a time
    /// is in memory, so that a study of any size can be scored. What is appended meanwhile may be seen or not.
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

    /// Appends a change to the log of places if its place has had exactly [`number`](PlaceChange::number) changes,
    /// and tells whether the log holds the change then. Of several who append a change with the same number at once,
    /// one succeeds; repeating a change that was appended succeeds and changes nothing.
    ///
    /// Which change to append is decided by [`Places`](crate::protocol::places::Places), not by the store.
    ///
    /// # Errors
    /// A failure of the store.
    async fn change_place(&self, change: &PlaceChange) -> Result<bool, StoreError>;

    /// The changes of places that were appended after a position of their log, which begins at 0, and the position to
    /// ask from the next time. Whoever asks again and again sees every change at least once; those of one place come
    /// in ascending order of their numbers.
    ///
    /// # Errors
    /// A failure of the store.
    async fn place_changes(&self, after: u64) -> Result<(Vec<PlaceChange>, u64), StoreError>;

    /// How many sessions have events without a hash chain, as earlier versions wrote them: [`load`](Self::load) cannot
    /// tell whether those were altered.
    ///
    /// # Errors
    /// A failure of the store.
    async fn unchained(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    /// Binds a person's key to a holder, unless it was bound before. The key is a keyed hash of a platform's id,
    /// never the id. What is `sealed`, such as the platform's id under the study's key, is kept for the holder,
    /// apart from the logs.
    ///
    /// # Errors
    /// A failure of the store.
    async fn register(
        &self,
        key: &str,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError>;

    /// The holder that a person's key is bound to, if it is.
    ///
    /// # Errors
    /// A failure of the store.
    async fn registered(&self, key: &str) -> Result<Option<String>, StoreError>;

    /// What was sealed for a holder when it was first registered with something sealed.
    ///
    /// # Errors
    /// A failure of the store.
    async fn sealed(&self, holder: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Removes the keys and what was sealed of a holder. The logs stay: they hold only the random key of a rater.
    ///
    /// # Errors
    /// A failure of the store.
    async fn forget(&self, holder: &str) -> Result<(), StoreError>;

    /// Binds a link that may be used once to a holder, unless it was bound before. A link stays used when its holder is
    /// forgotten.
    ///
    /// # Errors
    /// A failure of the store.
    async fn redeem(&self, link: &str, holder: &str) -> Result<Registered, StoreError>;

    /// The holder that a link is bound to, if it is.
    ///
    /// # Errors
    /// A failure of the store.
    async fn redeemed(&self, link: &str) -> Result<Option<String>, StoreError>;

    /// The secret that all processes of the study share: `fresh` if there was none yet. `fresh` has to come from
    /// the system's source of randomness.
    ///
    /// # Errors
    /// A failure of the store.
    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError>;
}

/// Whether a name was bound already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registered {
    /// It was not; now it is the holder's.
    New,
    /// It was, to this holder; the same as now if a registration is repeated.
    Before(String),
}

/// What went wrong in a store.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The log holds another number of events than expected: somebody else has written to it. The caller
    /// loads it and decides anew.
    #[error("session {session} holds {found} events where {expected} were expected")]
    Conflict {
        /// The session.
        session: String,
        /// How many events were expected.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The store belongs to another study. The operator chooses another folder or goes back to the spec that
    /// the store was made with.
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
    /// What is stored cannot be read; the operator restores a copy.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// The store is busy or out of reach; the same call may succeed later.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// The store failed for good; the operator looks at the disk, the rights, the settings.
    #[error("the store failed: {0}")]
    Failed(String),
}

impl StoreError {
    /// Whether the same call may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

/// The names of all sessions of a store, in ascending order, asked for a page at a time.
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
