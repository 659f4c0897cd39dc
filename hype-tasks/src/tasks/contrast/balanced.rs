//! The balanced choice: every pair of models on every item equally often.

use hype_core::{Inputs, Streams};

use super::pairs::{Pick, pairs, swapped};
use crate::shared::side_by_side::{Deck, Hand, Lineups, Showing, Size};

/// How the comparisons of a study lie when it is a rater's turn.
///
/// # Method
/// In a round's order the nth unit is item n mod N with pair (n mod N + n / N) mod P, items and pairs in random order.
/// So any N units that follow each other have different items, any P of them different pairs but where a row of items
/// ends, and after N · P every item has been with every pair once.
struct Round {
    hand: Hand,
    pair_order: Vec<usize>,
    item_order: Vec<usize>,
}

impl Round {
    fn new(contenders: usize, lineups: usize, deck: Deck, inputs: &Inputs<'_>) -> Self {
        let hand = deck.hand(inputs.place.turn);
        let round = inputs.study_chance.child("round", hand.round());
        let mut pair_order: Vec<usize> = (0..pairs(contenders).len()).collect();
        round.stream("pairs").shuffle(&mut pair_order);
        let mut item_order: Vec<usize> = (0..lineups).collect();
        round.stream("items").shuffle(&mut item_order);
        Self { hand, pair_order, item_order }
    }

    /// Line-up and pair of the hand's nth unit.
    fn nth(&self, nth: u64) -> (usize, usize) {
        let place = self.hand.place(nth) as usize;
        let (row, column) = (place / self.item_order.len(), place % self.item_order.len());
        (self.item_order[column], self.pair_order[(row + column) % self.pair_order.len()])
    }
}

/// The comparisons that are a rater's own, as numbers.
pub(super) fn units(size: Size, deck: Deck, inputs: &Inputs<'_>) -> Vec<u64> {
    let round = Round::new(size.contenders, size.lineups, deck, inputs);
    let number = |(lineup, pair): (usize, usize)| (lineup * size.pairs() + pair) as u64;
    (0..u64::from(deck.hand_size())).map(|nth| number(round.nth(nth))).collect()
}

/// What a rater compares: the practice, which is what the next raters judge, and then the rater's own hand.
pub(super) fn draw(
    lineups: &Lineups<'_>,
    deck: Deck,
    practice: u32,
    inputs: &Inputs<'_>,
    chance: &Streams,
) -> Vec<Showing> {
    let study_chance = inputs.study_chance;
    let pairs = pairs(lineups.contenders().len());
    let round = Round::new(lineups.contenders().len(), lineups.len(), deck, inputs);
    // Each pair stands one way round on half of the items and the other way on the rest, and both in turn.
    let mut ranks: Vec<u64> = (0..lineups.len() as u64).collect();
    study_chance.stream("ranks of items").shuffle(&mut ranks);
    let pick = |nth: u64| {
        let (lineup, pair) = round.nth(nth);
        let pass = round.hand.pass(nth);
        let turned = pass / 2 * 2 + ((pass + ranks[lineup]) & 1);
        Pick { pair: pairs[pair], lineup, swapped: swapped(study_chance, pair, turned) }
    };
    let own = u64::from(deck.hand_size());
    let mut judged: Vec<Pick> = (0..own).map(pick).collect();
    chance.stream("order").shuffle(&mut judged);
    let practice = (own..own + u64::from(practice)).map(pick);
    practice.chain(judged).map(|pick| pick.showing(&lineups.get(pick.lineup))).collect()
}
