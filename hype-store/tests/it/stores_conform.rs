//! Every store passes the same suite.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use hype_store::{MemoryStore, store_conformance};

store_conformance!(memory, |_folder| MemoryStore::new());

#[cfg(feature = "sqlite")]
store_conformance!(
    sqlite,
    |folder| hype_store::SqliteStore::open(folder.join("study.db")).unwrap(),
    persistent
);
