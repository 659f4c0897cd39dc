//! Counts of paired comparisons.

use std::sync::{Mutex, PoisonError};

use crate::StatError;
use crate::parallel;

mod tally;

use tally::{Rows, Tally, place};

/// The number of rows that are checked and then counted while they are in the cache.
const BLOCK: usize = 4_096;
/// The least number of rows that one thread counts into a separate table.
const CHUNK: usize = 1 << 20;
/// The number of rows per cell above which separate tables are worthwhile.
const DENSE: usize = 8;
/// The maximum number of models in a table, which then takes 400 MB.
const GREATEST: usize = 4_096;
const NAME: &str = "table of comparisons";

/// The outcome of a comparison of two models.
///
/// Exhaustive: a comparison of two has no fourth outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ComparisonOutcome {
    /// The model named first was preferred.
    First = 0,
    /// The model named second was preferred.
    Second = 1,
    /// Neither was preferred.
    Tie = 2,
}

impl ComparisonOutcome {
    /// All outcomes, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::First, Self::Second, Self::Tie];

    /// The outcome with the models named in the other order.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            Self::Tie => Self::Tie,
        }
    }
}

/// How often each model won against, lost to and tied with each other one, by order of presentation.
///
/// Comparisons are added one by one or in columns. Tables of parts of the data can be merged, with the same result
/// for any division.
///
/// # Examples
///
/// ```
/// use hype_stats::preference::{Comparisons, ComparisonOutcome};
/// let mut morning = Comparisons::new(3)?;
/// morning.add(&[0, 0, 1], &[1, 2, 2], &[ComparisonOutcome::First, ComparisonOutcome::Tie, ComparisonOutcome::Second])?;
/// let mut evening = Comparisons::new(3)?;
/// evening.push(1, 0, ComparisonOutcome::Second)?;
/// morning.merge(&evening)?;
/// assert_eq!((morning.wins(0, 1), morning.ties(2, 0), morning.total()), (2, 1, 4));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparisons {
    models: usize,
    /// One square for each outcome, with a row for each model named first.
    counts: Vec<u64>,
    ordered: bool,
}

impl Comparisons {
    /// Starts without comparisons of `models` models, which are numbered from 0.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for fewer than two models, [`StatError::Parameter`] for more than 4,096.
    pub fn new(models: usize) -> Result<Self, StatError> {
        if models < 2 {
            return Err(StatError::TooFew { statistic: NAME, needed: 2, of: "models", got: models });
        }
        if models > GREATEST {
            return Err(StatError::Parameter {
                parameter: "number of models",
                expected: "at most 4096",
                got: models as f64,
            });
        }
        Ok(Self { models, counts: vec![0; ComparisonOutcome::ALL.len() * models * models], ordered: true })
    }

    /// Counts columns: one row for each comparison.
    ///
    /// # Errors
    ///
    /// As [`Self::new`] and [`Self::add`].
    pub fn from_columns(
        models: usize,
        first: &[u32],
        second: &[u32],
        outcomes: &[ComparisonOutcome],
    ) -> Result<Self, StatError> {
        let mut table = Self::new(models)?;
        table.add(first, second, outcomes)?;
        Ok(table)
    }

