//! x
mod error;
pub mod sample;
