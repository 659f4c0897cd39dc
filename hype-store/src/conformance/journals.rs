//! What the numbered logs of a study as a whole have in common.

use std::fmt::Debug;

/// Checks that entries are appended at the end only, and read from any number on. The log is empty before, and has the entries
/// 0 to 2 afterwards.
pub(super) fn check_order<T: Clone + Debug + PartialEq>(
    append: impl Fn(u64, &T) -> bool,
    read: impl Fn(u64) -> Vec<T>,
    entry: impl Fn(u32) -> T,
) {
    assert_eq!(read(0), []);
    assert!(!append(1, &entry(1)), "an entry is missing before");
    for number in 0..3 {
        assert!(append(u64::from(number), &entry(number)));
    }
    assert!(append(1, &entry(1)), "a repeat");
    assert!(append(2, &entry(2)), "a repeat of the last entry");
    assert!(!append(1, &entry(7)), "the entry is another one");
    assert!(!append(2, &entry(1)), "the entry is another one");
    assert!(!append(9, &entry(7)));
    assert!(!append(u64::MAX, &entry(7)));
    for from in 0..=3_u32 {
        let rest: Vec<T> = (from..3).map(&entry).collect();
        assert_eq!(read(u64::from(from)), rest, "from {from}");
    }
}
