use std::task::{Context, Waker};
use std::time::Duration;

use crate::block_on;

use super::*;

/// A writer on a database with one table, which is blocked until the gate is opened.
struct Held {
    writer: Writer,
    gate: Sender<()>,
    folder: tempfile::TempDir,
}

type Work = Box<dyn FnOnce(&Connection) -> Result<i64, StoreError> + Send>;

impl Held {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let connection = Connection::open(folder.path().join("test.db")).unwrap();
        connection.busy_timeout(Duration::ZERO).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        connection.execute_batch("CREATE TABLE t (n INTEGER, bytes BLOB) STRICT").unwrap();
        let presence = Arc::new(Presence::of(&folder.path().join("test.db")).unwrap());
        let writer = Writer::start(connection, folder.path(), presence).unwrap();
        let (gate, wait) = mpsc::channel();
        queue(&mut Box::pin(writer.write(move |_| Ok(wait.recv().is_ok()))));
        Self { writer, gate, folder }
    }

    /// Runs all jobs in one group and returns their results.
    fn together(&self, works: Vec<Work>) -> Vec<Result<i64, StoreError>> {
        let mut waiting: Vec<_> = works.into_iter().map(|work| Box::pin(self.writer.write(work))).collect();
        waiting.iter_mut().for_each(queue);
        self.gate.send(()).unwrap();
        waiting.into_iter().map(block_on).collect()
    }

    fn connection(&self) -> Connection {
        Connection::open(self.folder.path().join("test.db")).unwrap()
    }

    fn numbers(&self) -> Vec<i64> {
        let connection = self.connection();
        let mut select = connection.prepare("SELECT n FROM t ORDER BY n").unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }
}

/// Polls a write for the first time, which queues it.
fn queue<F: Future + Unpin>(write: &mut F) {
    let polled = std::pin::Pin::new(write).poll(&mut Context::from_waker(Waker::noop()));
    assert!(polled.is_pending());
}

fn insert(connection: &Connection, number: i64) -> Result<i64, StoreError> {
    let bytes = vec![0_u8; 10_000];
    connection.execute("INSERT INTO t VALUES (?1, ?2)", rusqlite::params![number, bytes]).map_err(fault)?;
    Ok(number)
}

fn inserts(number: i64) -> Work {
    Box::new(move |connection| insert(connection, number))
}

#[test]
fn a_write_that_fails_or_panics_is_undone_alone() {
    let held = Held::new();
    let results = held.together(vec![
        inserts(1),
        Box::new(|connection| {
            insert(connection, 2)?;
            Err(StoreError::damaged("as told".into()))
        }),
        Box::new(|connection| {
            insert(connection, 3)?;
            panic!("as wanted")
        }),
        inserts(4),
    ]);
    assert!(
        matches!(
            results[..],
            [Ok(1), Err(StoreError::Damaged { .. }), Err(StoreError::Failed { .. }), Ok(4)]
        ),
        "{results:?}"
    );
    assert_eq!(held.numbers(), [1, 4]);
    assert_eq!(block_on(held.writer.write(inserts(5))).unwrap(), 5);
}

#[test]
fn a_full_disk_is_reported_with_its_file() {
    let held = Held::new();
    let limit: Work = Box::new(|connection| {
        let pages: i64 =
            connection.query_row("PRAGMA max_page_count = 30", [], |row| row.get(0)).map_err(fault)?;
        Ok(pages)
    });
    let results = held.together(std::iter::once(limit).chain((1..=40).map(inserts)).collect());
    let saved: Vec<i64> = results.iter().skip(1).filter_map(|result| result.as_ref().ok().copied()).collect();
    assert!(saved.len() < 40, "the disk is not full");
    let folder = held.folder.path().display().to_string();
    for error in results.iter().flat_map(|result| result.as_ref().err()) {
        assert!(matches!(error, StoreError::Full { .. }) && !error.is_retryable(), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("no space left") && text.contains(&folder), "{text}");
    }
    assert_eq!(held.numbers(), saved);
    let later = block_on(held.writer.write(|connection| {
        connection.query_row("PRAGMA max_page_count = 1000", [], |_| Ok(())).map_err(fault)?;
        insert(connection, 41)
    }));
    assert_eq!(later.unwrap(), 41, "writing continues when there is space again");
}

#[test]
fn all_of_a_group_fail_where_its_transaction_is_lost() {
    let held = Held::new();
    let loses: Work = Box::new(|connection| {
        insert(connection, 2)?;
        // As SQLite itself does after some disk errors.
        connection.execute_batch("ROLLBACK").map_err(fault)?;
        Err(StoreError::failed("the disk is gone".into()))
    });
    let results = held.together(vec![inserts(1), loses, inserts(3)]);
    assert!(results.iter().all(|result| matches!(result, Err(StoreError::Failed { .. }))), "{results:?}");
    assert!(held.numbers().is_empty());
    assert_eq!(block_on(held.writer.write(inserts(4))).unwrap(), 4);
}

#[test]
fn a_group_that_cannot_begin_is_worth_another_try() {
    let held = Held::new();
    held.gate.send(()).unwrap();
    block_on(held.writer.write(|_| Ok(()))).unwrap();
    let other = held.connection();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for number in 1..=3 {
        assert!(block_on(held.writer.write(inserts(number))).unwrap_err().is_retryable());
    }
    other.execute_batch("COMMIT").unwrap();
    assert!(held.numbers().is_empty());
    assert_eq!(block_on(held.writer.write(inserts(1))).unwrap(), 1);
}

#[test]
fn commits_whose_file_disappears_are_not_acknowledged() {
    let held = Held::new();
    let path = held.folder.path().join("test.db");
    let deletes: Work = Box::new(move |connection| {
        std::fs::remove_file(path).unwrap();
        insert(connection, 2)
    });
    let results = held.together(vec![inserts(1), deletes]);
    assert!(results.iter().all(|result| matches!(result, Err(StoreError::Gone { .. }))), "{results:?}");
}

#[test]
fn dropping_the_writer_does_what_is_queued() {
    let held = Held::new();
    for number in 1..=3 {
        queue(&mut Box::pin(held.writer.write(inserts(number))));
    }
    let Held { writer, gate, folder } = held;
    drop(gate);
    drop(writer);
    let connection = Connection::open(folder.path().join("test.db")).unwrap();
    let count: i64 = connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 3, "a write is executed even if no caller waits for it");
}
