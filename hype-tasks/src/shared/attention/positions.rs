//! Where gold trials and repeats come in a session: spread over it, repeats away from what they repeat.

use hype_core::words::counted;
use hype_core::{Diagnostics, Stream, Streams};

/// Puts gold trials among others: one at a random position in each of equal parts of the session.
pub(crate) fn among<T>(trials: Vec<T>, gold: Vec<T>, chance: &Streams) -> Vec<T> {
    let total = trials.len() + gold.len();
    let mut places = spread(gold.len(), 0, total, &mut chance.stream("gold places")).into_iter().peekable();
    let (mut trials, mut gold) = (trials.into_iter(), gold.into_iter());
    (0..total)
        .filter_map(|place| if places.next_if_eq(&place).is_some() { gold.next() } else { trials.next() })
        .collect()
}

/// One random number of each of `count` equal parts of `from..to`, in ascending order.
fn spread(count: usize, from: usize, to: usize, chance: &mut Stream) -> Vec<usize> {
    let range = to.saturating_sub(from);
    (0..count)
        .map(|part| {
            let (start, end) = (part * range / count, (part + 1) * range / count);
            from + start + chance.below((end - start) as u32) as usize
        })
        .collect()
}

/// A trial of a session, by its position in the order without repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presented {
    /// For the first time.
    First(usize),
    /// Once more.
    Again(usize),
}

/// The order of a session with `count` repeats: one at a random position in each of equal parts of the session, from the
/// first position with `count` trials at least `apart` trials before it. `repeatable` says of each trial whether it may be
/// repeated. `None` if there are too few.
pub(crate) fn with_repeats(
    repeatable: &[bool],
    count: usize,
    apart: usize,
    chance: &Streams,
) -> Option<Vec<Presented>> {
    let once = || (0..repeatable.len()).map(Presented::First).collect();
    let mut left: Vec<usize> = (0..repeatable.len()).filter(|&index| repeatable[index]).collect();
    // The first position with `count` of them before the last `apart` trials.
    let earliest = match count.checked_sub(1) {
        None => return Some(once()),
        Some(last) => left.get(last)? + 1 + apart,
    };
    if earliest > repeatable.len() {
        return None;
    }
    let mut draws = chance.stream("repeats");
    let mut order = Vec::with_capacity(repeatable.len() + count);
    let mut shown = 0;
    for after in spread(count, earliest, repeatable.len() + 1, &mut draws) {
        order.extend((shown..after).map(Presented::First));
        shown = after;
        let far_enough = left.partition_point(|&index| index + apart < after);
        order.push(Presented::Again(left.remove(draws.below(far_enough as u32) as usize)));
    }
    order.extend((shown..repeatable.len()).map(Presented::First));
    Some(order)
}

/// Reports at `repeats` if sessions with so many trials that may be repeated have no room for the repeats. `what` is one of
/// these trials, in words.
pub(crate) fn check_room(in_session: u64, what: &str, count: u32, apart: u32, at: &mut Diagnostics) {
    let needed = u64::from(count) + u64::from(apart);
    if in_session < needed {
        at.field("repeats")
            .error(
                "too-few-images",
                format!(
                    "{}, {} apart, need sessions of {}, but they have {in_session}",
                    counted(count, "repeat"),
                    counted(apart, what),
                    counted(needed, what)
                ),
            )
            .help(format!("repeat fewer {what}s, or reduce the distance between them"));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn gold_is_spread_and_repeats_keep_their_distance(
            trials in 1_usize..60, gold in 0_usize..12, count in 0_usize..12, apart in 1_usize..9, seed: u64,
        ) {
            let chance = Streams::new(seed);
            let order = among(vec![true; trials], vec![false; gold], &chance);
            prop_assert_eq!(order.len(), trials + gold);
            prop_assert_eq!(order.iter().filter(|&&one| one).count(), trials);
            for (part, window) in (0..gold).map(|part| (part, order.len())) {
                let (start, end) = (part * window / gold, (part + 1) * window / gold);
                prop_assert_eq!(order[start..end].iter().filter(|&&one| !one).count(), 1);
            }
            let Some(presented) = with_repeats(&order, count, apart, &chance) else {
                prop_assert!(trials < count + apart);
                return Ok(());
            };
            let firsts: Vec<usize> = presented
                .iter()
                .filter_map(|one| if let Presented::First(index) = one { Some(*index) } else { None })
                .collect();
            prop_assert_eq!(firsts, (0..order.len()).collect::<Vec<_>>());
            let mut repeated = Vec::new();
            for (place, one) in presented.iter().enumerate() {
                let Presented::Again(index) = *one else { continue };
                prop_assert!(order[index] && !repeated.contains(&index));
                repeated.push(index);
                let first = presented.iter().position(|one| *one == Presented::First(index)).unwrap();
                prop_assert!(place > first + apart, "{} after {}", place, first);
            }
            prop_assert_eq!(repeated.len(), count);
        }
    }
}
