//! Balanced allocation without replacement, for tasks that divide units among raters.

use crate::protocol::chance::Streams;

/// A cyclic design: units are arranged in a circle, and each rater is allocated the block that follows the previous
/// rater's.
///
/// # Method
/// The units are put in random order. Each rater takes the next `block` of them, wrapping around at the end. After n /
/// gcd(n, block) raters every unit has been allocated equally often: a round is complete, and the units are put in a
/// new order. At any moment, the numbers of allocations of any two units differ by at most one, and no unit is
/// allocated twice to one rater. An allocation depends only on the rater's turn, not on the number of raters: raters
/// may arrive in any order, and a running study may add raters.
///
/// # Examples
/// ```
/// use hype_core::protocol::draw::CyclicDesign;
///
/// // 10 units in blocks of 4: five raters give each unit two ratings.
/// let design = CyclicDesign::new(10, 4).unwrap();
/// assert_eq!((design.block_size(), design.raters(2)), (4, 5));
/// assert!(CyclicDesign::new(0, 4).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CyclicDesign {
    units: u64,
    block: u64,
}

/// The allocation of a [`CyclicDesign`] to one rater, as positions in the order of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocation {
    design: CyclicDesign,
    turn: u64,
}

impl CyclicDesign {
    /// A design with blocks of `at_most` units, or of all units if there are fewer; `None` if there are no units or
    /// `at_most` is 0.
    #[must_use]
    pub fn new(units: u64, at_most: u32) -> Option<Self> {
        let block = units.min(u64::from(at_most));
        (block > 0).then_some(Self { units, block })
    }

    /// The number of units in a block.
    #[must_use]
    pub fn block_size(self) -> u32 {
        u32::try_from(self.block).unwrap_or(u32::MAX)
    }

    /// The number of raters needed until every unit has been allocated at least `replications` times.
    #[must_use]
    pub fn raters(self, replications: u32) -> u32 {
        let raters = self.units.saturating_mul(u64::from(replications)).div_ceil(self.block);
        u32::try_from(raters).unwrap_or(u32::MAX)
    }

    /// The allocation of the rater with this turn, counted from 0.
    #[must_use]
    pub fn allocation(self, turn: u32) -> Allocation {
        Allocation { design: self, turn: u64::from(turn) }
    }
}

impl Allocation {
    /// The round; each round has its own random order.
    #[must_use]
    pub fn round(self) -> u64 {
        let CyclicDesign { units, block } = self.design;
        self.turn / (units / greatest_common_divisor(units, block))
    }

    /// The position of the nth unit in the round's order. Units beyond the block belong to the raters that follow.
    #[must_use]
    pub fn place(self, nth: u64) -> u64 {
        self.position(nth) % self.design.units
    }

    /// How many times the nth unit was allocated before.
    #[must_use]
    pub fn replication(self, nth: u64) -> u64 {
        self.position(nth) / self.design.units
    }

    fn position(self, nth: u64) -> u64 {
        self.turn.saturating_mul(self.design.block).saturating_add(nth)
    }
}

/// A pool of units in the order of allocation to one rater.
#[derive(Debug, Clone)]
pub struct Allocated<T> {
    order: Vec<T>,
    allocation: Allocation,
}

impl<T: Copy> Allocated<T> {
    /// Allocates `take` units of a pool to the rater with this turn, or all of them if there are fewer; `None` if the
    /// pool is empty or `take` is 0.
    #[must_use]
    pub fn new(pool: &[T], take: u32, turn: u32, chance: &Streams) -> Option<Self> {
        let allocation = CyclicDesign::new(pool.len() as u64, take)?.allocation(turn);
        let mut order = pool.to_vec();
        chance.child("round", allocation.round()).stream("order").shuffle(&mut order);
        Some(Self { order, allocation })
    }

    /// The rater's own units.
    pub fn own(&self) -> impl Iterator<Item = T> {
        let (before, from) = self.order.split_at(self.allocation.place(0) as usize);
        from.iter().chain(before).copied().take(self.allocation.design.block as usize)
    }

    /// The next `count` units after the rater's own, which belong to the raters that follow.
    pub fn beyond(&self, count: u32) -> impl Iterator<Item = T> {
        let own = self.allocation.design.block_size();
        (own..own.saturating_add(count)).map(|nth| self.nth(nth))
    }

