//! Stores: the logs of a study's sessions, and who holds which place.
//!
//! [`MemoryStore`] keeps them in memory, with the feature `sqlite` [`SqliteStore`] in a file, and with the feature
//! `postgres` `PostgresStore` in a database that any number of servers share.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

mod claims;
#[cfg(feature = "conformance")]
pub mod conformance;
mod memory;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod texts;

pub use memory::MemoryStore;
#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
