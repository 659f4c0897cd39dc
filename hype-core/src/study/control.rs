//! The log of operators' actions in a store, followed by one process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::model::action::{LoggedAction, OperatorAction};
use crate::plugin::store::{Store, StoreError};
use crate::protocol::control::{ActionRefused, Control};

/// An action was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActionError {
    /// The action is not possible; the operator chooses another one.
    #[error(transparent)]
    Refused(#[from] ActionRefused),
    /// The store failed; the same request can be repeated.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What came of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acted {
    /// It was appended to the log now, or when the same request came before.
    Logged(LoggedAction),
    /// The study is in the requested state already.
    Unchanged,
}

/// Who asks for an action, and when.
#[derive(Debug, Clone, Copy)]
pub struct ActionRequest<'a> {
    /// The name of the request, chosen at random by who sends it, so that repeating the request changes nothing.
    pub id: &'a str,
    /// Who acts.
    pub by: &'a str,
    /// The current time, in milliseconds since the Unix epoch.
    pub unix_ms: u64,
}

/// The fold of a store's log of actions, as far as this process has read it.
#[derive(Debug, Default)]
pub struct ControlLog(Mutex<Arc<Control>>);

impl ControlLog {
    /// No panic can leave the state half-changed, so a poisoned lock is safe to use.
    fn state(&self) -> MutexGuard<'_, Arc<Control>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state as of the last read.
    #[must_use]
    pub fn current(&self) -> Arc<Control> {
        Arc::clone(&self.state())
    }

    /// Reads new entries and returns the state.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn refresh(&self, store: &dyn Store) -> Result<Arc<Control>, StoreError> {
        let from = self.current().log().len() as u64;
        let entries = store.actions(from).await?;
        let mut state = self.state();
        // Another call may have read them in the meantime.
        let read = (state.log().len() as u64).saturating_sub(from);
        for entry in entries.into_iter().skip(usize::try_from(read).unwrap_or(usize::MAX)) {
            Arc::make_mut(&mut state).apply(entry);
        }
        Ok(Arc::clone(&state))
    }

    /// Decides on an action by the latest state, and appends it unless it changes nothing or was taken before.
    ///
    /// # Errors
    /// If the action is not possible, or the store fails.
    pub async fn act(
        &self,
        store: &dyn Store,
        request: ActionRequest<'_>,
        action: impl Fn(&Control) -> OperatorAction + Send,
    ) -> Result<Acted, ActionError> {
        loop {
            let control = self.refresh(store).await?;
            if let Some(before) = control.find(request.id) {
                return Ok(Acted::Logged(before.clone()));
            }
            let action = action(&control);
            if !control.decide(&action)? {
                return Ok(Acted::Unchanged);
            }
            let entry = LoggedAction {
                id: request.id.into(),
                by: request.by.into(),
                unix_ms: request.unix_ms,
                action,
            };
            if store.append_action(control.log().len() as u64, &entry).await? {
                self.refresh(store).await?;
                return Ok(Acted::Logged(entry));
            }
        }
    }
}

/// The state of a study according to the actions in a store.
///
/// # Errors
/// If the store fails.
pub async fn control(store: &dyn Store) -> Result<Arc<Control>, StoreError> {
    ControlLog::default().refresh(store).await
}
