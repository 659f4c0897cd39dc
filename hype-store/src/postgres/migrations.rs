//! Migration of a schema to the current version.

use deadpool_postgres::Client;
use hype_core::StoreError;

use crate::postgres::fault::fault;

/// The statements that lead from each version to the next, beginning with an empty schema.
const MIGRATIONS: [&str; 6] = [
    include_str!("v1.sql"),
    include_str!("v2.sql"),
    include_str!("v3.sql"),
    include_str!("v4.sql"),
    include_str!("v5.sql"),
    include_str!("v6.sql"),
];

/// `HYPE` in ASCII: the lock that serializes migrations.
const LOCK: i32 = 0x4859_5045;

/// Creates or migrates the tables of a schema in one transaction. Nothing is written to a schema with other tables.
pub(super) async fn migrate(client: &mut Client, schema: &str) -> Result<(), StoreError> {
    let transaction = client.transaction().await.map_err(fault)?;
    transaction
        .execute("SELECT pg_advisory_xact_lock($1, hashtext($2))", &[&LOCK, &schema])
        .await
        .map_err(fault)?;
    let row = transaction
        .query_one(
            "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1), \
             EXISTS (SELECT FROM pg_tables WHERE schemaname = $1), \
             EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'hype_version')",
            &[&schema],
        )
        .await
        .map_err(fault)?;
    let version = match (row.get(0), row.get(1), row.get(2)) {
        (false, _, _) => {
            // The name was checked and needs no quotes.
            transaction.batch_execute(&format!("CREATE SCHEMA {schema}")).await.map_err(fault)?;
            0
        }
        (true, false, _) => 0,
        (true, true, true) => {
            let row = transaction.query_one("SELECT version FROM hype_version", &[]).await.map_err(fault)?;
            let version: i32 = row.get(0);
            usize::try_from(version).unwrap_or(0)
        }
        (true, true, false) => {
            return Err(StoreError::Failed(format!(
                "the schema {schema} is not a store of hype: it contains other tables"
            )));
        }
    };
    if version > MIGRATIONS.len() {
        return Err(StoreError::Failed(format!(
            "the schema {schema} was written by a newer hype: its tables have version {version}, and this program \
             knows those up to {}",
            MIGRATIONS.len()
        )));
    }
    if version == MIGRATIONS.len() {
        return Ok(());
    }
    if version == 0 {
        let table =
            "CREATE TABLE hype_version (version integer NOT NULL); INSERT INTO hype_version VALUES (0)";
        transaction.batch_execute(table).await.map_err(fault)?;
    }
    for migration in &MIGRATIONS[version..] {
        transaction.batch_execute(migration).await.map_err(fault)?;
    }
    let update = "UPDATE hype_version SET version = $1";
    transaction.execute(update, &[&(MIGRATIONS.len() as i32)]).await.map_err(fault)?;
    transaction.commit().await.map_err(fault)
}
