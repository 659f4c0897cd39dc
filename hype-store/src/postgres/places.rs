//! The log of places.

use deadpool_postgres::{Client, Pool};
use hype_core::protocol::places::{PlaceChange, PlaceState};
use hype_core::{Micros, StoreError};
use tokio_postgres::{Error, Row};

use crate::postgres::all;
use crate::postgres::fault::{fault, pool_fault};
use crate::rows::{self as names, integer};

/// A change to append, and the position after which its holder must not have an entry.
pub(super) type Append = (PlaceChange, u64);

/// Appends changes in one statement. Returns the position of each change that is the last one of its place then.
pub(super) async fn together(pool: Pool, changes: Vec<Append>) -> Vec<Result<Option<u64>, StoreError>> {
    match at_once(&pool, &changes).await {
        Ok(appended) => appended.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error); changes.len()],
    }
}

async fn at_once(pool: &Pool, changes: &[Append]) -> Result<Vec<Option<u64>>, StoreError> {
    let client = pool.get().await.map_err(pool_fault)?;
    let column =
        |of: fn(&PlaceChange) -> i64| changes.iter().map(|(change, _)| of(change)).collect::<Vec<_>>();
    let (places, numbers) =
        (column(|change| i64::from(change.place)), column(|change| i64::from(change.number)));
    let holders: Vec<Option<&str>> =
        changes.iter().map(|(change, _)| change.state.holder.as_deref()).collect();
    let (ends, counts) =
        (column(|change| integer(change.state.until.0)), column(|change| i64::from(change.state.holders)));
    let kinds: Vec<&str> = changes.iter().map(|(change, _)| names::name(change.state.occupancy)).collect();
    let spent = column(|change| i64::from(change.state.spent));
    let answered: Vec<bool> = changes.iter().map(|(change, _)| change.state.answered).collect();
    let after: Vec<i64> = changes.iter().map(|(_, after)| integer(*after)).collect();
    let statement = "SELECT change_places($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let rows = all(
        &client,
        statement,
        &[&places, &numbers, &holders, &ends, &counts, &kinds, &after, &spent, &answered],
    )
    .await;
    let position = |row: &Row| Ok(row.try_get::<_, Option<i64>>(0)?.map(i64::unsigned_abs));
    rows.and_then(|rows| rows.iter().map(position).collect()).map_err(fault)
}

/// The rows of the changes after a position.
pub(super) async fn rows(client: &Client, after: u64) -> Result<Vec<Row>, Error> {
    let select = "SELECT position, place, number, holder, until, holders, occupancy, spent, answered \
                  FROM place_changes \
                  WHERE position > $1 ORDER BY position";
    all(client, select, &[&integer(after)]).await
}

/// Parses changes from rows, and returns them with the position of the last one.
pub(super) fn read(rows: &[Row], after: u64) -> Result<(Vec<PlaceChange>, u64), StoreError> {
    let mut last = after;
    let changes = rows.iter().map(|row| {
        last = row.try_get::<_, i64>(0).map_err(fault)?.unsigned_abs();
        change(row)
    });
    Ok((changes.collect::<Result<_, StoreError>>()?, last))
}

fn change(row: &Row) -> Result<PlaceChange, StoreError> {
    let number = |column: usize| -> Result<u32, StoreError> {
        let stored: i64 = row.try_get(column).map_err(fault)?;
        u32::try_from(stored)
            .map_err(|_| StoreError::damaged(format!("a change of a place has the invalid number {stored}")))
    };
    let holder: Option<String> = row.try_get(3).map_err(fault)?;
    let until: i64 = row.try_get(4).map_err(fault)?;
    let occupancy: &str = row.try_get(6).map_err(fault)?;
    let state = PlaceState {
        holder: holder.map(Into::into),
        until: Micros(until.unsigned_abs()),
        holders: number(5)?,
        spent: number(7)?,
        answered: row.try_get(8).map_err(fault)?,
        occupancy: names::occupancy(occupancy)
            .ok_or_else(|| StoreError::damaged(format!("a place has the invalid occupancy {occupancy}")))?,
    };
    Ok(PlaceChange { place: number(1)?, number: number(2)?, state })
}
