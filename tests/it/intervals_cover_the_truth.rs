//! Intervals have their nominal coverage: 50 simulated studies of every family, run through the session machine, and
//! 2,000 in `cargo xtask prove coverage`.
//!
//! The truth is known from the population. Otherwise it is estimated by a study with so many raters (and items, if
//! the interval generalises to other items) that its error is a few hundredths of that of the tested studies. The
//! results of 2,000 studies are in `docs/measured/coverage.md`.

#![allow(clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

mod agreement;
mod imagenhub;
mod perception;
mod population;
mod ratings;
mod sampled_items;
mod side_by_side;
mod studies;
