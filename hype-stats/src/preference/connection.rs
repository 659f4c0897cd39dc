//! Whether comparisons connect all models, which makes strengths finite on one scale.

use super::comparisons::{ComparisonOutcome, Comparisons};
use crate::StatError;

/// How comparisons connect the models.
///
/// # Method
///
/// The likelihood of Bradley and Terry's model has a finite maximum, and only one, if in every split
/// of the models into two groups each group won at least once against the other: if the directed
/// graph of wins is strongly connected (Ford 1957, "Solution of a ranking problem from binary
/// comparisons").
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Connection {
    /// Every model leads to every other by a chain of wins.
    Strong,
    /// All models are compared, but groups never lost to others.
    Separated(
        /// The groups, each as ascending indices; none lost to a later one.
        Vec<Vec<usize>>,
    ),
    /// Groups of models were never compared with each other.
    Disconnected(
        /// The groups, each as ascending indices, ordered by their first index.
        Vec<Vec<usize>>,
    ),
}

impl Connection {
    /// Converts all but [`Self::Strong`] to an error of a statistic that requires it.
    pub(super) fn require(self, statistic: &'static str) -> Result<(), StatError> {
        match self {
            Self::Strong => Ok(()),
            Self::Separated(groups) => Err(StatError::Separated { statistic, groups }),
            Self::Disconnected(groups) => Err(StatError::Disconnected { statistic, groups }),
        }
    }
}

impl Comparisons {
    /// Determines how the comparisons connect the models; a tie is a win of both.
    ///
    /// # Examples
    ///
    /// ```
    /// use hype_stats::preference::{Comparisons, Connection};
    /// let table = Comparisons::from_wins(&[[0, 1, 2], [1, 0, 4], [0, 0, 0]], &[])?;
    /// assert_eq!(table.connection(), Connection::Separated(vec![vec![0, 1], vec![2]]));
    /// # Ok::<(), hype_stats::StatError>(())
    /// ```
    #[must_use]
    pub fn connection(&self) -> Connection {
        let mut graph = Graph::new(self.models());
        for first in 0..self.models() {
            for second in 0..self.models() {
                if self.count_of(first, second, ComparisonOutcome::First) > 0 {
                    graph.join(first, second);
                }
                if self.count_of(first, second, ComparisonOutcome::Second) > 0 {
                    graph.join(second, first);
                }
                if self.count_of(first, second, ComparisonOutcome::Tie) > 0 {
                    graph.join(first, second);
                    graph.join(second, first);
                }
            }
        }
        graph.connection()
    }
}

/// The winners of each pair, one bit each.
#[derive(Debug, Clone)]
pub(super) struct Graph {
    size: usize,
    words: usize,
    wins: Vec<u64>,
    losses: Vec<u64>,
}

impl Graph {
    pub(super) fn new(size: usize) -> Self {
        let words = size.div_ceil(64);
        Self { size, words, wins: vec![0; size * words], losses: vec![0; size * words] }
    }

    pub(super) fn join(&mut self, winner: usize, loser: usize) {
        self.wins[winner * self.words + loser / 64] |= 1 << (loser % 64);
        self.losses[loser * self.words + winner / 64] |= 1 << (winner % 64);
    }

    /// The set of models that a chain reaches, including the start.
    fn reach(&self, start: usize, chains: &[&[u64]]) -> Vec<u64> {
        let mut reached = vec![0; self.words];
        reached[start / 64] |= 1 << (start % 64);
        let mut open = vec![start];
        while let Some(from) = open.pop() {
            for word in 0..self.words {
                let next = chains.iter().fold(0, |next, chain| next | chain[from * self.words + word]);
                let mut new = next & !reached[word];
                reached[word] |= new;
                while new != 0 {
                    open.push(word * 64 + new.trailing_zeros() as usize);
                    new &= new - 1;
                }
            }
        }
        reached
    }

    fn members(set: &[u64]) -> usize {
        set.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn is_strong(&self) -> bool {
        [&self.wins, &self.losses]
            .iter()
            .all(|chains| self.size == 0 || Self::members(&self.reach(0, &[chains])) == self.size)
    }

    pub(super) fn connection(&self) -> Connection {
        if self.is_strong() {
            return Connection::Strong;
        }
        let weak = self.groups(|start| self.reach(start, &[&self.wins, &self.losses]));
        if weak.len() > 1 {
            return Connection::Disconnected(weak);
        }
        let mut strong = self.groups(|start| {
            let (below, above) = (self.reach(start, &[&self.wins]), self.reach(start, &[&self.losses]));
            below.iter().zip(&above).map(|(below, above)| below & above).collect()
        });
        // A group that leads to another reaches everything that the other reaches, and itself.
        strong.sort_by_cached_key(|group| {
            (usize::MAX - Self::members(&self.reach(group[0], &[&self.wins])), group[0])
        });
        Connection::Separated(strong)
    }

    /// Groups by the set to which each member belongs.
    fn groups(&self, set_of: impl Fn(usize) -> Vec<u64>) -> Vec<Vec<usize>> {
        let mut placed = vec![false; self.size];
        let mut groups = Vec::new();
        for start in 0..self.size {
            if placed[start] {
                continue;
            }
            let set = set_of(start);
            let group: Vec<usize> =
                (0..self.size).filter(|member| set[member / 64] >> (member % 64) & 1 == 1).collect();
            for &member in &group {
                placed[member] = true;
            }
            groups.push(group);
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(size: usize, wins: &[(usize, usize)]) -> Connection {
        let mut graph = Graph::new(size);
        for &(winner, loser) in wins {
            graph.join(winner, loser);
        }
        graph.connection()
    }

    #[test]
    fn groups_are_named() {
        use Connection::{Disconnected, Separated, Strong};
        let check = |size: usize, wins: &[(usize, usize)], want: Connection| {
            assert_eq!(connection(size, wins), want);
        };
        check(2, &[(0, 1), (1, 0)], Strong);
        check(2, &[], Disconnected(vec![vec![0], vec![1]]));
        check(3, &[(0, 1), (1, 2), (2, 0)], Strong);
        check(4, &[(0, 2), (1, 3), (3, 1)], Disconnected(vec![vec![0, 2], vec![1, 3]]));
        check(3, &[(2, 1), (1, 0)], Separated(vec![vec![2], vec![1], vec![0]]));
        check(
            5,
            &[(4, 0), (0, 4), (4, 2), (2, 3), (3, 2), (1, 4)],
            Separated(vec![vec![1], vec![0, 4], vec![2, 3]]),
        );
    }

    #[test]
    fn more_models_than_bits_of_a_word() {
        let cycle: Vec<(usize, usize)> = (0..200).map(|model| (model, (model + 1) % 200)).collect();
        assert_eq!(connection(200, &cycle), Connection::Strong);
        let chain = connection(200, &cycle[..199]);
        assert_eq!(chain, Connection::Separated((0..200).map(|model| vec![model]).collect()));
        let Connection::Disconnected(groups) = connection(200, &cycle[..100]) else {
            panic!("100 models were never compared")
        };
        assert_eq!((groups.len(), groups[0].len()), (100, 101));
    }
}