    /// How many times each of the rater's own units, and of the next `beyond` units, was allocated before.
    pub fn replications(&self, beyond: u32) -> impl Iterator<Item = u64> {
        let all = self.allocation.design.block_size().saturating_add(beyond);
        (0..all).map(|nth| self.allocation.replication(u64::from(nth)))
    }

    fn nth(&self, nth: u32) -> T {
        self.order[self.allocation.place(u64::from(nth)) as usize]
    }
}

/// The units that are allocated to the rater with this turn, all distinct. A pool smaller than `take` is allocated as a
/// whole.
#[must_use]
pub fn balanced<T: Copy>(pool: &[T], take: usize, turn: u32, chance: &Streams) -> Vec<T> {
    let take = u32::try_from(take).unwrap_or(u32::MAX);
    Allocated::new(pool, take, turn, chance).iter().flat_map(Allocated::own).collect()
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
        fn allocations_are_balanced_and_without_repeats(units in 1_u64..60, at_most in 1_u32..80, raters in 1_u32..80) {
            let design = CyclicDesign::new(units, at_most).unwrap();
            let mut allocated = vec![0_u64; units as usize];
            let mut round = 0;
            for turn in 0..raters {
                let allocation = design.allocation(turn);
                // Rounds begin when every unit has been allocated equally often, so they may have any order.
                if allocation.round() != round {
                    prop_assert!(allocated.iter().all(|&count| count == allocated[0]));
                }
                let places: Vec<u64> =
                    (0..u64::from(design.block_size())).map(|nth| allocation.place(nth)).collect();
                prop_assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), places.len());
                for (nth, &place) in places.iter().enumerate() {
                    prop_assert_eq!(allocation.replication(nth as u64), allocated[place as usize]);
                    allocated[place as usize] += 1;
                }
                let (least, most) = (allocated.iter().min().unwrap(), allocated.iter().max().unwrap());
                prop_assert!(most - least <= 1, "after {turn}: {allocated:?}");
                round = allocation.round();
            }
        }

        #[test]
        fn as_many_raters_as_it_takes_and_no_more(units in 1_u64..500, at_most in 1_u32..80, votes in 1_u32..9) {
            let design = CyclicDesign::new(units, at_most).unwrap();
            let allocated = u64::from(design.raters(votes)) * u64::from(design.block_size());
            prop_assert!(allocated >= units * u64::from(votes));
            prop_assert!(allocated - u64::from(design.block_size()) < units * u64::from(votes));
        }

        #[test]
        fn draws_are_without_replacement_and_balanced(
            size in 1_usize..40, take in 1_usize..40, raters in 1_u32..60, seed: u64,
        ) {
            let pool: Vec<usize> = (0..size).collect();
            let chance = Streams::new(seed);
            let mut drawn = vec![0_u32; size];
            for turn in 0..raters {
                let own = balanced(&pool, take, turn, &chance);
                prop_assert_eq!(own.len(), take.min(size));
                prop_assert_eq!(own.iter().collect::<BTreeSet<_>>().len(), own.len());
                own.iter().for_each(|&unit| drawn[unit] += 1);
                let (least, most) = (drawn.iter().min().unwrap(), drawn.iter().max().unwrap());
                prop_assert!(most - least <= 1, "after {turn}: {drawn:?}");
            }
        }
    }

    #[test]
    fn later_rounds_have_another_order() {
        let pool: Vec<u32> = (0..30).collect();
        let chance = Streams::new(1);
        let blocks: BTreeSet<_> = (0..12)
            .map(|turn| balanced(&pool, 10, turn, &chance).into_iter().collect::<BTreeSet<_>>())
            .collect();
        assert_eq!(blocks.len(), 12);
    }

    #[test]
    fn huge_designs_do_not_overflow() {
        assert_eq!(CyclicDesign::new(0, 5), None);
        assert_eq!(CyclicDesign::new(u64::MAX, 1).map(|design| design.raters(u32::MAX)), Some(u32::MAX));
        let huge = CyclicDesign::new(u64::MAX, u32::MAX);
        assert!(huge.is_some_and(|design| design.allocation(u32::MAX).replication(9) <= 1));
    }
}