    /// Creates a table from matrices of counts: `wins[a][b]` is how often a won against b, `ties[a][b]` how often
    /// the two tied.
    ///
    /// The table then lacks the order of presentation, so no effect of the order can be estimated.
    /// No rows of ties mean none.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] for matrices that are not square or differ in size, and
    /// [`StatError::Parameter`] for a model compared with itself or ties that are not symmetric;
    /// otherwise as [`Self::new`].
    pub fn from_wins<R: AsRef<[u64]>>(wins: &[R], ties: &[R]) -> Result<Self, StatError> {
        let mut table = Self::new(wins.len())?;
        table.ordered = false;
        for matrix in [wins, ties] {
            let ragged = matrix.iter().map(|row| row.as_ref().len()).find(|&length| length != wins.len());
            if let Some(right) = ragged.or_else(|| {
                let rows = matrix.len();
                (rows != wins.len() && rows > 0).then_some(rows)
            }) {
                return Err(StatError::Lengths { statistic: NAME, left: wins.len(), right });
            }
        }
        for (a, row) in wins.iter().enumerate() {
            for (b, &count) in row.as_ref().iter().enumerate().filter(|&(_, &count)| count > 0) {
                table.check(a, b)?;
                let place = table.place(ComparisonOutcome::First, a, b);
                table.counts[place] = count;
            }
        }
        for (a, row) in ties.iter().enumerate() {
            for (b, &count) in row.as_ref().iter().enumerate().filter(|&(_, &count)| count > 0) {
                table.check(a, b)?;
                if ties[b].as_ref()[a] != count {
                    return Err(StatError::Parameter {
                        parameter: "ties[a][b]",
                        expected: "equal to ties[b][a]",
                        got: count as f64,
                    });
                }
                if a < b {
                    let place = table.place(ComparisonOutcome::Tie, a, b);
                    table.counts[place] = count;
                }
            }
        }
        Ok(table)
    }

    /// Counts one comparison.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a model outside the table, or compared with itself.
    pub fn push(&mut self, first: u32, second: u32, outcome: ComparisonOutcome) -> Result<(), StatError> {
        self.push_count(first, second, outcome, 1)
    }

    /// Counts `count` comparisons of one kind.
    ///
    /// # Errors
    ///
    /// As [`Self::push`].
    pub fn push_count(
        &mut self,
        first: u32,
        second: u32,
        outcome: ComparisonOutcome,
        count: u64,
    ) -> Result<(), StatError> {
        self.check(first as usize, second as usize)?;
        let place = self.place(outcome, first as usize, second as usize);
        self.counts[place] += count;
        Ok(())
    }

    /// Counts columns of comparisons, in parallel; if one cannot be counted, the table remains as it
    /// was.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] for columns of different lengths, otherwise as [`Self::push`].
    pub fn add(
        &mut self,
        first: &[u32],
        second: &[u32],
        outcomes: &[ComparisonOutcome],
    ) -> Result<(), StatError> {
        check_lengths(first.len(), &[second.len(), outcomes.len()])?;
        if first.len() < DENSE * self.counts.len() {
            for (first, second) in first.chunks(BLOCK).zip(second.chunks(BLOCK)) {
                self.check_block(first, second)?;
            }
            let models = self.models;
            for ((&first, &second), &outcome) in first.iter().zip(second).zip(outcomes) {
                self.counts[place(models, outcome, first as usize, second as usize)] += 1;
            }
            return Ok(());
        }
        let total = Mutex::new(vec![0_u64; self.counts.len()]);
        let chunk = parallel::chunk_of(first.len(), CHUNK);
        let counted = parallel::map(first.len().div_ceil(chunk), |number| {
            let rows = number * chunk..first.len().min((number + 1) * chunk);
            self.count(&first[rows.clone()], &second[rows.clone()], &outcomes[rows], &total)
        });
        counted.into_iter().collect::<Result<(), StatError>>()?;
        let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.counts.iter_mut().zip(total).for_each(|(total, count)| *total += count);
        Ok(())
    }

    /// Counts a chunk of rows into a separate table, and adds it to `total`.
    fn count(
        &self,
        first: &[u32],
        second: &[u32],
        outcomes: &[ComparisonOutcome],
        total: &Mutex<Vec<u64>>,
    ) -> Result<(), StatError> {
        let Some(tally) = Tally::of(self.models, Rows { first, second, outcomes }) else {
            return self.check_block(first, second);
        };
        let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
        total.iter_mut().zip(tally.counts()).for_each(|(total, count)| *total += count);
        Ok(())
    }

    /// Adds all comparisons of `other`.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] if the tables are of different numbers of models.
    pub fn merge(&mut self, other: &Self) -> Result<(), StatError> {
        check_lengths(self.models, &[other.models])?;
        self.counts.iter_mut().zip(&other.counts).for_each(|(total, count)| *total += count);
        self.ordered &= other.ordered;
        Ok(())
    }

