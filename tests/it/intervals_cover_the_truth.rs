//! Intervals cover the truth as often as they say: 200 simulated studies of every family, through the session machine,
//! and 2,000 in `cargo xtask prove coverage`.
//!
//! The truth is known from the population, or what a study with so many raters finds (and with so many items, where the
//! interval is about other items, too) that its own error is a few hundredths of that of the studies which are tried.
//! The figures of 2,000 are in `docs/COVERAGE.md`.

#![allow(clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

mod agreement;
mod imagenhub;
mod perception;
mod population;
mod ratings;
mod sampled_items;
mod side_by_side;
mod studies;
