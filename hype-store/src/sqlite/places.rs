//! The log of places.

use hype_core::plugin::store::Log;
use hype_core::protocol::places::{Occupancy, PlaceChange, PlaceState};
use hype_core::{Micros, StoreError};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::rows::{self, integer};
use crate::sqlite::fault;

/// Appends a change if its number matches the number of earlier changes and its holder is in no entry after a position.
/// Returns the position of the change, which is then the last one of its place.
pub(super) fn change(
    connection: &Connection,
    change: &PlaceChange,
    expected: u64,
) -> Result<u64, StoreError> {
    match append(connection, change, expected).map_err(fault)? {
        Some(position) => Ok(position),
        None => {
            let last = "SELECT coalesce(max(position), 0) FROM place_changes";
            let found: i64 = connection.query_row(last, [], |row| row.get(0)).map_err(fault)?;
            Err(Log::Places.conflict(expected, found.unsigned_abs()))
        }
    }
}

fn append(connection: &Connection, change: &PlaceChange, expected: u64) -> rusqlite::Result<Option<u64>> {
    let PlaceChange { place, number, state } = change;
    let inserted = connection
        .prepare_cached(
            "INSERT INTO place_changes (place, number, holder, until, holders, occupancy, spent, answered) \
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?8, ?9 WHERE ?2 = \
             (SELECT coalesce(max(number) + 1, 0) FROM place_changes WHERE place = ?1) AND NOT EXISTS \
             (SELECT 1 FROM place_changes WHERE position > ?7 AND holder = ?3)",
        )?
        .execute(params![
            place,
            number,
            state.holder.as_deref(),
            integer(state.until.0),
            state.holders,
            rows::name(state.occupancy),
            integer(expected),
            state.spent,
            state.answered
        ])?;
    if inserted > 0 {
        return Ok(Some(connection.last_insert_rowid().unsigned_abs()));
    }
    let mut select = connection.prepare_cached(
        "SELECT position, place, number, holder, until, holders, occupancy, spent, answered \
         FROM place_changes \
         WHERE place = ?1 ORDER BY number DESC LIMIT 1",
    )?;
    let last = select.query_row([place], read).optional()?;
    Ok(last.filter(|(_, found)| found == change).map(|(position, _)| position))
}

/// The changes after a position, with the position of the last one.
pub(super) fn changes(connection: &Connection, after: u64) -> rusqlite::Result<(Vec<PlaceChange>, u64)> {
    let mut select = connection.prepare_cached(
        "SELECT position, place, number, holder, until, holders, occupancy, spent, answered \
         FROM place_changes \
         WHERE position > ?1 ORDER BY position",
    )?;
    let mut last = after;
    let changes = select.query_map([integer(after)], read)?.map(|row| {
        let (position, change) = row?;
        last = position;
        Ok(change)
    });
    Ok((changes.collect::<rusqlite::Result<_>>()?, last))
}

fn read(row: &Row<'_>) -> rusqlite::Result<(u64, PlaceChange)> {
    let occupancy: String = row.get(6)?;
    let state = PlaceState {
        holder: row.get::<_, Option<String>>(3)?.map(Into::into),
        until: Micros(row.get::<_, i64>(4)?.unsigned_abs()),
        holders: row.get(5)?,
        spent: row.get(7)?,
        answered: row.get(8)?,
        occupancy: rows::occupancy(&occupancy).unwrap_or(Occupancy::Free),
    };
    let position: i64 = row.get(0)?;
    Ok((position.unsigned_abs(), PlaceChange { place: row.get(1)?, number: row.get(2)?, state }))
}
