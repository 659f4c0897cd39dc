//! After an erasure, no byte of the answers is left in the files of a database, and a deletion that is not an erasure is found.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;
use std::path::Path;

use hype_core::model::record::{Erased, Shown};
use hype_core::model::trial::Phase;
use hype_core::plugin::store::{Erasure, Identity};
use hype_core::{Answered, Event, Micros, Store, StoreError, StoreExt as _, Timing};
use hype_store::SqliteStore;
use hype_store::block_on;
use rusqlite::Connection;
use serde_json::json;

/// The answer number `number` of a rater, whose text occurs nowhere else.
fn answer(rater: usize, number: usize) -> Event {
    let text =
        format!("answer-of-rater-{rater:03}-number-{number:03} {}", "long enough to split pages ".repeat(6));
    Event::Answered(Answered {
        trial: number as u32,
        shown: Shown { phase: Phase::Main, block: 0, stimuli: Vec::new(), model: None, exposure_ms: None },
        answer: json!({ "why": text }).into(),
        correct: None,
        timing: Timing { at: Micros(number as u64), rt: Micros(1), exposure: None },
    })
}

fn session(rater: usize) -> String {
    format!("p{rater:06}-000")
}

fn remains() -> [Event; 2] {
    let erased = Erased { unix_ms: 0, answers: 30, ending: None, earned: None, filled: false };
    [Event::Left { at: Micros(0) }, Event::Erased(erased)]
}

fn erasure(rater: usize) -> Erasure {
    Erasure { session: session(rater), expected: 30, remains: remains() }
}

/// Twenty raters who answer in turns: their answers share pages, which are split.
fn filled(path: &Path) -> SqliteStore {
    let store = SqliteStore::open(path).unwrap();
    for number in 0..30 {
        for rater in 0..20 {
            block_on(store.append_events(&session(rater), number as u64, &[answer(rater, number)])).unwrap();
        }
    }
    for rater in [7, 8] {
        let sealed = format!("sealed-id-of-rater-{rater:03}").repeat(50);
        block_on(store.register(
            Identity::Person(&format!("key-of-{rater}")),
            &session(rater),
            Some(sealed.as_bytes()),
        ))
        .unwrap();
    }
    store
}

/// How often a text occurs in all files of a folder.
fn occurrences(folder: &Path, text: &str) -> usize {
    let files = fs::read_dir(folder).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
    files.map(|bytes| bytes.windows(text.len()).filter(|part| *part == text.as_bytes()).count()).sum()
}

#[test]
fn no_byte_of_erased_answers_and_forgotten_ids_is_left_in_any_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let store = filled(&path);
    // Another process has the file open, as a server does.
    let other = SqliteStore::open(&path).unwrap();
    for text in ["answer-of-rater-007", "sealed-id-of-rater-007"] {
        assert!(occurrences(folder.path(), text) > 0, "{text}");
    }
    block_on(store.erase(&[erasure(7)])).unwrap();
    block_on(store.forget(&session(7))).unwrap();
    block_on(store.scrub()).unwrap();
    for text in ["answer-of-rater-007", "sealed-id-of-rater-007", "key-of-7"] {
        assert_eq!(occurrences(folder.path(), text), 0, "{text}");
    }
    for text in ["answer-of-rater-008", "sealed-id-of-rater-008", "key-of-8"] {
        assert!(occurrences(folder.path(), text) > 0, "{text}");
    }
    assert_eq!(block_on(other.load(&session(7))).unwrap(), remains());
    for rater in (0..20).filter(|rater| *rater != 7) {
        let log: Vec<Event> = (0..30).map(|number| answer(rater, number)).collect();
        assert_eq!(block_on(other.load(&session(rater))).unwrap(), log);
    }
    let refused = block_on(other.append_events(&session(7), 30, &[answer(7, 30)]));
    assert!(matches!(refused, Err(StoreError::Erased { .. })), "{refused:?}");
    assert_eq!(block_on(other.append_events(&session(8), 30, &[answer(8, 30)])).unwrap(), 31);
}

#[test]
fn events_that_were_removed_in_any_other_way_are_missed() {
    let drop_triggers = "DROP TRIGGER entries_stay; DROP TRIGGER entries_do_not_change; \
                         DROP TRIGGER entries_come_in_order; DROP TRIGGER erasures_stay;";
    let of = |id: i64| format!("entry BETWEEN {id} << 32 AND ({id} << 32) + 4294967295");
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.db");
    drop(filled(&whole));
    Connection::open(&whole).unwrap().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    for (statements, reason) in [
        (format!("DELETE FROM entries WHERE {}", of(4)), "all of its events were removed"),
        (
            format!("DELETE FROM entries WHERE {} AND entry & 4294967295 < 28", of(4)),
            "was altered, removed or moved",
        ),
        // The remains of one session, put in place of another.
        (
            format!(
                "DELETE FROM entries WHERE {}; INSERT INTO entries SELECT entry - (4 << 32), form, \"values\", chain \
                 FROM entries WHERE {}",
                of(4),
                of(8)
            ),
            "was altered, removed or moved",
        ),
        (format!("DELETE FROM entries WHERE {}", of(8)), "all of its events were removed"),
        ("DELETE FROM erasures".to_owned(), "was altered, removed or moved"),
    ] {
        let copy = tempfile::tempdir().unwrap();
        let path = copy.path().join("study.db");
        fs::copy(&whole, &path).unwrap();
        let store = SqliteStore::open(&path).unwrap();
        block_on(store.erase(&[erasure(7)])).unwrap();
        Connection::open(&path).unwrap().execute_batch(&format!("{drop_triggers} {statements}")).unwrap();
        let damage = (0..20).find_map(|rater| block_on(store.load(&session(rater))).err());
        match damage {
            Some(StoreError::Damaged { reason: text, .. }) => {
                assert!(text.contains(reason), "{statements}: {text}")
            }
            other => panic!("{statements}: {other:?}"),
        }
    }
}
