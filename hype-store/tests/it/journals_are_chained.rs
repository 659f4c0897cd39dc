//! The databases refuse to alter the logs of a study as a whole, and what is altered nevertheless is detected.

#![cfg(any(feature = "postgres", feature = "sqlite"))]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use hype_core::model::action::{LoggedAction, OperatorAction};
use hype_core::model::ledger::{LedgerChange, LedgerEntry, PaymentKey, PaymentPurpose};
use hype_core::plugin::store::Logged;
use hype_core::{Amount, Store, StoreError, StoreExt as _};
use hype_store::block_on;

/// A log of three entries, which contain the number 7 as their only digit besides their own numbers.
struct Log {
    table: &'static str,
    column: &'static str,
    /// The name in messages.
    title: &'static str,
    append: fn(&dyn Store, u64) -> bool,
    /// The number of entries from a number on.
    read: fn(&dyn Store, u64) -> Result<usize, StoreError>,
}

const LOGS: [Log; 2] = [
    Log {
        table: "actions",
        column: "action",
        title: "the log of operators' actions",
        append: |store, number| append(store, number, &action(number)),
        read: |store, from| Ok(block_on(store.entries::<LoggedAction>(from))?.0.len()),
    },
    Log {
        table: "ledger",
        column: "entry",
        title: "the ledger",
        append: |store, number| append(store, number, &entry(number)),
        read: |store, from| Ok(block_on(store.entries::<LedgerEntry>(from))?.0.len()),
    },
];

fn append<T: Logged>(store: &dyn Store, number: u64, entry: &T) -> bool {
    block_on(store.append(entry.to_append(), number)).unwrap() == number + 1
}

fn action(number: u64) -> LoggedAction {
    let action = OperatorAction::TopUp { places: 7 };
    LoggedAction { id: format!("id {number}").into(), by: "operator".into(), unix_ms: number, action }
}

fn entry(number: u64) -> LedgerEntry {
    let payment = PaymentKey { session: format!("s{number}").into(), purpose: PaymentPurpose::Bonus };
    let (rater, amount, fee) = ("r".into(), Amount(7_000_000), Amount(0));
    let change = LedgerChange::Planned { payment, rater, amount, fee, by: None };
    LedgerEntry { id: format!("id {number}").into(), unix_ms: number, change }
}

impl Log {
    fn fill(&self, store: &dyn Store) {
        assert!((0..3).all(|number| (self.append)(store, number)));
    }

    /// Statements about this log.
    fn statements(&self, template: &str) -> String {
        template.replace("TABLE_", self.table).replace("COLUMN_", self.column)
    }

    /// Checks that reading finds an entry damaged.
    fn assert_damaged(&self, store: &dyn Store, from: u64, number: u64, what: &str) {
        match (self.read)(store, from) {
            Err(StoreError::Damaged { reason: text, .. }) => {
                let named = format!("entry {number} of {} ", self.title);
                assert!(
                    text.contains(&named) && text.contains("estore a copy of the store"),
                    "{what}: {text}"
                );
            }
            other => panic!("{what}, {}: {other:?}", self.table),
        }
    }
}

/// Changes of a log, and the entry that is found damaged.
const CHANGES: [(&str, &str, u64); 7] = [
    ("a text", "UPDATE TABLE_ SET COLUMN_ = replace(COLUMN_, '7', '8') WHERE number = 1", 1),
    ("the last text", "UPDATE TABLE_ SET COLUMN_ = replace(COLUMN_, '7', '8') WHERE number = 2", 2),
    ("a hash", "UPDATE TABLE_ SET chain = (SELECT chain FROM TABLE_ WHERE number = 2) WHERE number = 1", 1),
    ("the first removed", "DELETE FROM TABLE_ WHERE number = 0", 0),
    ("one removed", "DELETE FROM TABLE_ WHERE number = 1", 1),
    (
        "one removed and the gap closed",
        "DELETE FROM TABLE_ WHERE number = 1; UPDATE TABLE_ SET number = 1 WHERE number = 2",
        1,
    ),
    (
        "two in each other's place",
        "UPDATE TABLE_ SET number = 9 WHERE number = 1; UPDATE TABLE_ SET number = 1 WHERE number = 2;
         UPDATE TABLE_ SET number = 2 WHERE number = 9",
        1,
    ),
];

