//! What backends do, one module for each behaviour.

#![allow(dead_code, clippy::unwrap_used, reason = "tests")]

mod backends_take_turns;
mod hostile_reports_change_nothing;
mod local_collections;
mod nothing_betrays_the_answer;
#[cfg(feature = "tls")]
mod pages_over_https;
mod raters_among_attackers;
mod scripted_raters;
mod strangers_get_nothing;
mod web_sessions;

#[cfg(feature = "web")]
#[path = "support/fortress.rs"]
mod fortress;
#[cfg(feature = "web")]
#[path = "support/judge.rs"]
mod judge;
#[path = "support/learner.rs"]
mod learner;
#[path = "support/logs.rs"]
mod logs;
#[cfg(feature = "web")]
#[path = "support/originals.rs"]
mod originals;
#[cfg(feature = "web")]
#[path = "support/search.rs"]
mod search;
#[cfg(feature = "web")]
#[path = "../../../hype-store/tests/it/support/server.rs"]
mod server;
#[cfg(feature = "web")]
#[path = "support/sight.rs"]
mod sight;
#[path = "support/toy.rs"]
mod toy;
#[cfg(feature = "web")]
#[path = "support/visitor.rs"]
mod visitor;
#[cfg(feature = "web")]
#[path = "support/visits.rs"]
mod visits;
#[cfg(feature = "web")]
#[path = "support/wire.rs"]
mod wire;
