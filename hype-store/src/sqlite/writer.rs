//! The thread that writes. It commits the writes of many callers together.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use futures_channel::oneshot;
use hype_core::StoreError;
use rusqlite::Connection;

use crate::sqlite::{fault, file};

#[cfg(test)]
mod tests;

/// How many writes are committed together at most, so that the first of them does not wait for ever.
const GROUP: usize = 1024;

/// Takes writes from any thread and does them on its own.
///
/// While one group of writes goes to the disk the next one gathers, so that a disk that takes a few hundred commits
/// a second takes many thousand writes.
pub(super) struct Writer {
    /// Present until the writer is dropped.
    queue: Option<Sender<Box<dyn Job>>>,
    /// The file, for errors to name.
    path: PathBuf,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(connection: Connection, path: &Path) -> Result<Self, StoreError> {
        let (queue, jobs) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("sqlite writer".to_owned())
            .spawn(move || serve(&connection, &jobs))
            .map_err(|error| StoreError::Failed(format!("the writer's thread cannot be started: {error}")))?;
        Ok(Self { queue: Some(queue), path: path.to_owned(), thread: Some(thread) })
    }

    /// Does `work` in a transaction that nobody else writes beside, and gives its result when that is committed. If
    /// `work` fails, what it has changed is undone. It is done to its end even if nobody waits for it any more.
    pub(super) async fn write<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError> {
        self.queue_up(work, false).await
    }

    /// As [`write`](Self::write), and overwrites what `work` has deleted before it gives the result.
    pub(super) async fn erase(
        &self,
        work: impl FnOnce(&Connection) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<(), StoreError> {
        self.queue_up(work, true).await
    }

    async fn queue_up<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<R, StoreError> + Send + 'static,
        erases: bool,
    ) -> Result<R, StoreError> {
        let stopped = || StoreError::Failed("the writer's thread has stopped".to_owned());
        let (reply, answer) = oneshot::channel();
        let task = Task { work: Some(work), result: None, reply, erases };
        let queue = self.queue.as_ref().ok_or_else(stopped)?;
        queue.send(Box::new(task)).map_err(|_| stopped())?;
        let result = answer.await.unwrap_or_else(|_| Err(stopped()));
        result.map_err(|error| file::located(&self.path, error))
    }
}

impl Drop for Writer {
    /// Finishes the queued writes.
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // A panic there has been answered with errors.
            drop(thread.join());
        }
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

/// A write of any type.
trait Job: Send {
    /// Does the work, and keeps its result for the answer.
    fn work(&mut self, connection: &Connection) -> Result<(), StoreError>;

    /// Whether something was deleted that has to be overwritten.
    fn erases(&self) -> bool;

    /// Sends the result to the caller.
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

struct Task<W, R> {
    /// Present until it is done.
    work: Option<W>,
    result: Option<Result<R, StoreError>>,
    reply: oneshot::Sender<Result<R, StoreError>>,
    erases: bool,
}

impl<W, R> Job for Task<W, R>
where
    W: FnOnce(&Connection) -> Result<R, StoreError> + Send,
    R: Send,
{
    fn work(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let Some(work) = self.work.take() else { return Ok(()) };
        // The connection is as before once the savepoint is rolled back, whatever has panicked.
        let result = catch_unwind(AssertUnwindSafe(|| work(connection)))
            .unwrap_or_else(|_| Err(StoreError::Failed("the write panicked".to_owned())));
        let outcome = result.as_ref().map(drop).map_err(Clone::clone);
        self.result = Some(result);
        outcome
    }

    fn erases(&self) -> bool {
        self.erases
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreError>) {
        let Self { result, reply, .. } = *self;
        let unknown = || Err(StoreError::Failed("the write was not done".to_owned()));
        // The caller may have stopped waiting.
        drop(reply.send(committed.and_then(|()| result.unwrap_or_else(unknown))));
    }
}

/// Does jobs until nobody can send more.
fn serve(connection: &Connection, jobs: &Receiver<Box<dyn Job>>) {
    while let Ok(first) = jobs.recv() {
        let mut group = vec![first];
        group.extend(jobs.try_iter().take(GROUP - 1));
        let committed = commit(connection, &mut group);
        if committed.is_ok() && group.iter().any(|job| job.erases()) {
            // The log still holds the pages as they were. Somebody who reads them now can keep them there, until the
            // log is begun anew.
            drop(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        }
        for job in group {
            job.answer(committed.clone());
        }
    }
}

/// Does all jobs in one transaction. If that fails none has changed anything, or none knows.
fn commit(connection: &Connection, group: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    run(connection, "BEGIN IMMEDIATE")?;
    let committed = group
        .iter_mut()
        .try_for_each(|job| attempt(connection, &mut **job))
        .and_then(|()| run(connection, "COMMIT"));
    if committed.is_err() && !connection.is_autocommit() {
        // Where even this fails the next group cannot begin, and says so.
        drop(run(connection, "ROLLBACK"));
    }
    committed
}

/// Does one job and undoes it if it fails; an error if that ends the whole transaction.
fn attempt(connection: &Connection, job: &mut dyn Job) -> Result<(), StoreError> {
    run(connection, "SAVEPOINT job")?;
    if let Err(error) = job.work(connection) {
        // SQLite itself rolls all back where, for instance, the disk is full.
        if connection.is_autocommit() {
            return Err(error);
        }
        run(connection, "ROLLBACK TO job")?;
    }
    run(connection, "RELEASE job")
}

fn run(connection: &Connection, command: &str) -> Result<(), StoreError> {
    connection.prepare_cached(command).and_then(|mut command| command.execute([])).map(drop).map_err(fault)
}
