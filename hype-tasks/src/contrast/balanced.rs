//! The balanced choice: every pair of models on every item equally often.

use hype_core::{Inputs, Streams};

use super::pairs::{Pick, pairs, swapped};
use crate::side_by_side::{Deck, Lineups, Showing};

/// What a rater compares: the practice, which is what the next raters judge, and then the rater's own hand.
///
/// # Method
/// In a round's order the nth unit is item n mod N with pair (n mod N + n / N) mod P, items and pairs in random order.
/// So any N units that follow each other have different items, any P of them different pairs but where a row of items
/// ends, and after N · P every item has been with every pair once.
pub(super) fn draw(
    lineups: &Lineups<'_>,
    deck: Deck,
    practice: u32,
    inputs: &Inputs<'_>,
    chance: &Streams,
) -> Vec<Showing> {
    let study_chance = inputs.study_chance;
    let hand = deck.hand(inputs.place.turn);
    let round = study_chance.child("round", hand.round());
    let pairs = pairs(lineups.contenders().len());
    let mut pair_order: Vec<usize> = (0..pairs.len()).collect();
    round.stream("pairs").shuffle(&mut pair_order);
    let mut item_order: Vec<usize> = (0..lineups.len()).collect();
    round.stream("items").shuffle(&mut item_order);
    // Each pair stands one way round on half of the items and the other way on the rest, and both in turn.
    let mut ranks: Vec<u64> = (0..lineups.len() as u64).collect();
    study_chance.stream("ranks of items").shuffle(&mut ranks);
    let pick = |nth: u64| {
        let (row, column) =
            (hand.place(nth) as usize / lineups.len(), hand.place(nth) as usize % lineups.len());
        let (lineup, pair) = (item_order[column], pair_order[(row + column) % pairs.len()]);
        let pass = hand.pass(nth);
        let turned = pass / 2 * 2 + ((pass + ranks[lineup]) & 1);
        Pick { pair: pairs[pair], lineup, swapped: swapped(study_chance, pair, turned) }
    };
    let own = u64::from(deck.hand_size());
    let mut judged: Vec<Pick> = (0..own).map(pick).collect();
    chance.stream("order").shuffle(&mut judged);
    let practice = (own..own + u64::from(practice)).map(pick);
    practice.chain(judged).map(|pick| pick.showing(&lineups.get(pick.lineup))).collect()
}
