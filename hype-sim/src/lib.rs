//! Synthetic raters, and suites and strategies for testing tasks.
//!
//! A [`Population`] is a cohort of synthetic raters, declared in YAML as `simulate: { kind: synthetic }` or
//! made in code; each [`SyntheticRater`] answers the trials of any task according to the [`Observer`] of the
//! model under judgment. [`fixtures`] makes stimuli without files.
//!
//! With the feature `conformance`, `task_conformance!` runs the behaviour suite that every task has to pass;
//! with the feature `proptest`, `strategies` generates raters, answers and schedules of reports.
//!
//! This crate never reads a clock, a file, a socket or ambient randomness: time and randomness are arguments.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

pub mod answers;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod fixtures;
pub mod observer;
pub mod population;
mod response_time;
#[cfg(feature = "proptest")]
pub mod strategies;

pub use observer::{Acuity, Observer, Untimed};
pub use population::{Behaviour, Behaviours, Population, Quality, Spammers, SyntheticRater, Traits};
