//! Participants, redeemed links, and the study's secret.

use hype_core::plugin::store::Registered;
use rusqlite::{Connection, OptionalExtension as _, params};

pub(super) fn register(
    connection: &Connection,
    key: &str,
    holder: &str,
    sealed: Option<&[u8]>,
) -> rusqlite::Result<Registered> {
    let inserted = connection
        .prepare_cached("INSERT INTO people (key, holder) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute([key, holder])?;
    if inserted == 0 {
        let mut select = connection.prepare_cached("SELECT holder FROM people WHERE key = ?1")?;
        return Ok(Registered::Before(select.query_row([key], |row| row.get(0))?));
    }
    if let Some(sealed) = sealed {
        connection
            .prepare_cached("INSERT INTO sealed (holder, sealed) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(params![holder, sealed])?;
    }
    Ok(Registered::New)
}

pub(super) fn registered(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    let mut select = connection.prepare_cached("SELECT holder FROM people WHERE key = ?1")?;
    select.query_row([key], |row| row.get(0)).optional()
}

pub(super) fn redeemed(connection: &Connection, link: &str) -> rusqlite::Result<Option<String>> {
    let mut select = connection.prepare_cached("SELECT holder FROM links WHERE link = ?1")?;
    select.query_row([link], |row| row.get(0)).optional()
}

pub(super) fn sealed(connection: &Connection, holder: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut select = connection.prepare_cached("SELECT sealed FROM sealed WHERE holder = ?1")?;
    select.query_row([holder], |row| row.get(0)).optional()
}

pub(super) fn reseal(connection: &Connection, holder: &str, sealed: &[u8]) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached("UPDATE sealed SET sealed = ?2 WHERE holder = ?1")?;
    update.execute(params![holder, sealed]).map(drop)
}

pub(super) fn all_sealed(
    connection: &Connection,
    after: Option<&str>,
    limit: usize,
) -> rusqlite::Result<Vec<(String, Vec<u8>)>> {
    let mut select = connection.prepare_cached(
        "SELECT holder, sealed FROM sealed WHERE ?1 IS NULL OR holder > ?1 ORDER BY holder LIMIT ?2",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    select.query_map(params![after, limit], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

pub(super) fn forget(connection: &Connection, holder: &str) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM people WHERE holder = ?1")?.execute([holder])?;
    connection.prepare_cached("DELETE FROM sealed WHERE holder = ?1")?.execute([holder])?;
    Ok(())
}

pub(super) fn redeem(connection: &Connection, link: &str, holder: &str) -> rusqlite::Result<Registered> {
    let inserted = connection
        .prepare_cached("INSERT INTO links (link, holder) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute([link, holder])?;
    if inserted > 0 {
        return Ok(Registered::New);
    }
    let mut select = connection.prepare_cached("SELECT holder FROM links WHERE link = ?1")?;
    Ok(Registered::Before(select.query_row([link], |row| row.get(0))?))
}

pub(super) fn secret(connection: &Connection, fresh: [u8; 32]) -> rusqlite::Result<[u8; 32]> {
    connection
        .prepare_cached("INSERT INTO secret (only_row, secret) VALUES (0, ?1) ON CONFLICT DO NOTHING")?
        .execute([fresh])?;
    connection.prepare_cached("SELECT secret FROM secret")?.query_row([], |row| row.get(0))
}
