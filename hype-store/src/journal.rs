//! Journals: the numbered logs of a study as a whole, as the rows that databases keep. They are chained like the logs of
//! sessions.

use std::marker::PhantomData;

use hype_core::StoreError;
use hype_core::model::action::LoggedAction;
use hype_core::model::ledger::LedgerEntry;
use hype_core::plugin::store::{Log, Logged};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::chain::{self, Chain};
use crate::rows::integer;

/// A log of entries of type `T`, in a table with the columns `number`, [`column`](Self::column) and `chain`.
#[derive(Debug)]
pub(crate) struct Journal<T> {
    /// The table. Its name begins the chain.
    pub(crate) table: &'static str,
    /// The column of the entries' JSON.
    pub(crate) column: &'static str,
    /// The table with its end, if one is kept.
    pub(crate) head: Option<&'static str>,
    entry: PhantomData<fn() -> T>,
}

/// The log of operators' actions.
pub(crate) static ACTIONS: Journal<LoggedAction> =
    Journal { table: "actions", column: "action", head: None, entry: PhantomData };

/// The ledger of what was listed and paid.
pub(crate) static LEDGER: Journal<LedgerEntry> =
    Journal { table: "ledger", column: "entry", head: Some("ledger_head"), entry: PhantomData };

/// An entry as it is stored.
#[derive(Debug)]
pub(crate) struct EntryText {
    pub(crate) number: i64,
    /// Its JSON.
    pub(crate) text: String,
    /// The hash of this entry and all before it.
    pub(crate) chain: i64,
}

/// The end of a log, which is kept in a separate table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    /// The number of entries.
    pub(crate) entries: i64,
    /// The hash of the last one.
    pub(crate) chain: i64,
}

/// The chain after one more entry.
pub(crate) fn link(before: Chain, text: &str) -> Chain {
    before.then(&chain::form(""), text.as_bytes())
}

impl<T> Journal<T> {
    /// The chain of an empty log.
    pub(crate) fn begin(&self) -> Chain {
        Chain::of(self.table)
    }

    /// The statement that selects the entries from a number on.
    pub(crate) fn select_from(&self, number: &str) -> String {
        let Self { table, column, .. } = self;
        format!("SELECT number, {column}, chain FROM {table} WHERE number >= {number} ORDER BY number")
    }
}

/// An entry as it is stored.
pub(crate) fn write<T: Logged + Serialize>(entry: &T) -> Result<String, StoreError> {
    serde_json::to_string(entry).map_err(|error| {
        StoreError::failed(format!("an entry of {} cannot be written: {error}", T::LOG)).caused_by(error)
    })
}

fn damaged(log: Log<'_>, number: u64, reason: &str) -> StoreError {
    StoreError::damaged(format!("entry {number} of {log} {reason}"))
}

impl<T: Logged + DeserializeOwned> Journal<T> {
    /// Parses the entries from a number on and verifies their hashes. The rows begin with the entry before, if there is one, and were
    /// read after the head.
    pub(crate) fn read(
        &self,
        from: u64,
        rows: &[EntryText],
        head: Option<Head>,
    ) -> Result<Vec<T>, StoreError> {
        let all = rows;
        let (mut before, rows) = match (from, rows.split_first()) {
            (0, _) => (self.begin(), rows),
            (_, Some((first, rows))) if first.number == integer(from - 1) => {
                (Chain::from_integer(first.chain), rows)
            }
            _ => return Err(damaged(T::LOG, from - 1, "is missing: restore a copy of the store")),
        };
        let mut entries = Vec::with_capacity(rows.len());
        for (expected, row) in (from..).zip(rows) {
            before = link(before, &row.text);
            if row.number != integer(expected) || before.to_integer() != row.chain {
                return Err(damaged(
                    T::LOG,
                    expected,
                    "does not follow from those before it: it was altered, removed or moved after it was stored. \
                     Restore a copy of the store",
                ));
            }
            let entry = serde_json::from_str(&row.text)
                .map_err(|error| damaged(T::LOG, expected, &format!("cannot be read: {error}")))?;
            entries.push(entry);
        }
        match head {
            Some(head) if !is_reached(head, integer(from) + integer(entries.len() as u64), all) => {
                Err(StoreError::damaged(format!(
                    "{} was cut off: it had {} entries, and the last of them are missing. Restore a copy of the store",
                    T::LOG,
                    head.entries
                )))
            }
            _ => Ok(entries),
        }
    }
}