    /// Number of models.
    #[must_use]
    pub const fn models(&self) -> usize {
        self.models
    }

    /// Whether the order of presentation is known for every comparison.
    #[must_use]
    pub const fn is_ordered(&self) -> bool {
        self.ordered
    }

    /// How often a comparison of these models, named in this order, had this outcome.
    ///
    /// # Panics
    ///
    /// For a model outside the table.
    #[must_use]
    pub fn count_of(&self, first: usize, second: usize, outcome: ComparisonOutcome) -> u64 {
        assert!(first < self.models && second < self.models, "no such model");
        self.counts[self.place(outcome, first, second)]
    }

    /// How often a won against b, in either order.
    ///
    /// # Panics
    ///
    /// For a model outside the table.
    #[must_use]
    pub fn wins(&self, a: usize, b: usize) -> u64 {
        self.count_of(a, b, ComparisonOutcome::First) + self.count_of(b, a, ComparisonOutcome::Second)
    }

    /// How often a and b tied.
    ///
    /// # Panics
    ///
    /// For a model outside the table.
    #[must_use]
    pub fn ties(&self, a: usize, b: usize) -> u64 {
        self.count_of(a, b, ComparisonOutcome::Tie) + self.count_of(b, a, ComparisonOutcome::Tie)
    }

    /// How often a and b were compared.
    ///
    /// # Panics
    ///
    /// For a model outside the table.
    #[must_use]
    pub fn comparisons(&self, a: usize, b: usize) -> u64 {
        self.wins(a, b) + self.wins(b, a) + self.ties(a, b)
    }

    /// Whether any comparison was a tie.
    #[must_use]
    pub fn has_ties(&self) -> bool {
        let pairs = self.models * self.models;
        let ties = ComparisonOutcome::Tie as usize * pairs;
        self.counts[ties..ties + pairs].iter().any(|&count| count > 0)
    }

    /// Number of comparisons counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Position of a count, whose digits are the models' numbers and the outcome.
    #[inline]
    pub(super) const fn place(&self, outcome: ComparisonOutcome, first: usize, second: usize) -> usize {
        place(self.models, outcome, first, second)
    }

    pub(super) const fn check(&self, first: usize, second: usize) -> Result<(), StatError> {
        let refused = if first >= self.models {
            ("model", "less than the number of models", first)
        } else if second >= self.models {
            ("model", "less than the number of models", second)
        } else if first == second {
            ("second model of a comparison", "another than the first", second)
        } else {
            return Ok(());
        };
        let (parameter, expected, got) = refused;
        Err(StatError::Parameter { parameter, expected, got: got as f64 })
    }

    /// [`Self::check`] of many rows, which searches for the first invalid one only if there is one.
    pub(super) fn check_block(&self, first: &[u32], second: &[u32]) -> Result<(), StatError> {
        let greatest = first.iter().chain(second).fold(0, |greatest, &model| greatest.max(model));
        let same = first.iter().zip(second).fold(false, |same, (first, second)| same | (first == second));
        if greatest as usize >= self.models || same {
            for (&first, &second) in first.iter().zip(second) {
                self.check(first as usize, second as usize)?;
            }
        }
        Ok(())
    }
}

