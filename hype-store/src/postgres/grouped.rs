//! Grouping of concurrent calls, which are sent to the database and committed together.

use std::sync::Arc;

use deadpool_postgres::Pool;
use hype_core::StoreError;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::postgres::timed::timed;

/// The maximum number of calls in a group, which bounds the waiting time of the first one.
const GROUP: usize = 256;

/// Takes calls from any runtime and executes them on the store's runtime.
///
/// While some groups are in flight, the next one gathers, so calls become cheaper as concurrency increases.
pub(super) struct Grouped<I, O> {
    queue: mpsc::UnboundedSender<Job<I, O>>,
}

struct Job<I, O> {
    call: I,
    reply: oneshot::Sender<Result<O, StoreError>>,
}

impl<I: Send + Sync + 'static, O: Send + 'static> Grouped<I, O> {
    /// Begins to take calls on a runtime, which has to run as long as calls are awaited. At most `lanes` groups are in
    /// flight. `work` executes the calls of a group and returns a result for each of them.
    pub(super) fn start<W>(
        pool: &Pool,
        runtime: &Handle,
        lanes: usize,
        work: impl Fn(Pool, Vec<I>) -> W + Copy + Send + 'static,
    ) -> Self
    where
        W: Future<Output = Vec<Result<O, StoreError>>> + Send,
    {
        let (queue, jobs) = mpsc::unbounded_channel();
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..lanes {
            let (pool, jobs) = (pool.clone(), Arc::clone(&jobs));
            runtime.spawn(async move {
                let mut group = Vec::new();
                while jobs.lock().await.recv_many(&mut group, GROUP).await > 0 {
                    let (calls, replies): (Vec<_>, Vec<_>) =
                        group.drain(..).map(|job: Job<I, O>| (job.call, job.reply)).unzip();
                    let count = calls.len();
                    let results = timed(&pool, work(pool.clone(), calls)).await;
                    let results =
                        results.unwrap_or_else(|error| vec![error; count].into_iter().map(Err).collect());
                    for (reply, result) in replies.into_iter().zip(results) {
                        // The caller may no longer be waiting.
                        drop(reply.send(result));
                    }
                }
            });
        }
        Self { queue }
    }

    pub(super) async fn call(&self, call: I) -> Result<O, StoreError> {
        let stopped = || StoreError::failed("the store's runtime has stopped".to_owned());
        let (reply, answer) = oneshot::channel();
        self.queue.send(Job { call, reply }).map_err(|_| stopped())?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }
}
