//! Appends that come in at the same time go to the database together, and are committed together.

use std::sync::Arc;

use deadpool_postgres::{Client, Pool};
use hype_core::StoreError;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Error, Row};

use crate::postgres::fault::{fault, pool_fault};
use crate::postgres::{all, one};
use crate::texts::{Appended, integer};

/// How many appends are sent together at most, so that the first of them does not wait for ever.
const GROUP: usize = 256;

/// How many groups are on their way at the same time: while one is committed, the next is written.
const LANES: usize = 3;

/// Takes appends from any runtime and makes them on the store's own.
///
/// While some groups are on their way the next one gathers, so that the more come at a time, the less each costs.
pub(super) struct Appender {
    queue: mpsc::UnboundedSender<Job>,
}

/// The texts of events to append to a log that holds so many.
pub(super) struct Append {
    pub(super) session: String,
    pub(super) expected: u64,
    pub(super) texts: Vec<String>,
}

struct Job {
    append: Append,
    reply: oneshot::Sender<Result<Appended, StoreError>>,
}

impl Appender {
    /// Begins to take appends, on a runtime that has to run as long as somebody waits for them.
    pub(super) fn start(pool: &Pool, runtime: &Handle) -> Self {
        let (queue, jobs) = mpsc::unbounded_channel();
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..LANES {
            runtime.spawn(serve(pool.clone(), Arc::clone(&jobs)));
        }
        Self { queue }
    }

    pub(super) async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let stopped = || StoreError::Failed("the store's runtime has stopped".to_owned());
        let (reply, answer) = oneshot::channel();
        self.queue.send(Job { append, reply }).map_err(|_| stopped())?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }
}

/// Makes appends until nobody can send more.
async fn serve(pool: Pool, jobs: Arc<Mutex<mpsc::UnboundedReceiver<Job>>>) {
    let mut group = Vec::new();
    while jobs.lock().await.recv_many(&mut group, GROUP).await > 0 {
        let (appends, replies): (Vec<_>, Vec<_>) = group.drain(..).map(|job| (job.append, job.reply)).unzip();
        for (reply, result) in replies.into_iter().zip(together(&pool, &appends).await) {
            // Whoever has stopped waiting does not want to know.
            drop(reply.send(result));
        }
    }
}

/// Makes all appends in one statement, or one by one if it fails because of one of them.
async fn together(pool: &Pool, appends: &[Append]) -> Vec<Result<Appended, StoreError>> {
    let client = match pool.get().await.map_err(pool_fault) {
        Ok(client) => client,
        Err(error) => return vec![Err(error); appends.len()],
    };
    match at_once(&client, appends).await.map_err(fault) {
        Ok(appended) => appended.into_iter().map(Ok).collect(),
        Err(error) if error.is_retryable() => vec![Err(error); appends.len()],
        Err(_) => {
            let mut results = Vec::with_capacity(appends.len());
            for append in appends {
                results.push(alone(&client, append).await.map_err(fault));
            }
            results
        }
    }
}

async fn at_once(client: &Client, appends: &[Append]) -> Result<Vec<Appended>, Error> {
    let logs: Vec<&str> = appends.iter().map(|append| &*append.session).collect();
    let expected: Vec<i64> = appends.iter().map(|append| integer(append.expected)).collect();
    let counts: Vec<i32> = appends.iter().map(|append| append.texts.len() as i32).collect();
    let texts: Vec<&str> = appends.iter().flat_map(|append| &append.texts).map(String::as_str).collect();
    let statement = "SELECT appended, length, kept FROM append_all($1, $2, $3, $4)";
    let rows = all(client, statement, &[&logs, &expected, &counts, &texts]).await?;
    rows.iter().zip(expected).map(|(row, from)| appended(row, from)).collect()
}

/// Appends, and asks again if somebody else has appended to the same log at the same time.
async fn alone(client: &Client, append: &Append) -> Result<Appended, Error> {
    let statement = "SELECT appended, length, kept FROM append_events($1, $2, $3)";
    let from = integer(append.expected);
    let row = loop {
        match one(client, statement, &[&append.session, &from, &append.texts]).await {
            // The next time the other's events are there, and the log has another length than expected.
            Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {}
            result => break result?,
        }
    };
    appended(&row, from)
}

/// What the database made of an append to a log that was to hold so many events.
fn appended(row: &Row, from: i64) -> Result<Appended, Error> {
    let found = row.try_get::<_, i64>(1)?.unsigned_abs();
    if row.try_get(0)? {
        return Ok(Appended::Now(found));
    }
    let kept: Option<Vec<String>> = row.try_get(2)?;
    Ok(Appended::Not { found, kept: kept.map(|kept| (from..).zip(kept).collect()) })
}
