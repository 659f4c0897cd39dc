//! Files that are not stores, or damaged or of another version, are refused with a reason, and logs cannot be altered.

#![cfg(feature = "sqlite")]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use hype_core::model::note::{Display, Displayed, Noted, PartDisplayed, SessionNote};
use hype_core::plugin::store::{Erasure, Identity};
use hype_core::{Event, Micros, Store, StoreError, StoreExt as _};
use hype_store::SqliteStore;
use hype_store::block_on;
use rusqlite::Connection;
use tempfile::TempDir;

fn events(count: u64) -> Vec<Event> {
    (0..count).map(|n| Event::Left { at: Micros(n) }).collect()
}

/// A closed store with several pages.
fn filled(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("study.db");
    let store = SqliteStore::open(&path).unwrap();
    for session in 0..40 {
        block_on(store.append_events(&format!("s{session:02}"), 0, &events(60))).unwrap();
    }
    path
}

fn load_all(path: &Path) -> Result<usize, StoreError> {
    let store = SqliteStore::open_existing(path)?;
    let mut count = 0;
    block_on(store.visit(|_, log| {
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
    assert!(
        matches!(&error, StoreError::Failed { reason, .. } if reason.contains("not an SQLite database")),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&text).unwrap(), words);

    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1)").unwrap();
    let before = fs::read(&other).unwrap();
    let error = SqliteStore::open(&other).unwrap_err();
    assert!(
        matches!(&error, StoreError::Failed { reason, .. } if reason.contains("not a store of hype")),
        "{error}"
    );
    assert_eq!(fs::read(&other).unwrap(), before);
    assert!(!error.is_retryable());
}

#[test]
fn missing_files_are_created_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    assert!(matches!(SqliteStore::open_existing(&path), Err(StoreError::Failed { .. })));
    assert!(!path.exists());
    SqliteStore::open(&path).unwrap();
    SqliteStore::open_existing(&path).unwrap();
    let nowhere = folder.path().join("no").join("folder.db");
    assert!(matches!(SqliteStore::open(nowhere), Err(StoreError::Failed { .. })));
}

#[test]
fn another_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    for (version, by) in [(99, "a newer hype"), (5, "an older hype")] {
        Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
        let before = fs::read(&path).unwrap();
        let error = SqliteStore::open(&path).unwrap_err();
        let expected =
            format!("written by {by}: its tables have version {version}, and this program reads version 6");
        assert!(matches!(&error, StoreError::Failed { reason, .. } if reason.contains(&expected)), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

fn alter(path: &Path, statements: &str) {
    Connection::open(path).unwrap().execute_batch(statements).unwrap();
}

/// Changes that circumvent the rules of the database are detected.
#[test]
fn altered_removed_and_moved_events_are_damage() {
    for (number, (what, statements)) in [
        ("a value", "UPDATE entries SET \"values\" = x'29' WHERE entry & 0xFFFFFFFF = 30"),
        ("a removed event", "DELETE FROM entries WHERE entry & 0xFFFFFFFF = 30"),
        (
            "an event removed and the gap closed",
            "DELETE FROM entries WHERE entry & 0xFFFFFFFF = 30;
             UPDATE entries SET entry = entry - 1 WHERE entry & 0xFFFFFFFF > 30",
        ),
        (
            "two events in each other's place",
            "UPDATE entries SET entry = entry + 1000 WHERE entry & 0xFFFFFFFF = 30;
             UPDATE entries SET entry = entry - 1 WHERE entry & 0xFFFFFFFF = 31;
             UPDATE entries SET entry = entry - 999 WHERE entry & 0xFFFFFFFF = 1030",
        ),
        ("a form", "UPDATE forms SET form = '{\"left\":{\"at\":#0}}'"),
        ("a form's number", "UPDATE entries SET form = 0"),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(&folder);
        alter(
            &path,
            &format!(
                "DROP TRIGGER entries_stay; DROP TRIGGER entries_do_not_change; DROP TRIGGER forms_do_not_change; \
                 {statements}"
            ),
        );
        let error = load_all(&path).unwrap_err();
        assert!(matches!(&error, StoreError::Damaged { .. }), "{number}, {what}: {error}");
        let text = error.to_string();
        assert!(text.contains("s00") && text.contains(&path.display().to_string()), "{what}: {text}");
        if what != "a removed event" {
            assert!(text.contains("was altered, removed or moved"), "{what}: {text}");
        }
    }
}

fn displayed(trial: u32) -> Event {
    let part = |part: u16| PartDisplayed {
        part,
        image: part,
        requested_ms: 500,
        planned_frames: 30,
        frames: 30,
        onset_us: 500_010 * u64::from(part),
        shown_us: 500_010,
    };
    let display = Display {
        frame_us: 16_667,
        grain_us: 5,
        skipped: 0,
        worst_late_us: 123,
        suspect: false,
        parts: (0..9).map(part).collect(),
    };
    let displayed = Displayed { trial, showing: 0, display };
    Event::Noted(Noted { at: Micros(7_000_000 * u64::from(trial)), note: SessionNote::Displayed(displayed) })
}

/// A display note with nine images is 1 kB of JSON.
#[test]
fn notes_take_a_fraction_of_their_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let notes: Vec<Event> = (0..2_000).map(displayed).collect();
    let text: usize = notes.iter().map(|note| serde_json::to_string(note).unwrap().len()).sum();
    let store = SqliteStore::open(&path).unwrap();
    for (number, notes) in (0..).zip(notes.chunks(200)) {
        block_on(store.append_events("s", 200 * number, notes)).unwrap();
    }
    assert_eq!(block_on(store.load("s")).unwrap(), notes);
    drop(store);
    let size = fs::metadata(&path).unwrap().len() as usize;
    assert!(size < text / 5, "{size} bytes for {text}");
}

/// Events with different keys are stored as plain text once there are too many forms.
#[test]
fn events_of_very_many_forms_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let event = |number: u32| -> Event {
        let event = serde_json::json!({ "answered": {
            "trial": number,
            "shown": { "phase": "main", "block": 0, "stimuli": [] },
            "answer": { (format!("question {number}")): "a $ and a # and a \" too" },
            "timing": { "at": number, "rt": 1 },
        } });
        serde_json::from_value(event).unwrap()
    };
    let log: Vec<Event> = (0..5_000).map(event).collect();
    let store = SqliteStore::open(&path).unwrap();
    for (number, events) in (0..).zip(log.chunks(500)) {
        block_on(store.append_events("s", 500 * number, events)).unwrap();
    }
    for store in [store, SqliteStore::open(&path).unwrap()] {
        assert_eq!(block_on(store.load("s")).unwrap(), log);
    }
    let forms: i64 = Connection::open(&path)
        .unwrap()
        .query_row("SELECT count(*) FROM forms", [], |row| row.get(0))
        .unwrap();
    assert_eq!(forms, 4_096);
}

