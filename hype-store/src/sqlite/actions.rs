//! The log of operators' actions.

use hype_core::StoreError;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::actions::{self, ActionText};
use crate::chain::Chain;
use crate::rows::integer;
use crate::sqlite::fault;

/// Appends the text of an action if the log has `number` entries. Returns whether the entry with this number has the text
/// then.
pub(super) fn append(connection: &Connection, number: u64, text: &str) -> rusqlite::Result<bool> {
    let select = "SELECT number, chain FROM actions ORDER BY number DESC LIMIT 1";
    let last = connection.prepare_cached(select)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)));
    let last: Option<(i64, i64)> = last.optional()?;
    if last.map_or(0, |(last, _)| last.unsigned_abs() + 1) == number {
        let before = last.map_or_else(actions::begin, |(_, chain)| Chain::from_integer(chain));
        connection
            .prepare_cached("INSERT INTO actions (number, action, chain) VALUES (?1, ?2, ?3)")?
            .execute(params![integer(number), text, actions::link(before, text).to_integer()])?;
        return Ok(true);
    }
    let mut select = connection.prepare_cached("SELECT action FROM actions WHERE number = ?1")?;
    let found: Option<String> = select.query_row([integer(number)], |row| row.get(0)).optional()?;
    Ok(found.as_deref() == Some(text))
}

/// The entries from a number on, and the one before.
pub(super) fn texts(connection: &Connection, from: u64) -> Result<Vec<ActionText>, StoreError> {
    let select = "SELECT number, action, chain FROM actions WHERE number >= ?1 ORDER BY number";
    let mut select = connection.prepare_cached(select).map_err(fault)?;
    let rows = select.query_map([integer(from.saturating_sub(1))], |row| {
        Ok(ActionText { number: row.get(0)?, text: row.get(1)?, chain: row.get(2)? })
    });
    rows.and_then(Iterator::collect).map_err(fault)
}
