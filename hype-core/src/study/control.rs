//! The log of operators' actions in a store, followed by one process.

use std::sync::Arc;

use crate::model::action::{LoggedAction, OperatorAction};
use crate::plugin::store::{Store, StoreError};
use crate::protocol::control::{ActionRefused, Control};
use crate::study::journal::{Fold, Journal};

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

/// The outcome of an action.
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
    /// The name of the request, chosen at random by its sender: repeating the request changes nothing.
    pub id: &'a str,
    /// Who acts.
    pub by: &'a str,
    /// The current time, in milliseconds since the Unix epoch.
    pub unix_ms: u64,
}

/// The fold of a store's log of actions, as far as this process has read it.
#[derive(Debug, Default)]
pub struct ControlLog(Journal<Arc<Control>>);

impl ControlLog {
    /// The state as of the last read.
    #[must_use]
    pub fn current(&self) -> Arc<Control> {
        self.0.view(Arc::clone)
    }

    /// Reads new entries and returns the state.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn refresh(&self, store: &dyn Store) -> Result<Arc<Control>, StoreError> {
        self.0.refresh(store).await?;
        Ok(self.current())
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
        self.0.refresh(store).await?;
        let mut before = None;
        let appended = self.0.append(store, |control| {
            before = control.find(request.id).cloned();
            if before.is_some() {
                return Ok::<_, ActionError>(None);
            }
            let action = action(control);
            if !control.decide(&action)? {
                return Ok(None);
            }
            let (id, by) = (request.id.into(), request.by.into());
            let entry = LoggedAction { id, by, unix_ms: request.unix_ms, action };
            Ok(Some((entry.clone(), entry)))
        });
        Ok(appended.await?.or(before).map_or(Acted::Unchanged, Acted::Logged))
    }
}

impl Fold for Arc<Control> {
    type Entry = LoggedAction;

    fn apply(&mut self, at: u64, entry: LoggedAction) {
        if at == self.log().len() as u64 {
            Self::make_mut(self).apply(entry);
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
