//! Behaviour of stores, with one module for each.

#![allow(clippy::unwrap_used, reason = "tests")]

mod postgres_conforms;
mod postgres_restarts_lose_nothing;
mod sqlite_files_are_recognized;
mod stores_conform;

#[cfg(feature = "postgres")]
#[path = "../../../tests/it/support/proof.rs"]
mod proof;
#[cfg(feature = "postgres")]
#[path = "support/server.rs"]
mod server;
