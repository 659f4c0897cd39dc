//! Stores: the append-only logs of a study's sessions.

use std::ops::ControlFlow;

use async_trait::async_trait;

use crate::digest::Digest;
use crate::event::Event;
use crate::units::Micros;

/// How many names of sessions are asked for at once.
const PAGE: usize = 4096;

/// Keeps the logs of a study's sessions. Nothing that was appended is ever altered or lost.
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
    /// A failure of the store.
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

    /// Claims a place of the plan for `holder` until the lease ends. A holder may claim its own place again to
    /// prolong the lease.
    ///
    /// # Errors
    /// A failure of the store.
    async fn claim(&self, lease: &Lease<'_>) -> Result<Claim, StoreError>;

    /// Gives a place back; `done` if its session was completed, so that nobody claims it again. Without effect
    /// if `holder` does not hold it.
    ///
    /// # Errors
    /// A failure of the store.
    async fn release(&self, place: u32, holder: &str, done: bool) -> Result<(), StoreError>;
}

/// A wish to hold a place for some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease<'a> {
    /// The place's number.
    pub place: u32,
    /// Who wants it.
    pub holder: &'a str,
    /// Now, on a clock shared by all who claim.
    pub now: Micros,
    /// When the lease ends.
    pub until: Micros,
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The place is the holder's.
    Granted,
    /// Somebody else holds it until then.
    Held {
        /// When that lease ends.
        until: Micros,
    },
    /// Its session was completed.
    Done,
}

/// What went wrong in a store.
#[derive(Debug, thiserror::Error)]
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
