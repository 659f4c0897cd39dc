//! The stopping rule of a collection whose raters answer inside the program.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use hype_core::SessionRecord;
use hype_core::plugin::rubric::ScoreError;
use hype_core::protocol::places::Claimed;
use hype_core::study::backend::BackendError;
use hype_core::study::stopping::Looks;

/// Gives out no place beyond the next look before the look is decided, so that the same sessions are collected by any number of
/// workers.
pub(super) struct Stopping {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    looks: Looks,
    /// The number of workers with a place.
    busy: usize,
}

/// A worker with a place, until it is dropped.
pub(super) struct Busy<'a>(&'a Stopping);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.state().busy -= 1;
        self.0.changed.notify_all();
    }
}

impl Stopping {
    pub(super) fn new(looks: Looks) -> Self {
        Self { state: Mutex::new(State { looks, busy: 0 }), changed: Condvar::new() }
    }

    /// A panic in another thread ends the whole collection, so the data behind a poisoned lock no longer matter.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims a place with `claim`, which is given the number that the place has to be below. Waits while the next look depends on
    /// other workers. `None` if no place is left, the rule has ended the collection, or `stops` says so.
    pub(super) fn claim(
        &self,
        claim: impl Fn(u32) -> Result<Option<Claimed>, BackendError>,
        stops: impl Fn() -> bool,
    ) -> Result<Option<(Claimed, Busy<'_>)>, BackendError> {
        let mut state = self.state();
        while !stops() {
            let below = state.looks.places_before_next();
            if let Some(claimed) = claim(below.unwrap_or(u32::MAX))? {
                state.busy += 1;
                return Ok(Some((claimed, Busy(self))));
            }
            if state.busy == 0 || below.is_none() {
                break;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(None)
    }

    /// Adds a session that has ended.
    pub(super) fn add(&self, record: &SessionRecord) -> Result<(), ScoreError> {
        self.state().looks.add(record)
    }
}
