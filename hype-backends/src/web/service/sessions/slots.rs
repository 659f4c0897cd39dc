//! The slots of cached sessions, whose number is bounded.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};

use hype_core::Micros;
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::web::service::cached_session::CachedSession;
use crate::web::service::keys::Credential;

/// The largest number of sessions in a generation.
const GENERATION: usize = 4_096;

/// The longest time that a generation lasts.
const LIFETIME: Micros = Micros(5 * 60_000_000);

/// A cached session; empty until the log is read.
type Slot = Arc<Mutex<Option<CachedSession>>>;

/// A slot for each session that is in use.
#[derive(Debug, Default)]
pub(super) struct Slots(StdMutex<Generations>);

/// A cache of two generations. Sessions that were not used for a whole generation are dropped, and finished ones at once.
/// The number of sessions is bounded, and a dropped one is rebuilt from its log.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<Credential, Slot>,
    old: HashMap<Credential, Slot>,
    /// When the young generation began.
    since: Micros,
}

impl Slots {
    /// Locks the slot of a session, which serves one request at a time.
    pub(super) async fn entry(
        &self,
        credential: &Credential,
        now: Micros,
    ) -> OwnedMutexGuard<Option<CachedSession>> {
        let slot = self.generations().slot(credential, now);
        slot.lock_owned().await
    }

    /// Drops a finished session.
    pub(super) fn forget(&self, credential: &Credential) {
        let mut slots = self.generations();
        slots.young.remove(credential);
        slots.old.remove(credential);
    }

    /// A poisoned lock is safe to use: no operation on the maps panics half-way.
    fn generations(&self) -> MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn slot(&mut self, credential: &Credential, now: Micros) -> Slot {
        if now.0.saturating_sub(self.since.0) >= LIFETIME.0 {
            self.age(now);
        }
        if let Some(slot) = self.young.get(credential) {
            return Arc::clone(slot);
        }
        if self.young.len() >= GENERATION {
            self.age(now);
        }
        let slot = self.old.remove(credential).unwrap_or_default();
        self.young.insert(credential.clone(), Arc::clone(&slot));
        slot
    }

    fn age(&mut self, now: Micros) {
        self.old = std::mem::take(&mut self.young);
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credential(number: usize) -> Credential {
        Credential { session: format!("p{number}"), rater: "r".to_owned() }
    }

    #[test]
    fn sessions_are_cached_while_in_use_and_dropped_when_idle_or_finished() {
        let sessions = Slots::default();
        let slot = |number, now| sessions.generations().slot(&credential(number), Micros(now));
        let is_kept = |kept: &Slot, now| Arc::ptr_eq(kept, &slot(0, now));
        let first = slot(0, 0);
        for turn in 1..10 {
            slot(1, turn * LIFETIME.0 / 2);
            assert!(is_kept(&first, turn * LIFETIME.0 / 2), "a session in use was dropped");
        }
        slot(1, 10 * LIFETIME.0);
        slot(1, 11 * LIFETIME.0);
        assert!(!is_kept(&first, 11 * LIFETIME.0), "an idle session was kept");
        let again = slot(0, 11 * LIFETIME.0);
        sessions.forget(&credential(0));
        assert!(!is_kept(&again, 11 * LIFETIME.0), "a finished session was kept");
    }

    #[test]
    fn the_cache_never_exceeds_two_generations() {
        let mut slots = Generations::default();
        for number in 0..3 * GENERATION {
            slots.slot(&credential(number), Micros(0));
            assert!(slots.young.len() + slots.old.len() <= 2 * GENERATION);
        }
    }
}
