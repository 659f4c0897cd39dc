//! What a ranking is, and sets of rankings.

use super::connection::{Connection, Graph};
use crate::StatError;
use crate::nonparametric::{Ranks, rank_finite};

/// Ranks that a rater gave to items, 1 for the best, in a normal form.
///
/// # Examples
///
/// ```
/// use hype_stats::preference::RankOrder;
/// let ranking = RankOrder::new(&[1.0, 2.0, 2.0, 5.0])?;
/// assert_eq!(ranking.mid_ranks(), [1.0, 2.5, 2.5, 4.0]);
/// assert!(ranking.has_ties());
/// assert!(RankOrder::new(&[0.0, 1.0, 2.0]).is_err());
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RankOrder {
    ranks: Ranks,
}

impl RankOrder {
    /// Decides whether the numbers are a ranking, and ranks the items by them.
    ///
    /// They are a ranking if each is a whole number from 1 up, and there are at least two. Items may
    /// tie, and numbers may be skipped, after ties (1, 2, 2, 4) or anywhere (1, 2, 5, 3): only their
    /// order counts.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for fewer than two items, [`StatError::NotFinite`] for NaN or infinity,
    /// and [`StatError::Parameter`] with the first number that is not a rank.
    pub fn new(ranks: &[f64]) -> Result<Self, StatError> {
        const NAME: &str = "ranking";
        if ranks.len() < 2 {
            return Err(StatError::TooFew { statistic: NAME, needed: 2, of: "items", got: ranks.len() });
        }
        for (index, &got) in ranks.iter().enumerate() {
            if !got.is_finite() {
                return Err(StatError::NotFinite { statistic: NAME, index, got });
            }
            if got < 1.0 || got.fract() != 0.0 {
                return Err(StatError::Parameter {
                    parameter: "rank",
                    expected: "a whole number, 1 for the best",
                    got,
                });
            }
        }
        Ok(Self { ranks: rank_finite(ranks) })
    }

    /// Ranks from 1 without gaps; tied items share the mean of their ranks.
    #[must_use]
    pub fn mid_ranks(&self) -> &[f64] {
        &self.ranks.ranks
    }

    /// Whether any items tie.
    #[must_use]
    pub fn has_ties(&self) -> bool {
        self.ranks.tie_sum > 0.0
    }

    /// Positions of the items, the best first.
    ///
    /// # Errors
    ///
    /// [`StatError::Degenerate`] if items tie, which no order expresses.
    pub fn best_first(&self) -> Result<Vec<u32>, StatError> {
        if self.has_ties() {
            return Err(StatError::Degenerate { statistic: "order of a ranking", reason: "items tie" });
        }
        let mut order: Vec<u32> = (0..self.ranks.ranks.len() as u32).collect();
        order.sort_by(|&left, &right| {
            self.ranks.ranks[left as usize].total_cmp(&self.ranks.ranks[right as usize])
        });
        Ok(order)
    }
}

/// Rankings without ties of some or all of a set of items, such as models.
///
/// # Examples
///
/// ```
/// use hype_stats::preference::Rankings;
/// let mut rankings = Rankings::new(4)?;
/// rankings.push(&[2, 0, 1, 3])?;
/// rankings.push(&[0, 3])?;
/// assert_eq!((rankings.len(), rankings.get(1)), (2, &[0, 3][..]));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rankings {
    items: usize,
    ranked: Vec<u32>,
    ends: Vec<usize>,
}

impl Rankings {
    /// Starts without rankings of `items` items, which are numbered from 0.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for fewer than two items, [`StatError::Parameter`] for more than 4,096.
    pub fn new(items: usize) -> Result<Self, StatError> {
        if items < 2 {
            return Err(StatError::TooFew { statistic: "rankings", needed: 2, of: "items", got: items });
        }
        if items > 4_096 {
            return Err(StatError::Parameter {
                parameter: "number of items",
                expected: "at most 4096",
                got: items as f64,
            });
        }
        Ok(Self { items, ranked: Vec::new(), ends: Vec::new() })
    }