/// Ways to cut off the end of the ledger, and the number of entries that are left.
const CUTS: [(&str, &str, u64); 3] = [
    ("the last entry", "DELETE FROM ledger WHERE number = 2", 2),
    ("all but the first", "DELETE FROM ledger WHERE number > 0", 1),
    ("all of them", "DELETE FROM ledger", 0),
];

/// Drops the table that a store of 0.1.0 does not have.
const NO_HEAD: &str = "DROP TABLE IF EXISTS ledger_head";

/// Checks that reading finds the ledger cut off.
fn assert_cut_off(store: &dyn Store, what: &str) {
    match (LOGS[1].read)(store, 0) {
        Err(StoreError::Damaged { reason, .. }) => {
            assert!(reason.contains("the ledger was cut off"), "{what}: {reason}");
            assert!(reason.contains("had 3 entries"), "{what}: {reason}");
        }
        other => panic!("{what}: {other:?}"),
    }
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use std::path::{Path, PathBuf};

    use hype_store::SqliteStore;
    use rusqlite::Connection;
    use tempfile::TempDir;

    use super::*;

    /// A closed store with entries in both logs.
    fn filled(folder: &TempDir) -> PathBuf {
        let path = folder.path().join("study.db");
        let store = SqliteStore::open(&path).unwrap();
        LOGS.iter().for_each(|log| log.fill(&store));
        path
    }

    fn alter(path: &Path, log: &Log, statements: &str) {
        let connection = Connection::open(path).unwrap();
        let mut select = connection
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1")
            .unwrap();
        let triggers: Vec<String> =
            select.query_map([log.table], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
        assert!(triggers.len() >= 3, "{triggers:?}");
        for trigger in triggers {
            connection.execute_batch(&format!("DROP TRIGGER {trigger}")).unwrap();
        }
        connection.execute_batch(statements).unwrap();
    }

    #[test]
    fn the_database_refuses_to_alter_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(&folder);
        let connection = Connection::open(&path).unwrap();
        for log in &LOGS {
            for (change, reason) in [
                ("DELETE FROM TABLE_", "are never deleted"),
                ("DELETE FROM TABLE_ WHERE number = 2", "are never deleted"),
                ("UPDATE TABLE_ SET COLUMN_ = '{}' WHERE number = 1", "are never altered"),
                ("UPDATE TABLE_ SET chain = 0", "are never altered"),
                ("INSERT INTO TABLE_ VALUES (4, '{}', 0)", "are appended in order"),
                ("INSERT INTO TABLE_ VALUES (-1, '{}', 0)", "are appended in order"),
                ("INSERT OR REPLACE INTO TABLE_ VALUES (1, '{}', 0)", "are appended in order"),
                ("REPLACE INTO TABLE_ VALUES (2, '{}', 0)", "are appended in order"),
            ] {
                let change = log.statements(change);
                let error = connection.execute_batch(&change).unwrap_err().to_string();
                assert!(error.contains(reason), "{change}: {error}");
            }
            let store = SqliteStore::open(&path).unwrap();
            assert_eq!((log.read)(&store, 0).unwrap(), 3);
        }
    }

    #[test]
    fn altered_removed_and_moved_entries_are_damage() {
        for log in &LOGS {
            for (what, statements, number) in CHANGES {
                let folder = tempfile::tempdir().unwrap();
                let path = filled(&folder);
                alter(&path, log, &log.statements(statements));
                let store = SqliteStore::open(&path).unwrap();
                log.assert_damaged(&store, 0, number, what);
                if number == 1 {
                    log.assert_damaged(&store, 1, 1, what);
                }
                for other in LOGS.iter().filter(|other| other.table != log.table) {
                    assert_eq!((other.read)(&store, 0).unwrap(), 3, "{what}");
                }
            }
            let folder = tempfile::tempdir().unwrap();
            let path = filled(&folder);
            alter(&path, log, &log.statements("DELETE FROM TABLE_ WHERE number > 0"));
            let store = SqliteStore::open(&path).unwrap();
            log.assert_damaged(&store, 3, 2, "the last ones are removed while a process follows the log");
            let error = (log.read)(&store, 3).unwrap_err().to_string();
            assert!(error.contains(&path.display().to_string()), "{error}");
        }
    }

    #[test]
    fn a_ledger_that_was_cut_off_is_damage() {
        for (what, cut, _) in CUTS {
            let folder = tempfile::tempdir().unwrap();
            let path = filled(&folder);
            alter(&path, &LOGS[1], cut);
            assert_cut_off(&SqliteStore::open(&path).unwrap(), what);
            assert_cut_off(&SqliteStore::open_existing(&path).unwrap(), what);
        }
    }

    /// Stores of 0.1.0 have no head of the ledger. It is kept from the moment when a later version opens them.
    #[test]
    fn stores_without_a_head_get_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(&folder);
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(&format!("DROP TRIGGER IF EXISTS ledger_keeps_its_head; {NO_HEAD}"))
            .unwrap();
        let store = SqliteStore::open_existing(&path).unwrap();
        assert_eq!((LOGS[1].read)(&store, 0).unwrap(), 3);
        drop(store);
        let (what, cut, _) = CUTS[0];
        alter(&path, &LOGS[1], cut);
        assert_cut_off(&SqliteStore::open(&path).unwrap(), what);
    }
}

