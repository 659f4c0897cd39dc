//! The writing thread, which commits the writes of many callers together.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use futures_channel::oneshot;
use hype_core::StoreError;
use rusqlite::Connection;

use crate::sqlite::presence::Presence;
use crate::sqlite::{fault, file};

#[cfg(test)]
mod tests;

/// The maximum number of writes in a commit, which bounds the waiting time of the first one.
const GROUP: usize = 1024;

/// Takes writes from any thread and executes them on its own thread.
///
/// While one group of writes goes to disk, the next one gathers, so a disk with a few hundred commits per second
/// handles many thousand writes per second.
pub(super) struct Writer {
    /// `Some` until the writer is dropped.
    queue: Option<Sender<Box<dyn Job>>>,
    /// The file, for error messages.
    path: PathBuf,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(
        connection: Connection,
        path: &Path,
        presence: Arc<Presence>,
    ) -> Result<Self, StoreError> {
        let (queue, jobs) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("sqlite writer".to_owned())
            .spawn(move || serve(&connection, &presence, &jobs))
            .map_err(|error| {
                StoreError::failed(format!("the writer's thread cannot be started: {error}")).caused_by(error)
            })?;
        Ok(Self { queue: Some(queue), path: path.to_owned(), thread: Some(thread) })
    }

    /// Runs `work` in an exclusive transaction and returns its result once it is committed. If `work` fails, its
    /// changes are rolled back. It runs to completion even if the caller stops waiting.
    pub(super) async fn write<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError> {
        self.queue_up(work, Kind::Writing).await
    }

    /// Like [`write`](Self::write), but also overwrites deleted data before it returns the result.
    pub(super) async fn erase(
        &self,
        work: impl FnOnce(&Connection) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<(), StoreError> {
        self.queue_up(work, Kind::Erasing).await
    }

    /// Runs `work` outside any transaction, after the writes before it.
    pub(super) async fn alone<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError> {
        self.queue_up(work, Kind::Alone).await
    }

    async fn queue_up<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<R, StoreError> + Send + 'static,
        kind: Kind,
    ) -> Result<R, StoreError> {
        let stopped = || StoreError::failed("the writer's thread has stopped".to_owned());
        let (reply, answer) = oneshot::channel();
        let task = Task { work: Some(work), result: None, reply, kind };
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
            // Callers already received errors for a panic of the thread.
            drop(thread.join());
        }
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

/// How a write is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// In one transaction with others.
    Writing,
    /// So too, and what it deletes is then overwritten.
    Erasing,
    /// By itself and outside any transaction.
    Alone,
}

/// A write with erased types.
trait Job: Send {
    /// Runs the work and keeps its result for the caller.
    fn work(&mut self, connection: &Connection) -> Result<(), StoreError>;

    /// How it is executed.
    fn kind(&self) -> Kind;

    /// Sends the result to the caller.
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

struct Task<W, R> {
    /// `Some` until the work has run.
    work: Option<W>,
    result: Option<Result<R, StoreError>>,
    reply: oneshot::Sender<Result<R, StoreError>>,
    kind: Kind,
}

impl<W, R> Job for Task<W, R>
where
    W: FnOnce(&Connection) -> Result<R, StoreError> + Send,
    R: Send,
{
    fn work(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let Some(work) = self.work.take() else { return Ok(()) };
        // Rolling back the savepoint restores the connection, regardless of the panic.
        let result = catch_unwind(AssertUnwindSafe(|| work(connection)))
            .unwrap_or_else(|_| Err(StoreError::failed("the write panicked".to_owned())));
        let outcome = result.as_ref().map(drop).map_err(Clone::clone);
        self.result = Some(result);
        outcome
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreError>) {
        let Self { result, reply, .. } = *self;
        let unknown = || Err(StoreError::failed("the write was not executed".to_owned()));
        // The caller may no longer be waiting.
        drop(reply.send(committed.and_then(|()| result.unwrap_or_else(unknown))));
    }
}

/// Runs jobs until all senders are dropped.
fn serve(connection: &Connection, presence: &Presence, jobs: &Receiver<Box<dyn Job>>) {
    while let Ok(first) = jobs.recv() {
        let mut group = vec![first];
        group.extend(jobs.try_iter().take(GROUP - 1));
        let (alone, mut group): (Vec<_>, Vec<_>) =
            group.into_iter().partition(|job| job.kind() == Kind::Alone);
        // Nothing is written to a file that is gone, and nothing is acknowledged if it disappeared during the commit.
        let committed = presence.check().and_then(|()| {
            if group.is_empty() {
                return Ok(());
            }
            commit(connection, &mut group)?;
            presence.check()
        });
        if committed.is_ok() && group.iter().any(|job| job.kind() == Kind::Erasing) {
            // The log still contains the old pages. A concurrent reader can keep them there until the log is restarted.
            drop(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        }
        for job in group {
            job.answer(committed.clone());
        }
        for mut job in alone {
            let done = presence.check().and_then(|()| job.work(connection));
            job.answer(done.and_then(|()| presence.check()));
        }
    }
}

/// Runs all jobs in one transaction. If it fails, no job has changed anything, or the outcome of all is unknown.
fn commit(connection: &Connection, group: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    run(connection, "BEGIN IMMEDIATE")?;
    let committed = group
        .iter_mut()
        .try_for_each(|job| attempt(connection, &mut **job))
        .and_then(|()| run(connection, "COMMIT"));
    if committed.is_err() && !connection.is_autocommit() {
        // If this fails as well, the next group cannot begin and reports it.
        drop(run(connection, "ROLLBACK"));
    }
    committed
}

/// Runs one job and rolls it back if it fails. Returns an error if that ends the whole transaction.
fn attempt(connection: &Connection, job: &mut dyn Job) -> Result<(), StoreError> {
    run(connection, "SAVEPOINT job")?;
    if let Err(error) = job.work(connection) {
        // SQLite itself rolls back the whole transaction, for example if the disk is full.
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
