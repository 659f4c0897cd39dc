//! Who holds which place.

use hype_core::Micros;
use hype_core::plugin::store::{Claimed, Standing, Wish};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::texts::integer;

pub(super) fn claim_next(connection: &Connection, wish: &Wish<'_>) -> rusqlite::Result<Option<Claimed>> {
    let until = integer(wish.until.0);
    let own = connection
        .prepare_cached(
            "UPDATE places SET state = 'held', until = max(until, ?2) \
             WHERE place = (SELECT min(place) FROM places WHERE holder = ?1) RETURNING holders - 1, place",
        )?
        .query_row(params![wish.holder, until], |row| {
            Ok(Claimed { attempt: row.get(0)?, place: row.get(1)? })
        })
        .optional()?;
    if own.is_some() {
        return Ok(own);
    }
    connection
        .prepare_cached("UPDATE places SET state = 'free' WHERE state = 'held' AND until <= ?1")?
        .execute([integer(wish.now.0)])?;
    let place = first_free(connection, wish.replacements)?;
    if place >= wish.places {
        return Ok(None);
    }
    let mut take = connection.prepare_cached(
        "INSERT INTO places (place, holder, until, holders, state) VALUES (?1, ?2, ?3, 1, 'held') \
         ON CONFLICT (place) DO UPDATE SET holder = excluded.holder, until = excluded.until, \
         holders = holders + 1, state = 'held' RETURNING holders - 1",
    )?;
    let attempt = take.query_row(params![place, wish.holder, until], |row| row.get(0))?;
    Ok(Some(Claimed { place, attempt }))
}

/// The first place that may be claimed, in a plan without end. Visits one free place for each number of holders
/// that a place can have had, and no more.
fn first_free(connection: &Connection, replacements: u32) -> rusqlite::Result<u32> {
    let mut first: u32 = connection
        .prepare_cached("SELECT coalesce(max(place) + 1, 0) FROM places")?
        .query_row([], |row| row.get(0))?;
    let mut next = connection.prepare_cached(
        "SELECT holders, place FROM places WHERE state = 'free' AND holders >= ?1 ORDER BY holders, place LIMIT 1",
    )?;
    let mut from: u32 = 0;
    while let Some((holders, place)) =
        next.query_row([from], |row| Ok((row.get::<_, u32>(0)?, row.get::<_, u32>(1)?))).optional()?
    {
        if holders > replacements {
            break;
        }
        first = first.min(place);
        from = holders + 1;
    }
    Ok(first)
}

pub(super) fn prolong(
    connection: &Connection,
    place: u32,
    holder: &str,
    until: Micros,
) -> rusqlite::Result<bool> {
    let mut update = connection.prepare_cached(
        "UPDATE places SET state = 'held', until = max(until, ?3) WHERE place = ?1 AND holder = ?2",
    )?;
    Ok(update.execute(params![place, holder, integer(until.0)])? > 0)
}

pub(super) fn release(connection: &Connection, place: u32, holder: &str, done: bool) -> rusqlite::Result<()> {
    let state = if done { "done" } else { "free" };
    connection
        .prepare_cached("UPDATE places SET state = ?3, holder = NULL WHERE place = ?1 AND holder = ?2")?
        .execute(params![place, holder, state])
        .map(drop)
}

pub(super) fn standing(
    connection: &Connection,
    now: Micros,
    replacements: u32,
) -> rusqlite::Result<Standing> {
    let mut count = connection.prepare_cached(
        "SELECT count(*) FILTER (WHERE kind = 'done'), count(*) FILTER (WHERE kind = 'held'), \
         count(*) FILTER (WHERE kind = 'free' AND holders > ?2) \
         FROM (SELECT holders, iif(state = 'held' AND until <= ?1, 'free', state) AS kind FROM places)",
    )?;
    count.query_row(params![integer(now.0), replacements], |row| {
        Ok(Standing { done: row.get(0)?, held: row.get(1)?, given_up: row.get(2)? })
    })
}