#[cfg(feature = "postgres")]
mod postgres {
    use super::*;
    use crate::database::Database;

    #[test]
    fn the_database_refuses_to_alter_them() {
        let database = Database::start();
        let store = database.open(&database.url("study")).unwrap();
        for log in &LOGS {
            log.fill(&store);
            for (change, reason) in [
                ("DELETE FROM TABLE_", "TABLE_ are never altered or deleted"),
                ("UPDATE TABLE_ SET COLUMN_ = '{}' WHERE number = 1", "TABLE_ are never altered or deleted"),
                ("TRUNCATE TABLE_", "TABLE_ are never altered or deleted"),
                ("INSERT INTO TABLE_ VALUES (1, '{}', '')", "duplicate key"),
                ("INSERT INTO TABLE_ VALUES (-1, '{}', '')", "check constraint"),
            ] {
                let (change, reason) = (log.statements(change), log.statements(reason));
                let error = database.execute(&format!("SET search_path = study; {change}")).unwrap_err();
                let text = error.as_db_error().unwrap().message().to_owned();
                assert!(text.contains(&reason), "{change}: {text}");
            }
            assert_eq!((log.read)(&store, 0).unwrap(), 3);
        }
    }

    #[test]
    fn altered_removed_and_moved_entries_are_damage() {
        let database = Database::start();
        let gap = ("a gap", "INSERT INTO TABLE_ VALUES (4, '{}', '')", 3);
        for log in &LOGS {
            for (study, (what, statements, number)) in CHANGES.into_iter().chain([gap]).enumerate() {
                let schema = format!("{}{study}", log.table);
                let store = database.open(&database.url(&schema)).unwrap();
                LOGS.iter().for_each(|log| log.fill(&store));
                let disable = format!("SET search_path = {schema}; ALTER TABLE TABLE_ DISABLE TRIGGER USER");
                database.execute(&log.statements(&format!("{disable}; {statements}"))).unwrap();
                log.assert_damaged(&store, 0, number, what);
                for other in LOGS.iter().filter(|other| other.table != log.table) {
                    assert_eq!((other.read)(&store, 0).unwrap(), 3, "{what}");
                }
            }
        }
    }

    #[test]
    fn a_ledger_that_was_cut_off_is_damage() {
        let database = Database::start();
        for (what, cut, left) in CUTS {
            let schema = format!("cut{left}");
            let store = database.open(&database.url(&schema)).unwrap();
            LOGS[1].fill(&store);
            let disable = format!("SET search_path = {schema}; ALTER TABLE ledger DISABLE TRIGGER USER");
            database.execute(&format!("{disable}; {cut}")).unwrap();
            assert_cut_off(&store, what);
        }
    }

    #[test]
    fn schemas_without_a_head_get_one() {
        let database = Database::start();
        let store = database.open(&database.url("old")).unwrap();
        LOGS[1].fill(&store);
        drop(store);
        let remove = "DROP TRIGGER IF EXISTS ledger_keeps_its_head ON ledger";
        database.execute(&format!("SET search_path = old; {remove}; {NO_HEAD}")).unwrap();
        let store = database.open(&database.url("old")).unwrap();
        assert_eq!((LOGS[1].read)(&store, 0).unwrap(), 3);
        let (what, cut, _) = CUTS[0];
        database
            .execute(&format!("SET search_path = old; ALTER TABLE ledger DISABLE TRIGGER USER; {cut}"))
            .unwrap();
        assert_cut_off(&store, what);
    }
}
