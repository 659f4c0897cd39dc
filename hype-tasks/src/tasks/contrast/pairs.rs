//! Pairs of contenders by number, and their sides.

use std::sync::Arc;

use hype_core::Streams;

use crate::shared::side_by_side::{Layout, MatchedSet};

/// The pairs of a number of contenders: (0, 1), (0, 2), …, (1, 2), ….
pub(super) fn pairs(contenders: usize) -> Vec<(usize, usize)> {
    (0..contenders).flat_map(|first| (first + 1..contenders).map(move |second| (first, second))).collect()
}

/// The pairs of one contender with each other one, in the order of the others.
pub(super) fn pairs_with(one: usize, contenders: usize) -> Vec<(usize, usize)> {
    (0..contenders).filter(|&other| other != one).map(|other| (one, other)).collect()
}

/// One pair of contenders on one matched set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) pair: (usize, usize),
    pub(super) matched_set: usize,
    /// Whether the second of the pair is on the left.
    pub(super) swapped: bool,
}

impl Comparison {
    /// The contenders from left to right.
    pub(super) fn left_to_right(self) -> (usize, usize) {
        let (first, second) = self.pair;
        if self.swapped { (second, first) } else { (first, second) }
    }

    /// The layout for raters.
    pub(super) fn layout(self, MatchedSet { conditions, images }: &MatchedSet) -> Layout {
        let (left, right) = self.left_to_right();
        Layout::new(Arc::clone(conditions), vec![images[left], images[right]])
    }
}

/// Whether a pair is swapped the nth time that it is shown: in a random one of every two times.
pub(super) fn swapped(study_chance: &Streams, pair: usize, nth: u64) -> bool {
    let mut stream = study_chance.child("sides", pair as u64).stream("sides");
    stream.seek(nth / 2);
    (stream.next_u64() ^ nth) & 1 == 1
}
