//! Frames of Arrow as tables that `hype` reads, and its tables as frames.
//!
//! This crate knows no Python: what crosses the border is `hype-python`'s.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests may panic"))]

mod cells;
mod rows;
mod tables;

pub use self::cells::texts;
pub use self::rows::{FrameError, FrameRows};
pub use self::tables::{columns, frame, kind_of};
