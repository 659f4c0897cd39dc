//! What is no store, or a damaged or newer one, is refused with a reason, and logs cannot be altered.

#![cfg(feature = "sqlite")]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use hype_core::plugin::store::{Claimed, Standing, Wish};
use hype_core::{Event, Micros, Store, StoreError};
use hype_store::SqliteStore;
use pollster::block_on;
use rusqlite::Connection;
use tempfile::TempDir;

fn events(count: u64) -> Vec<Event> {
    (0..count).map(|n| Event::Left { at: Micros(n) }).collect()
}

/// A closed store of some pages.
fn filled(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("study.db");
    let store = SqliteStore::open(&path).unwrap();
    for session in 0..40 {
        block_on(store.append(&format!("s{session:02}"), 0, &events(60))).unwrap();
    }
    path
}

fn load_all(path: &Path) -> Result<usize, StoreError> {
    let store = SqliteStore::open_existing(path)?;
    let mut count = 0;
    block_on(store.visit(&mut |_, log| {
        count += log.len();
        std::ops::ControlFlow::Continue(())
    }))?;
    Ok(count)
}

#[test]
fn a_file_of_something_else_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    let words = "no database at all, but long enough to have a header ".repeat(40);
    fs::write(&text, &words).unwrap();
    let error = SqliteStore::open(&text).unwrap_err();
    assert!(matches!(&error, StoreError::Failed(reason) if reason.contains("no SQLite database")), "{error}");
    assert_eq!(fs::read_to_string(&text).unwrap(), words);

    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1)").unwrap();
    let before = fs::read(&other).unwrap();
    let error = SqliteStore::open(&other).unwrap_err();
    assert!(matches!(&error, StoreError::Failed(reason) if reason.contains("no store of hype")), "{error}");
    assert_eq!(fs::read(&other).unwrap(), before);
    assert!(!error.is_retryable());
}

#[test]
fn a_file_that_is_not_there_is_made_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    assert!(matches!(SqliteStore::open_existing(&path), Err(StoreError::Failed(_))));
    assert!(!path.exists());
    SqliteStore::open(&path).unwrap();
    SqliteStore::open_existing(&path).unwrap();
    let nowhere = folder.path().join("no").join("folder.db");
    assert!(matches!(SqliteStore::open(nowhere), Err(StoreError::Failed(_))));
}

#[test]
fn a_newer_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 3).unwrap();
    let error = SqliteStore::open(&path).unwrap_err();
    assert!(
        matches!(&error, StoreError::Failed(reason)
            if reason.contains("newer hype") && reason.contains("version 3") && reason.contains("up to 2")),
        "{error}"
    );
}

/// The claims of version 1 become places: those that somebody held have had one holder, gaps none.
#[test]
fn a_file_of_version_1_is_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(include_str!("../../src/sqlite/v1.sql")).unwrap();
    old.pragma_update(None, "application_id", 0x4859_5045).unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    old.execute_batch(
        "INSERT INTO sessions (id, name) VALUES (1, 's');
         INSERT INTO events VALUES (1, 0, '{\"left\":{\"at\":0}}');
         INSERT INTO claims VALUES (1, 'ann', 100, 1), (2, 'bob', 100, 0), (4, 'bob', 900, 0);",
    )
    .unwrap();
    drop(old);
    for _ in 0..2 {
        let store = SqliteStore::open_existing(&path).unwrap();
        assert_eq!(block_on(store.load("s")).unwrap(), events(1));
    }
    let store = SqliteStore::open(&path).unwrap();
    let standing = block_on(store.standing(Micros(50), 0)).unwrap();
    assert_eq!(standing, Standing { done: 1, held: 2, given_up: 0 });
    let claim = |holder, now| {
        let wish = Wish { holder, places: 6, replacements: 1, now: Micros(now), until: Micros(now + 10) };
        block_on(store.claim_next(&wish)).unwrap().map(|Claimed { place, attempt }| (place, attempt))
    };
    let claimed: Vec<_> =
        ["bob", "cem", "dan", "eve", "fay"].into_iter().map(|holder| claim(holder, 50)).collect();
    assert_eq!(claimed, [Some((2, 0)), Some((0, 0)), Some((3, 0)), Some((5, 0)), None]);
    assert_eq!(claim("fay", 900), Some((0, 1)));
    assert_eq!(claim("gus", 900), Some((2, 1)));
}

