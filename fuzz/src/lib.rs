//! What the fuzz targets do with the bytes that a fuzzer gives them.
//!
//! Each target is a function of bytes that panics where something is wrong, so that an input which a fuzzer found can
//! be run again by any program. `cargo xtask fuzz` builds the targets with coverage and runs them.

#![forbid(unsafe_code)]

mod choices;
pub mod decode;
pub mod replay;
pub mod session;
#[allow(dead_code, reason = "a module of the program, which uses all of it")]
#[path = "../../hype-cli/src/snippet.rs"]
mod snippet;
pub mod spec;
mod studies;

// Their tasks, cohorts and backends register themselves where they are linked.
use hype_backends as _;
use hype_sim as _;
use hype_tasks as _;