/// Neither the file nor its write-ahead log contains any sealed data after forgetting.
#[test]
fn forgotten_content_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let store = SqliteStore::open(&path).unwrap();
    let files = || ["study.db", "study.db-wal"].map(|name| fs::read(folder.path().join(name)).unwrap());
    let holds = |word: &[u8]| files().iter().any(|file| file.windows(word.len()).any(|bytes| bytes == word));
    for number in 0..50 {
        let (key, holder) = (format!("key {number:02}"), format!("rater {number:02}"));
        let sealed = format!("sealed {number:02}").repeat(20);
        block_on(store.register(Identity::Person(&key), &holder, Some(sealed.as_bytes()))).unwrap();
    }
    // Replaced twice, by shorter and by longer data.
    for times in [10, 30] {
        block_on(store.reseal("rater 23", "newer 23".repeat(times).as_bytes())).unwrap();
    }
    assert!(holds(b"key 23") && holds(b"newer 23"));
    block_on(store.forget("rater 23")).unwrap();
    for word in ["key 23", "sealed 23", "newer 23", "rater 23"] {
        assert!(!holds(word.as_bytes()), "{word} is left");
    }
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
        assert!(matches!(result, Err(StoreError::Damaged { .. })), "{length} bytes: {result:?}");
    }
}

#[test]
fn overwritten_pages_are_damaged() {
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
            Err(StoreError::Damaged { .. }) => found += 1,
            // A page of a table that is not read, such as that of the study.
            Ok(count) => assert_eq!(count, 40 * 60, "page {page}"),
            Err(error) => panic!("page {page}: {error}"),
        }
    }
    assert!(2 * found > whole.len() / 4_096, "only {found} pages matter");
}

#[test]
fn the_database_itself_refuses_to_alter_logs() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let store = SqliteStore::open(&path).unwrap();
    let remains = events(2).try_into().unwrap();
    block_on(store.erase(&[Erasure { session: "s01".into(), expected: 60, remains }])).unwrap();
    drop(store);
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch("INSERT INTO place_changes VALUES (1, 0, 0, 'ann', 5, 1, 'held', 0, 0)")
        .unwrap();
    for (change, reason) in [
        ("DELETE FROM entries", "events are never deleted"),
        ("UPDATE entries SET \"values\" = x'' WHERE entry & 0xFFFFFFFF = 3", "events are never altered"),
        ("INSERT INTO entries VALUES (4294967296 + 61, 1, x'', 0)", "events are appended in order"),
        (
            "INSERT OR REPLACE INTO entries VALUES (4294967296 + 59, 1, x'', 0)",
            "events are appended in order",
        ),
        ("REPLACE INTO entries VALUES (4294967296, 1, x'', 0)", "events are appended in order"),
        ("DELETE FROM forms", "forms are never deleted"),
        ("UPDATE forms SET form = '{}'", "forms are never altered"),
        ("DELETE FROM place_changes", "changes of places are never deleted"),
        ("UPDATE place_changes SET until = 0", "changes of places are never altered"),
        ("DELETE FROM entries WHERE entry >> 32 = 2", "events are never deleted"),
        ("DELETE FROM erasures", "erasures are never deleted"),
        ("UPDATE erasures SET done = 0", "erasures are never altered"),
        ("UPDATE erasures SET chain = 8", "erasures are never altered"),
        ("REPLACE INTO erasures VALUES (2, 8, 0)", "a session is erased once"),
        ("DELETE FROM sessions", "sessions are never deleted"),
        ("UPDATE sessions SET name = 'x'", "sessions are never altered"),
    ] {
        let error = connection.execute_batch(change).unwrap_err().to_string();
        assert!(error.contains(reason), "{change}: {error}");
    }
    assert_eq!(load_all(&path).unwrap(), 39 * 60 + 2);
}

#[test]
fn a_busy_file_is_worth_another_try() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let other = Connection::open(&path).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = block_on(store.append_events("s00", 60, &events(1))).unwrap_err();
    assert!(error.is_retryable(), "{error}");
    assert_eq!(block_on(store.load("s00")).unwrap().len(), 60, "reading continues meanwhile");
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(block_on(store.append_events("s00", 60, &events(1))).unwrap(), 61);
}
