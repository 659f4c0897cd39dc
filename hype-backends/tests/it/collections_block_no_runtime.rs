//! While a collection waits for its raters, the async runtime that started it goes on.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;

use hype_backends::{Local, collect_apart};
use hype_core::plugin::store::all_sessions;
use hype_core::plugin::surroundings::Surroundings;
use hype_core::study::backend::Unwatched;
use hype_core::*;
use hype_store::MemoryStore;
use hype_store::block_on;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::learner::Learner;
use crate::small_task::{SmallTask, study};

/// Raters come in once the gate is open.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Gated {
    #[serde(skip)]
    gate: Arc<(Mutex<bool>, Condvar)>,
}

impl Gated {
    fn open(&self) {
        *self.gate.0.lock().unwrap() = true;
        self.gate.1.notify_all();
    }
}

impl Cohort for Gated {
    fn check(&self, _: &Surroundings<'_>, _: &mut Diagnostics) {}

    fn rater(&self, _: &Wanted<'_>, _: &Streams) -> Result<Box<dyn Rater>, CohortError> {
        let (gate, opened) = &*self.gate;
        let waits = opened.wait_timeout_while(gate.lock().unwrap(), Duration::from_secs(60), |open| !*open);
        assert!(!waits.unwrap().1.timed_out(), "the runtime is blocked");
        Ok(Box::new(Learner::default()))
    }
}

register_cohort!(Gated, "gated", summary = "Raters who wait", citation = "", example = "{ kind: gated }",);

#[test]
fn runtimes_of_one_thread_are_not_blocked() {
    let study = study(SmallTask { trials: 10, qualifying: 0, needed: 0 }, |_| {});
    let cohort = Gated::default();
    let local = Local::with_raters(Box::new(cohort.clone()), None);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let collected = runtime.block_on(async {
        let store = Arc::new(MemoryStore::new());
        // The gate opens only if the runtime comes to the second future.
        let (collected, ()) = tokio::join!(local.collect(&study, store, &Unwatched), async { cohort.open() });
        collected.unwrap()
    });
    assert_eq!((collected.completed, collected.open), (study.places(), 0));
}

#[test]
fn a_collection_whose_future_is_dropped_stops() {
    let study = study(SmallTask { trials: 10, qualifying: 0, needed: 0 }, |_| {});
    let (store, cohort) = (MemoryStore::new(), Gated::default());
    {
        let raters = cohort.clone();
        let mut collection =
            pin!(collect_apart(&study, Arc::new(store.clone()), &Unwatched, None, move |wanted, chance| {
                raters.rater(wanted, chance)
            }));
        // The first call starts the collection, and answers nothing yet or lets the first raters come to the gate.
        assert!(collection.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    cohort.open();
    // The thread drops the raters when it ends.
    while Arc::strong_count(&cohort.gate) > 1 {
        thread::yield_now();
    }
    let sessions = block_on(all_sessions(&store)).unwrap();
    assert!(sessions.len() < study.places() as usize, "{} sessions", sessions.len());
}
