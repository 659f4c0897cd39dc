//! Tests of the log of operators' actions.

use hype_core::Store;
use hype_core::model::action::{LoggedAction, OperatorAction};
use hype_core::study::control::{Acted, ActionRequest, ControlLog, control};

use crate::conformance::{Fresh, Suite, journals, now, patient, sound};

fn logged(id: u32) -> LoggedAction {
    LoggedAction {
        id: format!("request {id}").into(),
        by: "operator".into(),
        unix_ms: u64::from(id) << 32,
        action: OperatorAction::Exclude {
            rater: format!("r{id}").into(),
            session: "p000000-000".into(),
            reason: "said “so” – täglich, 日本, 🙂".into(),
        },
    }
}

/// Appends three actions.
pub(super) fn keep(store: &dyn Store) {
    for number in 0..3 {
        assert!(journals::append(store, u64::from(number), &logged(number)));
    }
}

/// Checks that they are still there.
pub(super) fn find(store: &dyn Store) {
    assert_eq!(journals::read::<LoggedAction>(store, 0), [0, 1, 2].map(logged));
}

impl Suite {
    /// Actions are appended at the end only, and read from any number on.
    pub fn actions_are_appended_in_order(&self) {
        let Fresh { store, folder: _folder } = self.fresh();
        journals::check_order(&*store, logged);
        assert!(sound(store.sessions(None, 9)).is_empty(), "actions are in no session");
    }

    /// Several processes that act at once agree on one order, and a request that several of them send is taken once.
    pub fn actions_at_once_are_all_taken_once(&self) {
        const ACTIONS: u32 = 12;
        let (Fresh { store, folder: _folder }, acted) = self.compete(4, |writer, store| {
            let log = ControlLog::default();
            let act = |id: String| {
                let request = ActionRequest { id: &id, by: "operator", unix_ms: writer as u64 };
                loop {
                    let acted = now(log.act(store, request, |_| OperatorAction::TopUp { places: 1 }));
                    match acted {
                        Ok(Acted::Logged(entry)) => return entry,
                        Ok(Acted::Unchanged) => panic!("an addition changes the plan"),
                        Err(hype_core::study::control::ActionError::Store(error)) if error.is_retryable() => {
                        }
                        Err(error) => panic!("writer {writer}: {error}"),
                    }
                }
            };
            let shared: Vec<LoggedAction> =
                (0..ACTIONS).map(|number| act(format!("shared {number}"))).collect();
            for number in 0..ACTIONS {
                act(format!("{writer}, {number}"));
            }
            shared
        });
        assert!(
            acted.iter().all(|shared| *shared == acted[0]),
            "the first of equal requests is the one that counts"
        );
        let state = patient(|| control(&*store)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(state.extra_places(), 5 * ACTIONS);
        assert_eq!(state.log().len() as u32, 5 * ACTIONS, "a repeated request is not logged again");
    }
}