    /// Adds a ranking, given as the items in order, the best first.
    ///
    /// Items that it does not list were not compared.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for fewer than two items, [`StatError::Parameter`] for an item outside
    /// the set or listed twice.
    pub fn push(&mut self, best_first: &[u32]) -> Result<(), StatError> {
        if best_first.len() < 2 {
            return Err(StatError::TooFew {
                statistic: "ranking",
                needed: 2,
                of: "items",
                got: best_first.len(),
            });
        }
        let mut sorted = best_first.to_vec();
        sorted.sort_unstable();
        let refused = |expected, got: u32| {
            Err(StatError::Parameter { parameter: "ranked item", expected, got: f64::from(got) })
        };
        if let Some(&item) = sorted.last().filter(|&&item| item as usize >= self.items) {
            return refused("less than the number of items", item);
        }
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return refused("listed once", twice[0]);
        }
        self.ranked.extend_from_slice(best_first);
        self.ends.push(self.ranked.len());
        Ok(())
    }

    /// Appends all rankings of `other`.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] if they rank different numbers of items.
    pub fn merge(&mut self, other: &Self) -> Result<(), StatError> {
        if self.items != other.items {
            return Err(StatError::Lengths { statistic: "rankings", left: self.items, right: other.items });
        }
        let start = self.ranked.len();
        self.ranked.extend_from_slice(&other.ranked);
        self.ends.extend(other.ends.iter().map(|end| start + end));
        Ok(())
    }

    /// Number of items.
    #[must_use]
    pub const fn items(&self) -> usize {
        self.items
    }

    /// Number of rankings.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rankings.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Items of one ranking, the best first.
    ///
    /// # Panics
    ///
    /// For an index that is not less than [`Self::len`].
    #[must_use]
    pub fn get(&self, index: usize) -> &[u32] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ranked[start..self.ends[index]]
    }

    /// Determines how the rankings connect the items: an item wins against those ranked below it.
    #[must_use]
    pub fn connection(&self) -> Connection {
        self.graph(|_| true).connection()
    }

    /// Which items were ranked directly above which others, in the rankings that `kept` selects.
    pub(super) fn graph(&self, kept: impl Fn(usize) -> bool) -> Graph {
        let mut graph = Graph::new(self.items);
        for index in (0..self.len()).filter(|&index| kept(index)) {
            for pair in self.get(index).windows(2) {
                graph.join(pair[0] as usize, pair[1] as usize);
            }
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_a_ranking() {
        let check = |ranks: &[f64], mid: &[f64], tied: bool| {
            let ranking = RankOrder::new(ranks).unwrap();
            assert_eq!((ranking.mid_ranks(), ranking.has_ties()), (mid, tied), "{ranks:?}");
            assert_eq!(ranking.best_first().is_err(), tied);
        };
        check(&[1.0, 2.0, 2.0, 4.0], &[1.0, 2.5, 2.5, 4.0], true);
        check(&[1.0, 2.0, 2.0, 3.0], &[1.0, 2.5, 2.5, 4.0], true);
        check(&[1.0, 2.0, 5.0, 3.0], &[1.0, 2.0, 4.0, 3.0], false);
        check(&[4.0, 2.0], &[2.0, 1.0], false);
        check(&[3.0, 3.0, 3.0], &[2.0, 2.0, 2.0], true);
        assert_eq!(RankOrder::new(&[3.0, 9.0, 1.0]).unwrap().best_first(), Ok(vec![2, 0, 1]));
    }

    #[test]
    fn what_is_none() {
        let check = |ranks: &[f64], why: &str| {
            assert_eq!(RankOrder::new(ranks).unwrap_err().to_string(), why, "{ranks:?}");
        };
        check(&[], "ranking needs at least 2 items, got 0");
        check(&[1.0], "ranking needs at least 2 items, got 1");
        check(&[0.0, 1.0], "rank must be a whole number, 1 for the best, got 0");
        check(&[1.0, -2.0], "rank must be a whole number, 1 for the best, got -2");
        check(&[1.0, 1.5], "rank must be a whole number, 1 for the best, got 1.5");
        check(&[1.0, f64::NAN], "ranking needs finite values, got NaN at index 1");
        check(&[f64::INFINITY, 1.0], "ranking needs finite values, got inf at index 0");
    }

    #[test]
    fn sets_of_rankings() {
        let mut rankings = Rankings::new(3).unwrap();
        assert!(rankings.push(&[1]).is_err());
        assert!(rankings.push(&[1, 3]).is_err());
        assert!(rankings.push(&[1, 0, 1]).is_err());
        assert!(rankings.is_empty());
        rankings.push(&[1, 0]).unwrap();
        assert_eq!(rankings.connection(), Connection::Disconnected(vec![vec![0, 1], vec![2]]));
        let mut other = Rankings::new(3).unwrap();
        other.push(&[0, 2, 1]).unwrap();
        rankings.merge(&other).unwrap();
        assert_eq!((rankings.get(0), rankings.get(1)), (&[1, 0][..], &[0, 2, 1][..]));
        assert_eq!(rankings.connection(), Connection::Strong);
        assert!(rankings.merge(&Rankings::new(4).unwrap()).is_err());
        assert!(Rankings::new(1).is_err());
    }

    proptest! {
        #[test]
        fn any_whole_numbers_from_one_are_a_ranking(ranks in proptest::collection::vec(1_u32..9, 2..12)) {
            let ranks: Vec<f64> = ranks.into_iter().map(f64::from).collect();
            let ranking = RankOrder::new(&ranks).unwrap();
            let total: f64 = ranking.mid_ranks().iter().sum();
            prop_assert_eq!(total, (ranks.len() * (ranks.len() + 1)) as f64 / 2.0);
            for (left, mid_left) in ranks.iter().zip(ranking.mid_ranks()) {
                for (right, mid_right) in ranks.iter().zip(ranking.mid_ranks()) {
                    prop_assert_eq!(left < right, mid_left < mid_right);
                }
            }
        }
    }
}
