//! Dealing: which units of a study fall to which rater.

use hype_core::Streams;

/// Units that are dealt round the table: each rater takes the next hand, over the deck's end back to its beginning.
///
/// # Method
/// That of [`hype_core::protocol::draw::balanced`], for units that are numbers: after n / gcd(n, hand) raters every unit has
/// been dealt equally often and the deck is put in a new order, so that no unit is dealt more than once more than
/// another at any moment, nor twice to a rater. Which units a rater is dealt depends on the turn alone, not on how
/// many raters there are: a study may ask for more raters while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Deck {
    units: u64,
    hand: u64,
}

/// What one rater is dealt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hand {
    deck: Deck,
    turn: u64,
}

impl Deck {
    /// A deck dealt in hands of so many units, or of all of them if there are fewer; `None` without units.
    pub(crate) fn new(units: u64, at_most: u32) -> Option<Self> {
        let hand = units.min(u64::from(at_most));
        (hand > 0).then_some(Self { units, hand })
    }

    /// How many units a hand has.
    pub(crate) fn hand_size(self) -> u32 {
        u32::try_from(self.hand).unwrap_or(u32::MAX)
    }

    /// How many raters it takes until every unit has been dealt so often.
    pub(crate) fn raters(self, votes: u32) -> u32 {
        let raters = self.units.saturating_mul(u64::from(votes)).div_ceil(self.hand);
        u32::try_from(raters).unwrap_or(u32::MAX)
    }

    /// The hand of the rater whose turn it is.
    pub(crate) fn hand(self, turn: u32) -> Hand {
        Hand { deck: self, turn: u64::from(turn) }
    }
}

impl Hand {
    /// The round: each has an order of its own.
    pub(crate) fn round(self) -> u64 {
        let Deck { units, hand } = self.deck;
        self.turn / (units / greatest_common_divisor(units, hand))
    }

    /// The place in the round's order of the hand's nth unit. Beyond the hand comes what the next raters are dealt.
    pub(crate) fn place(self, nth: u64) -> u64 {
        self.position(nth) % self.deck.units
    }

    /// How often the hand's nth unit was dealt before.
    pub(crate) fn pass(self, nth: u64) -> u64 {
        self.position(nth) / self.deck.units
    }

    fn position(self, nth: u64) -> u64 {
        self.turn.saturating_mul(self.deck.hand).saturating_add(nth)
    }
}

/// A pool in the order in which it is dealt to a rater.
#[derive(Debug, Clone)]
pub(crate) struct Dealt<T> {
    order: Vec<T>,
    hand: Hand,
}

impl<T: Copy> Dealt<T> {
    /// Deals a rater so many of a pool, or all of it if there are fewer; `None` if there is nothing to deal.
    pub(crate) fn new(pool: &[T], take: u32, turn: u32, chance: &Streams) -> Option<Self> {
        let hand = Deck::new(pool.len() as u64, take)?.hand(turn);
        let mut order = pool.to_vec();
        chance.child("round", hand.round()).stream("order").shuffle(&mut order);
        Some(Self { order, hand })
    }

    /// The hand.
    pub(crate) fn own(&self) -> impl Iterator<Item = T> {
        (0..self.hand.deck.hand_size()).map(|nth| self.nth(nth))
    }

    /// So many beyond the hand: those of the next raters.
    pub(crate) fn beyond(&self, count: u32) -> impl Iterator<Item = T> {
        let own = self.hand.deck.hand_size();
        (own..own.saturating_add(count)).map(|nth| self.nth(nth))
    }

    /// How often each of the hand, and of so many beyond it, was dealt before.
    pub(crate) fn passes(&self, beyond: u32) -> impl Iterator<Item = u64> {
        let all = self.hand.deck.hand_size().saturating_add(beyond);
        (0..all).map(|nth| self.hand.pass(u64::from(nth)))
    }

    fn nth(&self, nth: u32) -> T {
        self.order[self.hand.place(u64::from(nth)) as usize]
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn hands_are_balanced_and_without_repeats(units in 1_u64..60, at_most in 1_u32..80, raters in 1_u32..80) {
            let deck = Deck::new(units, at_most).unwrap();
            let mut dealt = vec![0_u64; units as usize];
            let mut before = (0, Vec::new());
            for turn in 0..raters {
                let hand = deck.hand(turn);
                // Rounds begin when every unit has been dealt equally often, so that they may have any order.
                if hand.round() != before.0 {
                    prop_assert!(dealt.iter().all(|&count| count == dealt[0]));
                }
                let places: Vec<u64> = (0..u64::from(deck.hand_size())).map(|nth| hand.place(nth)).collect();
                prop_assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), places.len());
                for (nth, &place) in places.iter().enumerate() {
                    prop_assert_eq!(hand.pass(nth as u64), dealt[place as usize]);
                    dealt[place as usize] += 1;
                }
                let (least, most) = (dealt.iter().min().unwrap(), dealt.iter().max().unwrap());
                prop_assert!(most - least <= 1, "after {turn}: {dealt:?}");
                before = (hand.round(), places);
            }
        }

        #[test]
        fn as_many_raters_as_it_takes_and_no_more(units in 1_u64..500, at_most in 1_u32..80, votes in 1_u32..9) {
            let deck = Deck::new(units, at_most).unwrap();
            let dealt = u64::from(deck.raters(votes)) * u64::from(deck.hand_size());
            prop_assert!(dealt >= units * u64::from(votes));
            prop_assert!(dealt - u64::from(deck.hand_size()) < units * u64::from(votes));
        }
    }

    #[test]
    fn huge_decks_do_not_overflow() {
        assert_eq!(Deck::new(0, 5), None);
        assert_eq!(Deck::new(u64::MAX, 1).map(|deck| deck.raters(u32::MAX)), Some(u32::MAX));
        assert!(Deck::new(u64::MAX, u32::MAX).is_some_and(|deck| deck.hand(u32::MAX).pass(9) <= 1));
    }
}
