//! Common behaviour of the numbered logs of a study as a whole.

use std::fmt::Debug;

use hype_core::plugin::store::Logged;
use hype_core::{Store, StoreError, StoreExt as _};

use crate::conformance::{now, sound};

/// Appends an entry at a number. Returns whether the entry with this number is the given one then.
pub(super) fn append<T: Logged>(store: &dyn Store, number: u64, entry: &T) -> bool {
    match now(store.append(entry.to_append(), number)) {
        Ok(position) => {
            assert_eq!(position, number + 1, "the position after the entry");
            true
        }
        Err(StoreError::Conflict { .. }) => false,
        Err(error) => panic!("the store failed: {error}"),
    }
}

/// The entries from a number on.
pub(super) fn read<T: Logged>(store: &dyn Store, from: u64) -> Vec<T> {
    let (entries, end) = sound(store.entries(from));
    assert_eq!(end, from + entries.len() as u64, "the position for the next call");
    entries
}

/// Checks that entries are appended at the end only, and read from any number on. The log is empty before, and has the entries
/// 0 to 2 afterwards.
pub(super) fn check_order<T: Logged + Debug + PartialEq>(store: &dyn Store, entry: impl Fn(u32) -> T) {
    let append = |number, entry: T| append(store, number, &entry);
    assert_eq!(read::<T>(store, 0), []);
    assert!(!append(1, entry(1)), "an entry is missing before");
    for number in 0..3 {
        assert!(append(u64::from(number), entry(number)));
    }
    assert!(append(1, entry(1)), "a repeat");
    assert!(append(2, entry(2)), "a repeat of the last entry");
    assert!(!append(1, entry(7)), "the entry is another one");
    assert!(!append(2, entry(1)), "the entry is another one");
    assert!(!append(9, entry(7)));
    assert!(!append(u64::MAX, entry(7)));
    for from in 0..=3_u32 {
        let rest: Vec<T> = (from..3).map(&entry).collect();
        assert_eq!(read::<T>(store, u64::from(from)), rest, "from {from}");
    }
}
