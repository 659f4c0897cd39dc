//! The log of operators' actions as the rows that databases keep: chained like the logs of sessions.

use hype_core::StoreError;
use hype_core::model::action::LoggedAction;

use crate::chain::{self, Chain};
use crate::rows::integer;

/// The name that begins the chain.
const LOG: &str = "actions";

/// An entry of the log.
#[derive(Debug)]
pub(crate) struct ActionText {
    pub(crate) number: i64,
    /// Its JSON.
    pub(crate) text: String,
    /// The hash of this entry and all before it.
    pub(crate) chain: i64,
}

/// The chain of an empty log.
pub(crate) fn begin() -> Chain {
    Chain::of(LOG)
}

/// The chain after one more entry.
pub(crate) fn link(before: Chain, text: &str) -> Chain {
    before.then(&chain::form(""), text.as_bytes())
}

pub(crate) fn write(action: &LoggedAction) -> Result<String, StoreError> {
    serde_json::to_string(action)
        .map_err(|error| StoreError::Failed(format!("an operator's action cannot be written: {error}")))
}

/// Parses the entries from a number on and verifies their hashes. The rows begin with the entry before, if there is one.
pub(crate) fn read(from: u64, rows: &[ActionText]) -> Result<Vec<LoggedAction>, StoreError> {
    let damaged = |number: u64, reason: &str| {
        StoreError::Damaged(format!("entry {number} of the log of operators' actions {reason}"))
    };
    let (mut before, rows) = match (from, rows.split_first()) {
        (0, _) => (begin(), rows),
        (_, Some((first, rows))) if first.number == integer(from - 1) => {
            (Chain::from_integer(first.chain), rows)
        }
        _ => return Err(damaged(from - 1, "is missing: restore a copy of the store")),
    };
    let mut actions = Vec::with_capacity(rows.len());
    for (expected, row) in (from..).zip(rows) {
        before = link(before, &row.text);
        if row.number != integer(expected) || before.to_integer() != row.chain {
            return Err(damaged(
                expected,
                "does not follow from those before it: it was altered, removed or moved after it was stored. Restore \
                 a copy of the store",
            ));
        }
        let action = serde_json::from_str(&row.text)
            .map_err(|error| damaged(expected, &format!("cannot be read: {error}")))?;
        actions.push(action);
    }
    Ok(actions)
}
