//! Calls of stores with the types of their entries.

use std::ops::ControlFlow;

use crate::model::action::LoggedAction;
use crate::model::event::Event;
use crate::model::ledger::LedgerEntry;
use crate::plugin::store::{Append, Entries, Holders, Log, Store, StoreError};
use crate::protocol::places::PlaceChange;

/// The number of names requested at a time.
const PAGE: usize = 4096;

/// Entries of one of the logs that a study has once.
pub trait Logged: Sized + Send + Sync {
    /// The log.
    const LOG: Log<'static>;

    /// Appends this entry.
    fn to_append(&self) -> Append<'_>;

    /// The entries that were read from the log; `None` if they are those of another log.
    fn from_entries(entries: Entries) -> Option<Vec<Self>>;
}

impl Logged for PlaceChange {
    const LOG: Log<'static> = Log::Places;

    fn to_append(&self) -> Append<'_> {
        Append::Place(self)
    }

    fn from_entries(entries: Entries) -> Option<Vec<Self>> {
        if let Entries::Places(entries) = entries { Some(entries) } else { None }
    }
}

impl Logged for LoggedAction {
    const LOG: Log<'static> = Log::Actions;

    fn to_append(&self) -> Append<'_> {
        Append::Action(self)
    }

    fn from_entries(entries: Entries) -> Option<Vec<Self>> {
        if let Entries::Actions(entries) = entries { Some(entries) } else { None }
    }
}

impl Logged for LedgerEntry {
    const LOG: Log<'static> = Log::Ledger;

    fn to_append(&self) -> Append<'_> {
        Append::Ledger(self)
    }

    fn from_entries(entries: Entries) -> Option<Vec<Self>> {
        if let Entries::Ledger(entries) = entries { Some(entries) } else { None }
    }
}

/// Calls of every [`Store`] with the types of its entries.
pub trait StoreExt: Store {
    /// [Appends](Store::append) events to a session's log.
    ///
    /// # Errors
    /// See [`Store::append`].
    fn append_events(
        &self,
        session: &str,
        expected: u64,
        events: &[Event],
    ) -> impl Future<Output = Result<u64, StoreError>> + Send {
        async move { self.append(Append::Events(session, events), expected).await }
    }

    /// The events of a session, which are none if the session does not exist.
    ///
    /// # Errors
    /// See [`Store::read`].
    fn load(&self, session: &str) -> impl Future<Output = Result<Vec<Event>, StoreError>> + Send {
        async move {
            match self.read(Log::Session(session), 0).await? {
                (Entries::Events(events), _) => Ok(events),
                _ => Err(mixed_up(Log::Session(session))),
            }
        }
    }

    /// The entries of a log from a position on, and the position for the next call.
    ///
    /// # Errors
    /// See [`Store::read`].
    fn entries<T: Logged>(
        &self,
        from: u64,
    ) -> impl Future<Output = Result<(Vec<T>, u64), StoreError>> + Send {
        async move {
            let (entries, end) = self.read(T::LOG, from).await?;
            Ok((T::from_entries(entries).ok_or_else(|| mixed_up(T::LOG))?, end))
        }
    }

    /// Visits the logs of all sessions in ascending order of names, until `visit` breaks. Only one log at a time is in
    /// memory, so a study of any size can be scored. Entries appended during the visit may or may not be seen.
    ///
    /// # Errors
    /// A failure of the store.
    fn visit(
        &self,
        mut visit: impl FnMut(&str, Vec<Event>) -> ControlFlow<()> + Send,
    ) -> impl Future<Output = Result<(), StoreError>> + Send {
        async move {
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
    }

    /// The sealed data of a holder, if any.
    ///
    /// # Errors
    /// A failure of the store.
    fn sealed_of(&self, holder: &str) -> impl Future<Output = Result<Option<Vec<u8>>, StoreError>> + Send {
        async move { Ok(self.sealed(Holders::One(holder)).await?.pop().map(|(_, sealed)| sealed)) }
    }
}

impl<S: Store + ?Sized> StoreExt for S {}

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

/// All holders with sealed data in ascending order, requested one page at a time.
///
/// # Errors
/// A failure of the store.
pub async fn all_sealed(store: &dyn Store) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
    let mut rows: Vec<(String, Vec<u8>)> = Vec::new();
    loop {
        let page = store.sealed(Holders::After(rows.last().map(|(holder, _)| holder.as_str()), PAGE)).await?;
        let last = page.len() < PAGE;
        rows.extend(page);
        if last {
            return Ok(rows);
        }
    }
}

/// The error of a store that returns entries of another log.
fn mixed_up(log: Log<'_>) -> StoreError {
    StoreError::damaged(format!("the store returns entries of another log for {log}"))
}
