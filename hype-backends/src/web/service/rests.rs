//! Raters who rest between blocks, as far as this process knows: logs do not say when a rest is offered.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hype_core::Micros;

/// Until when sessions rest at the latest, since the Unix epoch.
#[derive(Debug, Default)]
pub(crate) struct Rests(Mutex<HashMap<String, Micros>>);

impl Rests {
    /// Records that a session is offered a rest.
    pub(crate) fn begin(&self, session: &str, until: Micros, now: Micros) {
        let mut rests = self.rests();
        rests.retain(|_, until| *until > now);
        rests.insert(session.to_owned(), until);
    }

    /// Whether a session rests.
    pub(crate) fn has(&self, session: &str, now: Micros) -> bool {
        self.rests().get(session).is_some_and(|until| *until > now)
    }

    /// A poisoned lock is safe to use: the map is always whole.
    fn rests(&self) -> MutexGuard<'_, HashMap<String, Micros>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
