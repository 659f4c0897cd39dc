//! Sessions whose answers were erased.

use deadpool_postgres::Client;
use hype_core::StoreError;
use hype_core::plugin::store::{Erasure, Log};

use crate::postgres::fault::fault;
use crate::rows::{self, integer};

/// Replaces logs in one transaction.
pub(super) async fn erase(client: &mut Client, erasures: &[Erasure]) -> Result<(), StoreError> {
    let transaction = client.transaction().await.map_err(fault)?;
    for Erasure { session, expected, remains } in erasures {
        let texts = rows::write(remains)?;
        let row = transaction
            .query_one("SELECT erase_log($1, $2, $3)", &[session, &integer(*expected), &texts])
            .await
            .map_err(fault)?;
        let found = row.try_get::<_, i64>(0).map_err(fault)?.unsigned_abs();
        if found == 0 || found != *expected {
            return Err(Log::Session(session).conflict(*expected, found));
        }
    }
    transaction.commit().await.map_err(fault)
}