/// Neither the file nor the log beside it holds a byte of what was sealed.
#[test]
fn what_is_forgotten_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let store = SqliteStore::open(&path).unwrap();
    let files = || ["study.db", "study.db-wal"].map(|name| fs::read(folder.path().join(name)).unwrap());
    let holds = |word: &[u8]| files().iter().any(|file| file.windows(word.len()).any(|bytes| bytes == word));
    for number in 0..50 {
        let (key, holder) = (format!("key {number:02}"), format!("rater {number:02}"));
        let sealed = format!("sealed {number:02}").repeat(20);
        block_on(store.register(&key, &holder, Some(sealed.as_bytes()))).unwrap();
    }
    assert!(holds(b"key 23") && holds(b"sealed 23"));
    block_on(store.forget("rater 23")).unwrap();
    assert!(!holds(b"key 23") && !holds(b"sealed 23") && !holds(b"rater 23"));
    assert!(holds(b"key 24") && holds(b"sealed 24") && holds(b"rater 24"));
}

#[test]
fn a_truncated_file_is_damaged_wherever_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let whole = fs::read(&path).unwrap();
    assert_eq!(load_all(&path).unwrap(), 40 * 60);
    for length in [100, 4_096, 8_192, whole.len() / 2, whole.len() - 4_096, whole.len() - 1] {
        let cut = folder.path().join(format!("cut-{length}.db"));
        fs::write(&cut, &whole[..length]).unwrap();
        let result = load_all(&cut);
        assert!(matches!(result, Err(StoreError::Damaged(_))), "{length} bytes: {result:?}");
    }
}

#[test]
fn overwritten_pages_and_texts_are_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let whole = fs::read(&path).unwrap();
    let mut found = 0;
    for page in 1..whole.len() / 4_096 {
        let mut bytes = whole.clone();
        bytes[page * 4_096..(page + 1) * 4_096].fill(0xA5);
        let broken = folder.path().join("broken.db");
        fs::write(&broken, bytes).unwrap();
        match load_all(&broken) {
            Err(StoreError::Damaged(_)) => found += 1,
            // The page of a table that is not read, such as study or places.
            Ok(count) => assert_eq!(count, 40 * 60, "page {page}"),
            Err(error) => panic!("page {page}: {error}"),
        }
    }
    assert!(2 * found > whole.len() / 4_096, "only {found} pages matter");

    let text = br#"{"left":{"at":42}}"#;
    let mut bytes = whole;
    // Every one, as pages that were split keep copies that nobody reads.
    for at in 0..bytes.len() - text.len() {
        if bytes[at..].starts_with(text) {
            bytes[at] = b'?';
        }
    }
    fs::write(&path, bytes).unwrap();
    let error = load_all(&path).unwrap_err();
    assert!(matches!(&error, StoreError::Damaged(reason) if reason.contains("event 42")), "{error}");
}

#[test]
fn the_database_itself_refuses_to_alter_logs() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let connection = Connection::open(&path).unwrap();
    for (change, reason) in [
        ("DELETE FROM events", "events are never deleted"),
        ("UPDATE events SET event = '{}' WHERE number = 3", "events are never altered"),
        ("INSERT INTO events VALUES (1, 61, '{}')", "events are appended in order"),
        ("INSERT OR REPLACE INTO events VALUES (1, 59, '{}')", "events are appended in order"),
        ("REPLACE INTO events VALUES (1, 0, '{}')", "events are appended in order"),
        ("DELETE FROM sessions", "sessions are never deleted"),
        ("UPDATE sessions SET name = 'x'", "sessions are never altered"),
    ] {
        let error = connection.execute_batch(change).unwrap_err().to_string();
        assert!(error.contains(reason), "{change}: {error}");
    }
    assert_eq!(load_all(&path).unwrap(), 40 * 60);
}

#[test]
fn a_busy_file_is_worth_another_try() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let other = Connection::open(&path).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = block_on(store.append("s00", 60, &events(1))).unwrap_err();
    assert!(error.is_retryable(), "{error}");
    assert_eq!(block_on(store.load("s00")).unwrap().len(), 60, "reading goes on meanwhile");
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(block_on(store.append("s00", 60, &events(1))).unwrap(), 61);
}
