//! Backends bring raters to a study.
//!
//! The backend [`Local`] drives raters who answer inside the program: those of a [`Cohort`](hype_core::Cohort), such as
//! [`Scripted`], or those of an embedding program through [`collect_with`] and [`drive`].
//!
//! With the feature `web`, the backend [`Web`] and `Local` without a cohort serve the rater page to people.
//!
//! This crate knows no statistics and no particular task.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

#[cfg_attr(not(feature = "web"), expect(unreachable_pub, reason = "the page exports the clock"))]
mod clock;
#[cfg(feature = "crowd")]
pub mod crowd;
mod drive;
pub mod fees;
mod local;
#[cfg(feature = "web")]
pub mod web;
#[cfg(feature = "web")]
mod web_backend;

pub use drive::{Driven, drive, play, rater_key};
pub use local::Local;
pub use local::collection::{collect_apart, collect_with, simulate};
pub use local::journal::SimulatedSession;
pub use local::scripted::{Script, ScriptError, Scripted};
#[cfg(feature = "web")]
pub use web_backend::Web;
