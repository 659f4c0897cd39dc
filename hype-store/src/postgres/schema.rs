//! The tables of a schema.

use deadpool_postgres::Client;
use hype_core::StoreError;

use crate::postgres::fault::fault;
use crate::rows;

/// The version of the tables.
const VERSION: i32 = 6;

/// The end of the ledger, which schemas that 0.1.0 created do not have.
const HEAD: &str = include_str!("head.sql");

/// `HYPE` in ASCII: the lock under which tables are created.
const LOCK: i32 = 0x4859_5045;

/// Creates the tables of a schema in one transaction if there are none. Nothing is written to a schema with other tables.
pub(super) async fn create(client: &mut Client, schema: &str) -> Result<(), StoreError> {
    let transaction = client.transaction().await.map_err(fault)?;
    transaction
        .execute("SELECT pg_advisory_xact_lock($1, hashtext($2))", &[&LOCK, &schema])
        .await
        .map_err(fault)?;
    let row = transaction
        .query_one(
            "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1), \
             EXISTS (SELECT FROM pg_tables WHERE schemaname = $1), \
             EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'hype_version'), \
             EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'ledger_head')",
            &[&schema],
        )
        .await
        .map_err(fault)?;
    let has_head: bool = row.get(3);
    match (row.get(0), row.get(1), row.get(2)) {
        (false, _, _) => {
            // The name was checked and needs no quotes.
            transaction.batch_execute(&format!("CREATE SCHEMA {schema}")).await.map_err(fault)?;
        }
        (true, false, _) => {}
        (true, true, true) => {
            let row = transaction.query_one("SELECT version FROM hype_version", &[]).await.map_err(fault)?;
            let version: i32 = row.get(0);
            if version == VERSION {
                if !has_head {
                    transaction.batch_execute(HEAD).await.map_err(fault)?;
                }
                return transaction.commit().await.map_err(fault);
            }
            let reason = rows::other_version(version.into(), VERSION.into());
            return Err(StoreError::failed(format!("the schema {schema} was {reason}")));
        }
        (true, true, false) => {
            return Err(StoreError::failed(format!(
                "the schema {schema} is not a store of hype: it contains other tables"
            )));
        }
    }
    transaction.batch_execute(include_str!("schema.sql")).await.map_err(fault)?;
    transaction.batch_execute(HEAD).await.map_err(fault)?;
    transaction.commit().await.map_err(fault)
}
