//! Behaviour of stores, with one module for each.

#![allow(clippy::unwrap_used, reason = "tests")]

mod erased_answers_are_gone;
mod journals_are_chained;
mod postgres_conforms;
mod postgres_restarts_lose_nothing;
mod sqlite_files_are_recognized;
mod sqlite_files_stay_in_place;
mod stores_conform;

#[cfg(feature = "postgres")]
#[path = "support/database.rs"]
mod database;
#[cfg(feature = "postgres")]
#[path = "../../../tests/it/support/proof.rs"]
mod proof;
#[cfg(feature = "postgres")]
#[path = "support/server.rs"]
mod server;
