//! Ranks: dense ranks from raters, and mid-ranks for scores.

use hype_stats::nonparametric::ranks;

use crate::shared::side_by_side::label;

/// The key of the answer.
pub(super) const RANKING: &str = "ranking";

/// The rank of each image from left to right; `None` if one is missing.
pub(super) fn by_place(images: usize, rank_of: impl Fn(&str) -> Option<u32>) -> Option<Vec<u32>> {
    (0..images).map(|place| rank_of(&label(place))).collect()
}

/// Whether the ranks are those from 1 up to some number, each at least once.
pub(super) fn are_dense(ranks: &[u32]) -> bool {
    let highest = ranks.iter().copied().max().unwrap_or(0);
    highest as usize <= ranks.len() && (1..=highest).all(|rank| ranks.contains(&rank)) && !ranks.contains(&0)
}

/// The place of the image that alone has the first rank.
pub(super) fn winner(ranks: &[u32]) -> Option<usize> {
    let mut first = ranks.iter().enumerate().filter(|(_, rank)| **rank == 1).map(|(place, _)| place);
    first.next().filter(|_| first.next().is_none())
}

/// Whether two images share a rank.
pub(super) fn have_ties(ranks: &[u32]) -> bool {
    ranks.iter().enumerate().any(|(place, rank)| ranks[..place].contains(rank))
}

/// The mean of the positions of all images with the same rank: tied 1 and 2 have 1.5 each.
pub(super) fn mid_ranks(given: &[u32]) -> Vec<f64> {
    let values: Vec<f64> = given.iter().copied().map(f64::from).collect();
    // The only possible fault is a number that is not finite, and ranks are whole numbers.
    ranks(&values).map_or_else(|_| Vec::new(), |found| found.ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_dense_or_not() {
        for (ranks, dense, ties) in [
            (vec![1, 2, 3], true, false),
            (vec![2, 1, 1], true, true),
            (vec![1, 1, 1], true, true),
            (vec![1, 3, 3], false, true),
            (vec![0, 1, 2], false, false),
            (vec![1, 2, u32::MAX], false, false),
        ] {
            assert_eq!((are_dense(&ranks), have_ties(&ranks)), (dense, ties), "{ranks:?}");
        }
        assert_eq!((winner(&[2, 1, 3]), winner(&[1, 1, 2]), winner(&[])), (Some(1), None, None));
    }

    #[test]
    fn tied_images_share_the_places_that_they_take() {
        assert_eq!(mid_ranks(&[1, 2, 3]), [1.0, 2.0, 3.0]);
        assert_eq!(mid_ranks(&[2, 1, 1]), [3.0, 1.5, 1.5]);
        assert_eq!(mid_ranks(&[1, 2, 2, 2, 3]), [1.0, 3.0, 3.0, 3.0, 5.0]);
    }
}
