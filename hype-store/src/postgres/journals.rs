//! The numbered logs of a study as a whole.

use hype_core::StoreError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_postgres::{Error, Row};

use crate::journal::{EntryText, Journal};
use crate::postgres::fault::fault;
use crate::postgres::{PostgresStore, all, one};
use crate::rows::integer;

impl PostgresStore {
    /// Appends an entry if the log has `number` entries. Returns whether the entry with this number is the given one then.
    pub(super) async fn append_to_journal<T: Serialize + Sync>(
        &self,
        journal: &'static Journal<T>,
        number: u64,
        entry: &T,
    ) -> Result<bool, StoreError> {
        let (table, number, text) = (journal.table, integer(number), journal.write(entry)?);
        let append = self.run(async move |client| {
            let append = "SELECT append_to_journal($1, $2, $3)";
            one(&client, append, &[&table, &number, &text]).await?.try_get::<_, bool>(0)
        });
        append.await
    }

    /// The entries of a log from a number on.
    pub(super) async fn journal<T: DeserializeOwned>(
        &self,
        journal: &'static Journal<T>,
        from: u64,
    ) -> Result<Vec<T>, StoreError> {
        let (select, before) = (journal.select_from("$1"), integer(from.saturating_sub(1)));
        let rows = self.run(async move |client| all(&client, &select, &[&before]).await).await?;
        let rows = rows.iter().map(text).collect::<Result<Vec<_>, Error>>().map_err(fault)?;
        journal.read(from, &rows)
    }
}

fn text(row: &Row) -> Result<EntryText, Error> {
    let chain: Vec<u8> = row.try_get(2)?;
    // A hash of another length is that of no entry.
    let chain = chain.try_into().map_or(0, i64::from_be_bytes);
    Ok(EntryText { number: row.try_get(0)?, text: row.try_get(1)?, chain })
}
