//! The copies of sessions that a process holds between requests.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};

use hype_core::plugin::store::all_sessions;
use hype_core::{Event, Micros, SessionRecord, Store, Study};
use serde_json::Value;
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::web::service::cached_session::CachedSession;
use crate::web::service::fault::Fault;
use crate::web::service::keys::Credential;

/// How many copies a generation has at most.
const GENERATION: usize = 4_096;

/// How long a generation lasts at most.
const LASTS: Micros = Micros(5 * 60_000_000);

/// A session's copy, or nothing until it is needed.
type Slot = Arc<Mutex<Option<CachedSession>>>;

/// The copies of sessions, and what completed ones have taught.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    slots: StdMutex<Generations>,
    learned: Mutex<Learned>,
}

/// Copies used of late and copies used before. What has not been used for a whole generation is dropped, and what is
/// over at once: the number of copies is bounded, and a dropped one is made again from its log.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<Credential, Slot>,
    old: HashMap<Credential, Slot>,
    /// When the young ones began to gather.
    since: Micros,
}

/// What completed sessions have taught the task, where it learns.
#[derive(Debug, Default)]
struct Learned {
    briefing: Value,
    sessions: BTreeSet<String>,
}

impl Sessions {
    /// The slot of a session, for one request at a time.
    pub(crate) async fn entry(
        &self,
        credential: &Credential,
        now: Micros,
    ) -> OwnedMutexGuard<Option<CachedSession>> {
        let slot = self.generations().slot(credential, now);
        slot.lock_owned().await
    }

    /// Forgets a session that is over.
    pub(crate) fn forget(&self, credential: &Credential) {
        let mut slots = self.generations();
        slots.young.remove(credential);
        slots.old.remove(credential);
    }

    /// A panic leaves no map half changed.
    fn generations(&self) -> MutexGuard<'_, Generations> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the sessions completed so far have taught a task that learns.
    pub(crate) async fn briefing(&self, study: &Study, store: &dyn Store) -> Result<Option<Value>, Fault> {
        let task = &study.spec().task;
        if !task.learns() {
            return Ok(None);
        }
        let mut learned = self.learned.lock().await;
        for name in all_sessions(store).await? {
            if learned.sessions.contains(&name) {
                continue;
            }
            let log = store.load(&name).await?;
            if !matches!(log.last(), Some(Event::Finished(_))) {
                continue;
            }
            let record = SessionRecord::from_events(log).map_err(|_| Fault::Failed)?;
            if record.is_complete() {
                task.learn(&mut learned.briefing, &record, study.stimuli());
            }
            learned.sessions.insert(name);
        }
        Ok(Some(learned.briefing.clone()))
    }
}

impl Generations {
    fn slot(&mut self, credential: &Credential, now: Micros) -> Slot {
        if now.0.saturating_sub(self.since.0) >= LASTS.0 {
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
    fn copies_are_kept_while_they_are_used_and_dropped_when_idle_or_over() {
        let sessions = Sessions::default();
        let slot = |number, now| sessions.generations().slot(&credential(number), Micros(now));
        let is_kept = |kept: &Slot, now| Arc::ptr_eq(kept, &slot(0, now));
        let first = slot(0, 0);
        for turn in 1..10 {
            slot(1, turn * LASTS.0 / 2);
            assert!(is_kept(&first, turn * LASTS.0 / 2), "a copy in use is dropped");
        }
        slot(1, 10 * LASTS.0);
        slot(1, 11 * LASTS.0);
        assert!(!is_kept(&first, 11 * LASTS.0), "an idle copy is kept");
        let again = slot(0, 11 * LASTS.0);
        sessions.forget(&credential(0));
        assert!(!is_kept(&again, 11 * LASTS.0), "a copy is kept that is over");
    }

    #[test]
    fn there_are_never_more_than_two_generations() {
        let mut slots = Generations::default();
        for number in 0..3 * GENERATION {
            slots.slot(&credential(number), Micros(0));
            assert!(slots.young.len() + slots.old.len() <= 2 * GENERATION);
        }
    }
}