/// Whether a log of `found` entries has the entry with which it ended before.
fn is_reached(head: Head, found: i64, rows: &[EntryText]) -> bool {
    let last = rows.iter().find(|row| row.number + 1 == head.entries);
    head.entries <= found && last.is_none_or(|last| last.chain == head.chain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries with the hashes that Python's `hashlib` gives: the first 8 bytes of the SHA-256 digest of the hash before, the
    /// first 8 bytes of the digest of nothing, and the text. The first hash is that of the table's name.
    const ACTIONS_BY_HAND: [(&str, i64); 2] = [
        (r#"{"id":"a","by":"operator","unix_ms":7,"action":{"kind":"pause"}}"#, 5_951_785_255_792_644_126),
        (
            r#"{"id":"b","by":"täglich","unix_ms":8,"action":{"kind":"top-up","places":3}}"#,
            1_913_952_086_962_805_865,
        ),
    ];
    const LEDGER_BY_HAND: [(&str, i64); 2] = [
        (
            r#"{"id":"w1-3","unix_ms":1790000000003,"change":{"kind":"planned","payment":{"session":"p000000-000","purpose":"reward"},"rater":"r1","amount":1.0,"fee":0.2}}"#,
            -4_040_477_065_994_665_200,
        ),
        (
            r#"{"id":"w1-4","unix_ms":1790000000004,"change":{"kind":"planned","payment":{"session":"p000000-000","purpose":"bonus"},"rater":"r1","amount":0.5,"fee":0.100001}}"#,
            -3_463_648_697_776_429_966,
        ),
    ];

    fn rows(by_hand: &[(&str, i64)]) -> Vec<EntryText> {
        let row = |(number, &(text, chain)): (i64, &(&str, i64))| EntryText {
            number,
            text: text.to_owned(),
            chain,
        };
        (0..).zip(by_hand).map(row).collect()
    }

    fn check<T: Logged + Serialize + DeserializeOwned>(journal: &Journal<T>, by_hand: &[(&str, i64)]) {
        let entries = journal.read(0, &rows(by_hand), None).unwrap();
        let mut chain = journal.begin();
        for (entry, (text, expected)) in entries.iter().zip(by_hand) {
            assert_eq!(write(entry).unwrap(), *text);
            chain = link(chain, text);
            assert_eq!(chain.to_integer(), *expected, "{text}");
        }
        assert_eq!(entries.len(), by_hand.len());
        assert_eq!(journal.read(1, &rows(by_hand), None).unwrap().len(), 1);
        assert!(journal.read(2, &rows(by_hand)[1..], None).unwrap().is_empty());
    }

    #[test]
    fn chains_match_stored_studies() {
        check(&ACTIONS, &ACTIONS_BY_HAND);
        check(&LEDGER, &LEDGER_BY_HAND);
    }

    #[test]
    fn entries_of_a_newer_program_are_named() {
        let mut rows = rows(&LEDGER_BY_HAND);
        let text = r#"{"id":"x","unix_ms":9,"change":{"kind":"lent"}}"#.to_owned();
        let chain = link(Chain::from_integer(rows[1].chain), &text).to_integer();
        rows.push(EntryText { number: 2, text, chain });
        let error = LEDGER.read(0, &rows, None).unwrap_err().to_string();
        assert!(error.contains("entry 2 of the ledger cannot be read") && error.contains("lent"), "{error}");
    }
}
