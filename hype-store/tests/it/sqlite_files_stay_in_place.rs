//! Nothing is acknowledged once the file of a store, or its write-ahead log, is no longer at its path.

#![cfg(all(feature = "sqlite", unix))]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;

use hype_core::{Event, Micros, StoreError, StoreExt as _};
use hype_store::SqliteStore;
use hype_store::block_on;

fn event(number: u64) -> Event {
    Event::Left { at: Micros(number) }
}

#[test]
fn a_store_whose_file_was_deleted_or_moved_acknowledges_nothing() {
    for file in ["study.db", "study.db-wal"] {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("study.db")).unwrap();
        assert_eq!(block_on(store.append_events("s", 0, &[event(0)])).unwrap(), 1);
        let (path, aside) = (folder.path().join(file), folder.path().join("aside"));
        fs::rename(&path, &aside).unwrap();
        let refused = |result: Result<u64, StoreError>| match result {
            Err(error @ StoreError::Gone { .. }) => {
                assert!(error.to_string().contains(file) && !error.is_retryable(), "{error}");
            }
            other => panic!("{file}: {other:?}"),
        };
        refused(block_on(store.append_events("s", 1, &[event(1)])));
        // The content of the file cannot be read either, since it would be considered durable.
        refused(block_on(store.load("s")).map(|log| log.len() as u64));
        // Another file at the path is not the store.
        fs::write(&path, "").unwrap();
        refused(block_on(store.append_events("s", 1, &[event(1)])));
        fs::rename(&aside, &path).unwrap();
        assert_eq!(block_on(store.append_events("s", 1, &[event(2)])).unwrap(), 2);
        drop(store);
        let store = SqliteStore::open(folder.path().join("study.db")).unwrap();
        assert_eq!(block_on(store.load("s")).unwrap(), [event(0), event(2)]);
    }
}

#[test]
fn moving_the_folder_of_a_store_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (study, elsewhere) = (folder.path().join("study"), folder.path().join("elsewhere"));
    fs::create_dir(&study).unwrap();
    let store = SqliteStore::open(study.join("study.db")).unwrap();
    fs::rename(&study, &elsewhere).unwrap();
    assert!(matches!(block_on(store.append_events("s", 0, &[event(0)])), Err(StoreError::Gone { .. })));
    fs::rename(&elsewhere, &study).unwrap();
    assert_eq!(block_on(store.append_events("s", 0, &[event(0)])).unwrap(), 1);
}
