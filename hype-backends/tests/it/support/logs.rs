//! Logs as text, to compare collections by their bytes.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use hype_core::{Session, Store, StoreExt as _, Study};

/// All logs of a store with one event per line, each checked by replay first.
pub(crate) fn logs(study: &Study, store: &dyn Store) -> String {
    let mut text = String::new();
    hype_store::block_on(store.visit(|name, log| {
        Session::replay(study, log.iter().cloned()).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (number, event) in log.iter().enumerate() {
            let event = serde_json::to_string(event).expect("events are plain data");
            writeln!(text, "{name} {number} {event}").expect("text can be written");
        }
        ControlFlow::Continue(())
    }))
    .expect("the store can be read");
    text
}
