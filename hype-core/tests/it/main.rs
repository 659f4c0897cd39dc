//! Behaviour of the core, with one module for each.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod fuzz_findings;
mod places_follow_the_rule;
