//! Calls of a database that may never answer.

use std::time::Duration;

use deadpool_postgres::Pool;
use hype_core::StoreError;
use tokio::time::timeout;

/// The time for a call, with the wait for a connection. The database itself ends statements later, but cannot do so if it
/// hangs, or if the network loses everything.
const CALL: Duration = Duration::from_secs(15);

/// Waits for a call of the database, and gives up when its time is over.
pub(super) async fn timed<T>(pool: &Pool, call: impl Future<Output = T>) -> Result<T, StoreError> {
    timeout(CALL, call).await.map_err(|_| {
        // The connection has been returned to the pool, where the next call would wait for the same statement. Others that
        // are free have the same fate ahead, or are quickly opened again.
        pool.retain(|_, _| false);
        let seconds = CALL.as_secs();
        StoreError::unavailable(format!("the database has not answered for {seconds} seconds"))
    })
}
