//! Stores for the logs of a study's sessions and places, and for its participants.
//!
//! [`MemoryStore`] keeps them in memory, [`SqliteStore`] (feature `sqlite`) in a file, and `PostgresStore` (feature
//! `postgres`) in a database that any number of servers can share. A store keeps rows and appends atomically; it knows
//! none of the rules of a study.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod chain;
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod journal;
mod memory;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod rows;
#[cfg(feature = "sqlite")]
mod sqlite;
mod wait;

pub use memory::MemoryStore;
#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
pub use wait::block_on;
