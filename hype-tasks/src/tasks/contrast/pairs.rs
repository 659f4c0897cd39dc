//! Pairs of contenders by number, and the sides that they stand on.

use std::sync::Arc;

use hype_core::Streams;

use crate::shared::side_by_side::{Lineup, Showing};

/// The pairs of so many contenders: (0, 1), (0, 2), …, (1, 2), ….
pub(super) fn pairs(contenders: usize) -> Vec<(usize, usize)> {
    (0..contenders).flat_map(|first| (first + 1..contenders).map(move |second| (first, second))).collect()
}

/// One pair of contenders on one line-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pick {
    pub(super) pair: (usize, usize),
    pub(super) lineup: usize,
    /// Whether the second of the pair stands on the left.
    pub(super) swapped: bool,
}

impl Pick {
    /// The contenders from left to right.
    pub(super) fn left_to_right(self) -> (usize, usize) {
        let (first, second) = self.pair;
        if self.swapped { (second, first) } else { (first, second) }
    }

    /// What raters see of it.
    pub(super) fn showing(self, Lineup { conditions, images }: &Lineup) -> Showing {
        let (left, right) = self.left_to_right();
        Showing::new(Arc::clone(conditions), vec![images[left], images[right]])
    }
}

/// Whether a pair is swapped the nth time that it is shown: once in every two times, by chance in which of them.
pub(super) fn swapped(study_chance: &Streams, pair: usize, nth: u64) -> bool {
    let mut stream = study_chance.child("sides", pair as u64).stream("sides");
    stream.seek(nth / 2);
    (stream.next_u64() ^ nth) & 1 == 1
}