/// Refuses columns of a table that differ in length.
pub(super) fn check_lengths(left: usize, others: &[usize]) -> Result<(), StatError> {
    match others.iter().find(|&&right| right != left) {
        Some(&right) => Err(StatError::Lengths { statistic: NAME, left, right }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn matrices_and_votes_give_the_same_counts() {
        let table = Comparisons::from_wins(
            &[vec![0, 5, 1], vec![2, 0, 4], vec![3, 0, 0]],
            &[vec![0, 1, 0], vec![1, 0, 7], vec![0, 7, 0]],
        )
        .unwrap();
        assert_eq!((table.wins(0, 1), table.wins(1, 0), table.ties(1, 0), table.ties(1, 2)), (5, 2, 1, 7));
        assert_eq!((table.comparisons(0, 2), table.total(), table.is_ordered()), (4, 23, false));
        let mut votes = Comparisons::new(3).unwrap();
        votes.push_count(0, 1, ComparisonOutcome::First, 3).unwrap();
        votes.push_count(1, 0, ComparisonOutcome::Second, 2).unwrap();
        assert_eq!((votes.wins(0, 1), votes.count_of(1, 0, ComparisonOutcome::Second)), (5, 2));
        assert!(votes.is_ordered());
        votes.merge(&table).unwrap();
        assert_eq!((votes.wins(0, 1), votes.is_ordered()), (10, false));
    }

    #[test]
    fn bad_input_is_refused_and_changes_nothing() {
        let mut table = Comparisons::new(3).unwrap();
        let before = table.clone();
        let first = ComparisonOutcome::First;
        assert!(matches!(table.push(0, 3, first), Err(StatError::Parameter { got: 3.0, .. })));
        assert!(matches!(table.push(2, 2, first), Err(StatError::Parameter { got: 2.0, .. })));
        assert!(matches!(table.add(&[0, 1], &[1], &[first]), Err(StatError::Lengths { .. })));
        assert!(matches!(table.add(&[0, 1], &[1, 1], &[first; 2]), Err(StatError::Parameter { .. })));
        let mut many = vec![0_u32; 1_000_000];
        many[999_999] = 7;
        let result = table.add(&many, &vec![1; many.len()], &vec![first; many.len()]);
        assert!(matches!(result, Err(StatError::Parameter { got: 7.0, .. })));
        assert_eq!(table, before);
        assert!(matches!(Comparisons::new(1), Err(StatError::TooFew { .. })));
        assert!(matches!(Comparisons::new(1 << 40), Err(StatError::Parameter { .. })));
        let refused = |wins: &[Vec<u64>], ties: &[Vec<u64>]| Comparisons::from_wins(wins, ties).is_err();
        assert!(refused(&[vec![0, 1], vec![1]], &[]));
        assert!(refused(&[vec![3, 1], vec![1, 0]], &[]));
        assert!(refused(&[vec![0, 1], vec![1, 0]], &[vec![0, 1]]));
        assert!(refused(&[vec![0, 1], vec![1, 0]], &[vec![0, 1], vec![2, 0]]));
        assert!(table.merge(&Comparisons::new(4).unwrap()).is_err());
    }

    fn votes(models: u32, most: usize) -> impl Strategy<Value = Vec<(u32, u32, ComparisonOutcome)>> {
        let vote = (0..models, 1..models, 0..3_usize).prop_map(move |(first, shift, end)| {
            (first, (first + shift) % models, ComparisonOutcome::ALL[end])
        });
        proptest::collection::vec(vote, 0..most)
    }

    proptest! {
        #[test]
        fn parts_merge_into_the_whole(votes in votes(5, 800), cut in 0.0..1.0) {
            let column = |votes: &[(u32, u32, ComparisonOutcome)]| {
                let mut table = Comparisons::new(5).unwrap();
                let first: Vec<u32> = votes.iter().map(|vote| vote.0).collect();
                let second: Vec<u32> = votes.iter().map(|vote| vote.1).collect();
                let outcomes: Vec<ComparisonOutcome> = votes.iter().map(|vote| vote.2).collect();
                table.add(&first, &second, &outcomes).unwrap();
                table
            };
            let mut one_by_one = Comparisons::new(5).unwrap();
            for &(first, second, outcome) in &votes {
                one_by_one.push(first, second, outcome).unwrap();
            }
            let (left, right) = votes.split_at((votes.len() as f64 * cut) as usize);
            let mut merged = column(left);
            merged.merge(&column(right)).unwrap();
            prop_assert_eq!(&merged, &column(&votes));
            prop_assert_eq!(&merged, &one_by_one);
            prop_assert_eq!(merged.total(), votes.len() as u64);
        }
    }
}
