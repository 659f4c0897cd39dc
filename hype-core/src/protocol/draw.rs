//! Balanced draws without replacement, for tasks that share stimuli out among raters.

use crate::model::stimulus::StimulusId;
use crate::protocol::chance::Streams;

/// Draws `take` stimuli for the rater whose turn it is, none of them twice.
///
/// # Method
/// The pool is put in random order and dealt out round the table: each rater takes the next `take` of it, over
/// its end back to its beginning. After n / gcd(n, take) raters every stimulus has been dealt equally often, and
/// the pool is put in a new order. At any moment, no stimulus of the round has been dealt more than once more
/// than another. The draw depends on the turn alone, so raters may come in any order.
///
/// A pool smaller than `take` is returned whole.
#[must_use]
pub fn balanced(pool: &[StimulusId], take: usize, turn: u64, chance: &Streams) -> Vec<StimulusId> {
    let size = pool.len();
    if size == 0 || take == 0 {
        return Vec::new();
    }
    let take = take.min(size);
    let raters_a_round = (size / greatest_common_divisor(size, take)) as u64;
    let mut order = pool.to_vec();
    chance.child("round", turn / raters_a_round).stream("order").shuffle(&mut order);
    let first = ((turn % raters_a_round) as usize * take) % size;
    order.rotate_left(first);
    order.truncate(take);
    order
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn draws_are_without_replacement_and_balanced(
            size in 1_usize..40, take in 1_usize..40, raters in 1_u64..60, seed: u64,
        ) {
            let pool: Vec<_> = (0..size as u32).map(StimulusId).collect();
            let chance = Streams::new(seed);
            let mut dealt = vec![0_u32; size];
            for turn in 0..raters {
                let drawn = balanced(&pool, take, turn, &chance);
                prop_assert_eq!(drawn.len(), take.min(size));
                prop_assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), drawn.len());
                drawn.iter().for_each(|id| dealt[id.0 as usize] += 1);
                let (least, most) = (dealt.iter().min().unwrap(), dealt.iter().max().unwrap());
                prop_assert!(most - least <= 1, "after {turn}: {dealt:?}");
            }
        }
    }

    #[test]
    fn later_rounds_are_dealt_in_another_order() {
        let pool: Vec<_> = (0..30).map(StimulusId).collect();
        let chance = Streams::new(1);
        let hands: BTreeSet<_> = (0..12)
            .map(|turn| balanced(&pool, 10, turn, &chance).into_iter().collect::<BTreeSet<_>>())
            .collect();
        assert_eq!(hands.len(), 12);
    }
}
