//! Sets of rankings.

use std::ops::Range;

use super::connection::{Connection, Graph};
use crate::StatError;

/// The most items that may be tied with each other: all their subsets are summed over.
const TIED: usize = 10;

/// Rankings of some or all of a set of items, such as models, with or without ties.
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
    /// Whether each is tied with the one before.
    tied: Vec<bool>,
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
        Ok(Self { items, ranked: Vec::new(), tied: Vec::new(), ends: Vec::new() })
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
        self.push_tied(best_first, &vec![false; best_first.len()])
    }

    /// As [`Self::push`], for a ranking in which `tied` says of each item whether it is tied with the one before.
    ///
    /// # Errors
    ///
    /// As [`Self::push`]; [`StatError::Lengths`] unless there is a tie or none for each item, and [`StatError::Parameter`] for
    /// more than ten items that are tied with each other.
    pub fn push_tied(&mut self, best_first: &[u32], tied: &[bool]) -> Result<(), StatError> {
        if best_first.len() != tied.len() {
            return Err(StatError::Lengths {
                statistic: "ranking",
                left: best_first.len(),
                right: tied.len(),
            });
        }
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
        let most = groups(tied).map(|group| group.len()).max().unwrap_or(0);
        if most > TIED {
            return Err(StatError::Parameter {
                parameter: "number of tied items",
                expected: "at most 10",
                got: most as f64,
            });
        }
        self.ranked.extend_from_slice(best_first);
        self.tied.extend_from_slice(tied);
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
        self.tied.extend_from_slice(&other.tied);
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
        &self.ranked[self.range(index)]
    }

    /// Whether each item of one ranking is tied with the one before.
    pub(super) fn ties(&self, index: usize) -> &[bool] {
        &self.tied[self.range(index)]
    }

    fn range(&self, index: usize) -> Range<usize> {
        index.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[index]
    }

    /// Determines how the rankings connect the items: an item wins against those ranked below it.
    #[must_use]
    pub fn connection(&self) -> Connection {
        self.graph(|_| true).connection()
    }

    /// Which items were ranked directly above which others, in the rankings that `kept` selects. Tied items are each above the
    /// other in some of the orders.
    pub(super) fn graph(&self, kept: impl Fn(usize) -> bool) -> Graph {
        let mut graph = Graph::new(self.items);
        for index in (0..self.len()).filter(|&index| kept(index)) {
            for (pair, tied) in self.get(index).windows(2).zip(&self.ties(index)[1..]) {
                graph.join(pair[0] as usize, pair[1] as usize);
                if *tied {
                    graph.join(pair[1] as usize, pair[0] as usize);
                }
            }
        }
        graph
    }
}

/// The places of the items that are tied with each other, group by group; an item without ties is a group of one.
fn groups(tied: &[bool]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = tied.get(start..).filter(|rest| !rest.is_empty())?;
        let more = rest[1..].iter().take_while(|&&tied| tied).count();
        let group = start..start + 1 + more;
        start = group.end;
        Some(group)
    })
}

/// Visits the choices of the best of two or more that are left: in which share of the orders of tied items it is made, the
/// places of the tied items that are left, one of which is chosen, and the place from which all items are left.
pub(super) fn visit_choices(tied: &[bool], mut visit: impl FnMut(f64, &[usize], usize)) {
    let mut left = Vec::new();
    for group in groups(tied) {
        let below = tied.len() - group.end;
        // Of the subsets of one size, each is what is left in the same share of orders.
        let mut of_size = 1.0;
        for size in (1..=group.len()).rev() {
            if size < group.len() {
                of_size *= (size + 1) as f64 / (group.len() - size) as f64;
            }
            if size + below < 2 {
                continue;
            }
            for subset in (1_u32..1 << group.len()).filter(|subset| subset.count_ones() as usize == size) {
                left.clear();
                left.extend(group.clone().filter(|place| subset >> (place - group.start) & 1 == 1));
                visit(1.0 / of_size, &left, group.end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
