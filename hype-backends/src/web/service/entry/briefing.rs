//! The briefing of a learning task: what it has learned from completed sessions.

use std::collections::BTreeSet;

use hype_core::plugin::store::all_sessions;
use hype_core::{Event, SessionRecord, Store, StoreExt as _, Study};
use serde_json::Value;
use tokio::sync::Mutex;

use crate::web::service::fault::Fault;

/// The briefing so far. Each session is learned from once.
#[derive(Debug, Default)]
pub(super) struct Briefing(Mutex<Learned>);

#[derive(Debug, Default)]
struct Learned {
    briefing: Value,
    sessions: BTreeSet<String>,
}

impl Briefing {
    /// Returns what the task has learned from the sessions completed so far; `None` for a task that does not learn.
    pub(super) async fn of(&self, study: &Study, store: &dyn Store) -> Result<Option<Value>, Fault> {
        let Some(learner) = study.task().learner() else { return Ok(None) };
        let mut learned = self.0.lock().await;
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
                learner.learn(&mut learned.briefing, &record, study.stimuli());
            }
            learned.sessions.insert(name);
        }
        Ok(Some(learned.briefing.clone()))
    }
}
