//! The order of estimates.

use std::cmp::Ordering;

use hype_core::{Direction, Estimate};

/// Best first if the measure has a direction, then by name.
pub(super) fn best_first(direction: Direction, a: &Estimate, b: &Estimate) -> Ordering {
    let by_value = match direction {
        Direction::Higher => b.value.total_cmp(&a.value),
        Direction::Lower => a.value.total_cmp(&b.value),
        Direction::Neither => Ordering::Equal,
    };
    by_value.then_with(|| a.model.cmp(&b.model))
}

/// Greatest first, then by name.
pub(super) fn greatest_first(a: &Estimate, b: &Estimate) -> Ordering {
    best_first(Direction::Higher, a, b)
}
