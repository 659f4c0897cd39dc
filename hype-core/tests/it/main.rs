//! What the core does, one module for each behaviour.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod fuzz_findings;
mod places_follow_the_rule;
