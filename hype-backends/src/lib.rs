//! Backends bring raters to a study; stores keep what they did.
//!
//! Stores are [`MemoryStore`], with the feature `sqlite` [`SqliteStore`], and with the feature `postgres`
//! `PostgresStore`. The backend [`Local`] drives raters
//! who answer inside the program: those of a [`Cohort`](hype_core::Cohort), such as [`Scripted`], or an embedding
//! program's own through [`collect_with`] and [`drive`].
//!
//! With the feature `web`, the backend [`Web`](web::Web) and `Local` without a cohort serve the rater page to people.
//!
//! This crate knows no statistics and no particular task.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

mod claims;
#[cfg(feature = "conformance")]
pub mod conformance;
mod drive;
mod local;
mod memory;
#[cfg(feature = "postgres")]
mod postgres;
mod scripted;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod texts;
#[cfg(feature = "web")]
pub mod web;

pub use drive::{Driven, drive, play, rater_key};
pub use local::{Local, collect_with};
pub use memory::MemoryStore;
#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
pub use scripted::{Script, ScriptError, Scripted};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
