//! The quality checks of a study, by their names.

use std::sync::Arc;

use hype_backends::drive;
use hype_core::model::check::Consequence;
use hype_core::study::backend::Unwatched;
use hype_core::study::session::session_name;
use hype_core::{SessionRecord, Store as _, StoreExt as _, Study};
use hype_sim::Population;
use hype_store::MemoryStore;
use serde::{Deserialize, Serialize};

/// Synthetic raters who are asked until one completes a session: some fail a qualification by chance.
const ATTEMPTS: u32 = 50;

/// A quality check, and what follows from failing it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisteredRule {
    /// The rule, such as `catch`.
    pub name: Arc<str>,
    /// The consequence of failing it.
    pub consequence: Consequence,
}

/// The checks of a completed session; `None` if no synthetic rater completes one. Rules apply to completed sessions:
/// they are listed by those of a synthetic rater at the study's first place.
pub(super) fn of(study: &Study) -> Option<Vec<RegisteredRule>> {
    let store = MemoryStore::new();
    crate::block_on(store.bind(study.digest())).ok()?;
    let completed = (0..ATTEMPTS).find_map(|attempt| {
        let chance = study.session_chance(0, attempt);
        let mut rater = Population::default().rater(study.stimuli(), &chance).ok()?;
        drive(study, &store, &Unwatched, &mut rater, 0, attempt).ok()?;
        let events = crate::block_on(store.load(&session_name(0, attempt))).ok()?;
        SessionRecord::from_events(events).ok().filter(SessionRecord::is_complete)
    })?;
    let checks = study.checks(&completed).into_iter();
    Some(checks.map(|check| RegisteredRule { name: check.name, consequence: check.consequence }).collect())
}
