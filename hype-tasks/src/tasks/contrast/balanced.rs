//! The balanced choice: every pair of models, or every pair with one of them, on every item equally often.

use hype_core::{Inputs, Streams};

use super::pairs::{Comparison, swapped};
use crate::shared::side_by_side::{Layout, MatchedSets};
use hype_core::protocol::draw::{Allocation, CyclicDesign};

/// The order in which the comparisons of a study are allocated to raters.
///
/// # Method
/// In a round's order the nth unit is item n mod N with pair (n mod N + n / N) mod P, items and pairs in random order.
/// So any N consecutive units have different items, any P of them different pairs except where a row of items ends,
/// and after N · P units every item has occurred with every pair once.
struct Round {
    allocation: Allocation,
    pair_order: Vec<usize>,
    item_order: Vec<usize>,
}

impl Round {
    fn new(pairs: usize, matched_sets: usize, cyclic: CyclicDesign, inputs: &Inputs<'_>) -> Self {
        let allocation = cyclic.allocation(inputs.place.turn);
        let round = inputs.study_chance.child("round", allocation.round());
        let mut pair_order: Vec<usize> = (0..pairs).collect();
        round.stream("pairs").shuffle(&mut pair_order);
        let mut item_order: Vec<usize> = (0..matched_sets).collect();
        round.stream("items").shuffle(&mut item_order);
        Self { allocation, pair_order, item_order }
    }

    /// Matched set and pair of the nth unit of an allocation.
    fn nth(&self, nth: u64) -> (usize, usize) {
        let place = self.allocation.place(nth) as usize;
        let (row, column) = (place / self.item_order.len(), place % self.item_order.len());
        (self.item_order[column], self.pair_order[(row + column) % self.pair_order.len()])
    }
}

/// The numbers of the comparisons allocated to a rater, of so many pairs on each of the matched sets.
pub(super) fn units(
    pairs: usize,
    matched_sets: usize,
    cyclic: CyclicDesign,
    inputs: &Inputs<'_>,
) -> Vec<u64> {
    let round = Round::new(pairs, matched_sets, cyclic, inputs);
    let number = |(matched_set, pair): (usize, usize)| (matched_set * pairs + pair) as u64;
    (0..u64::from(cyclic.block_size())).map(|nth| number(round.nth(nth))).collect()
}

/// A rater's comparisons: practice with those of the next raters, then the rater's own allocation.
pub(super) fn draw(
    pairs: &[(usize, usize)],
    matched_sets: &MatchedSets<'_>,
    cyclic: CyclicDesign,
    practice: u32,
    inputs: &Inputs<'_>,
    chance: &Streams,
) -> Vec<Layout> {
    let study_chance = inputs.study_chance;
    let round = Round::new(pairs.len(), matched_sets.len(), cyclic, inputs);
    // Each pair has one order on half of the items and the other order on the rest, alternating.
    let mut ranks: Vec<u64> = (0..matched_sets.len() as u64).collect();
    study_chance.stream("ranks of items").shuffle(&mut ranks);
    let comparison = |nth: u64| {
        let (matched_set, pair) = round.nth(nth);
        let replication = round.allocation.replication(nth);
        let turned = replication / 2 * 2 + ((replication + ranks[matched_set]) & 1);
        Comparison { pair: pairs[pair], matched_set, swapped: swapped(study_chance, pair, turned) }
    };
    let own = u64::from(cyclic.block_size());
    let mut judged: Vec<Comparison> = (0..own).map(comparison).collect();
    chance.stream("order").shuffle(&mut judged);
    let practice = (own..own + u64::from(practice)).map(comparison);
    practice
        .chain(judged)
        .map(|comparison| comparison.layout(&matched_sets.get(comparison.matched_set)))
        .collect()
}
