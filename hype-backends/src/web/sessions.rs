//! The copies of sessions that a process holds between requests.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use hype_core::store::all_sessions;
use hype_core::{Event, SessionRecord, Store, Study};
use serde_json::Value;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::fault::Fault;
use super::keys::Pass;
use super::live::Live;

/// How many copies a generation has.
const GENERATION: usize = 4_096;

/// A session's copy, or nothing until it is needed.
type Slot = Arc<Mutex<Option<Live>>>;

/// The copies of sessions, and what completed ones have taught.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    slots: StdMutex<Generations>,
    learned: Mutex<Learned>,
}

/// Copies used of late and copies used before. What has not been used for a whole generation is dropped: the number
/// of copies is bounded, and a dropped one is made again from its log.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<Pass, Slot>,
    old: HashMap<Pass, Slot>,
}

/// What completed sessions have taught the task, where it learns.
#[derive(Debug, Default)]
struct Learned {
    briefing: Value,
    sessions: BTreeSet<String>,
}

impl Sessions {
    /// The slot of a session, for one request at a time.
    pub(crate) async fn entry(&self, pass: &Pass) -> OwnedMutexGuard<Option<Live>> {
        self.slot(pass).lock_owned().await
    }

    fn slot(&self, pass: &Pass) -> Slot {
        // A panic leaves no map half changed.
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.young.get(pass) {
            return Arc::clone(slot);
        }
        if slots.young.len() >= GENERATION {
            slots.old = std::mem::take(&mut slots.young);
        }
        let slot = slots.old.remove(pass).unwrap_or_default();
        slots.young.insert(pass.clone(), Arc::clone(&slot));
        slot
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
