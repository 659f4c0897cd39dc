//! Appends to the logs of sessions.

use deadpool_postgres::{Client, Pool};
use hype_core::StoreError;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Error, Row};

use crate::postgres::fault::{fault, pool_fault};
use crate::postgres::{all, one};
use crate::rows::{Appended, integer};

/// The number of groups of appends in flight: while one is committed, the next one is written.
pub(super) const LANES: usize = 3;

/// The texts of events to append to a log of the given length.
pub(super) struct EventTexts {
    pub(super) session: String,
    pub(super) expected: u64,
    pub(super) texts: Vec<String>,
}

/// Executes all appends in one statement, or one by one if one of them makes the statement fail.
pub(super) async fn together(pool: Pool, appends: Vec<EventTexts>) -> Vec<Result<Appended, StoreError>> {
    let client = match pool.get().await.map_err(pool_fault) {
        Ok(client) => client,
        Err(error) => return vec![Err(error); appends.len()],
    };
    match at_once(&client, &appends).await.map_err(fault) {
        Ok(appended) => appended.into_iter().map(Ok).collect(),
        Err(error) if error.is_retryable() => vec![Err(error); appends.len()],
        Err(_) => {
            let mut results = Vec::with_capacity(appends.len());
            for append in &appends {
                results.push(alone(&client, append).await.map_err(fault));
            }
            results
        }
    }
}

async fn at_once(client: &Client, appends: &[EventTexts]) -> Result<Vec<Appended>, Error> {
    let logs: Vec<&str> = appends.iter().map(|append| &*append.session).collect();
    let expected: Vec<i64> = appends.iter().map(|append| integer(append.expected)).collect();
    let counts: Vec<i32> = appends.iter().map(|append| append.texts.len() as i32).collect();
    let texts: Vec<&str> = appends.iter().flat_map(|append| &append.texts).map(String::as_str).collect();
    let statement = "SELECT appended, length, kept FROM append_all($1, $2, $3, $4)";
    let rows = all(client, statement, &[&logs, &expected, &counts, &texts]).await?;
    rows.iter().zip(expected).map(|(row, from)| appended(row, from)).collect()
}

/// Appends, and retries if another process appends to the same log at the same time.
async fn alone(client: &Client, append: &EventTexts) -> Result<Appended, Error> {
    let statement = "SELECT appended, length, kept FROM append_events($1, $2, $3)";
    let from = integer(append.expected);
    let row = loop {
        match one(client, statement, &[&append.session, &from, &append.texts]).await {
            // On the next attempt, the other events are there, and the log does not have the expected length.
            Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {}
            result => break result?,
        }
    };
    appended(&row, from)
}

/// The result of an append to a log with the expected length.
fn appended(row: &Row, from: i64) -> Result<Appended, Error> {
    let length: i64 = row.try_get(1)?;
    if length < 0 {
        return Ok(Appended::Erased);
    }
    let found = length.unsigned_abs();
    if row.try_get(0)? {
        return Ok(Appended::Now(found));
    }
    let present: Option<Vec<String>> = row.try_get(2)?;
    Ok(Appended::Not { found, present: present.map(|texts| (from..).zip(texts).collect()) })
}
