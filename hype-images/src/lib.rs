//! Finds, reads, checks and digests the image stimuli of a study, and draws those of a first one.
//!
//! This crate reads and writes files where it is told to. It never reads a clock, an environment
//! variable or ambient randomness, and knows nothing of studies: plain structs go in and out.
//!
//! [`find`] resolves patterns, [`inspect_all`] proves the files whole and pins their content with a
//! [`Cache`] beside it, [`shortcuts`] compares the sets, [`sample`] draws, and [`texture`] makes masks.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests"))]

mod cache;
mod compare;
mod container;
mod digest;
mod error;
mod find;
mod format;
mod inspect;
pub mod limits;
pub mod sample;
pub mod texture;

pub use cache::Cache;
pub use compare::{BYTES_ACCURACY, Feature, ImageSet, KIND_ACCURACY, Kind, Shortcut, shortcuts};
pub use digest::{ContentDigest, NotADigest};
pub use error::{Faults, ImageError, Nearest, Tally};
pub use find::{Found, FoundFile, find};
pub use format::Format;
pub use inspect::{Inspected, inspect, inspect_all};
