//! The fuzz targets.
//!
//! Each target is a function of bytes that panics on a fault, which lets any program repeat an input that a fuzzer found.
//! `cargo xtask fuzz` builds the targets with coverage and runs them.

#![forbid(unsafe_code)]

mod choices;
pub mod decode;
pub mod media;
pub mod replay;
pub mod session;
#[path = "../../hype-cli/src/snippet.rs"]
mod snippet;
pub mod spec;
mod studies;
pub mod tables;
#[allow(dead_code, reason = "the program uses all of it")]
#[path = "../../hype-cli/src/terminal.rs"]
mod terminal;

// These crates register their tasks, cohorts and backends when they are linked.
use hype_backends as _;
use hype_sim as _;
use hype_analyses as _;
use hype_tasks as _;
