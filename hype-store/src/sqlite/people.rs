//! Participants, redeemed links, and the study's secret.

use hype_core::plugin::store::{Holders, Identity, Registered};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::rows::integer;

/// The statements for the identities of one kind.
pub(super) struct Names {
    insert: &'static str,
    select: &'static str,
    has_sealed: bool,
}

/// The statements for an identity, with its name.
pub(super) fn names(identity: Identity<'_>) -> (&'static Names, &str) {
    match identity {
        Identity::Person(key) => {
            let names = &Names {
                insert: "INSERT INTO people (key, holder) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                select: "SELECT holder FROM people WHERE key = ?1",
                has_sealed: true,
            };
            (names, key)
        }
        Identity::Link(link) => {
            let names = &Names {
                insert: "INSERT INTO links (link, holder) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                select: "SELECT holder FROM links WHERE link = ?1",
                has_sealed: false,
            };
            (names, link)
        }
    }
}

impl Names {
    pub(super) fn register(
        &self,
        connection: &Connection,
        name: &str,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> rusqlite::Result<Registered> {
        if connection.prepare_cached(self.insert)?.execute([name, holder])? == 0 {
            let mut select = connection.prepare_cached(self.select)?;
            return Ok(Registered::Before(select.query_row([name], |row| row.get(0))?));
        }
        if let Some(sealed) = sealed.filter(|_| self.has_sealed) {
            let insert = "INSERT INTO sealed (holder, sealed) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            connection.prepare_cached(insert)?.execute(params![holder, sealed])?;
        }
        Ok(Registered::New)
    }

    pub(super) fn holder(&self, connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
        connection.prepare_cached(self.select)?.query_row([name], |row| row.get(0)).optional()
    }
}

pub(super) fn reseal(connection: &Connection, holder: &str, sealed: &[u8]) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached("UPDATE sealed SET sealed = ?2 WHERE holder = ?1")?;
    update.execute(params![holder, sealed]).map(drop)
}

pub(super) fn sealed(
    connection: &Connection,
    holders: Holders<'_>,
) -> rusqlite::Result<Vec<(String, Vec<u8>)>> {
    let (condition, holder, limit) = match holders {
        Holders::One(holder) => ("holder = ?1", Some(holder), 1),
        Holders::After(after, limit) => ("?1 IS NULL OR holder > ?1", after, limit),
    };
    let select = format!("SELECT holder, sealed FROM sealed WHERE {condition} ORDER BY holder LIMIT ?2");
    let parameters = params![holder, integer(limit as u64)];
    let mut select = connection.prepare_cached(&select)?;
    select.query_map(parameters, |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

pub(super) fn forget(connection: &Connection, holder: &str) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM people WHERE holder = ?1")?.execute([holder])?;
    connection.prepare_cached("DELETE FROM sealed WHERE holder = ?1")?.execute([holder])?;
    Ok(())
}

pub(super) fn secret(connection: &Connection, fresh: [u8; 32]) -> rusqlite::Result<[u8; 32]> {
    connection
        .prepare_cached("INSERT INTO secret (only_row, secret) VALUES (0, ?1) ON CONFLICT DO NOTHING")?
        .execute([fresh])?;
    connection.prepare_cached("SELECT secret FROM secret")?.query_row([], |row| row.get(0))
}
