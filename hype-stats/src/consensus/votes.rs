//! The votes: which rater gave which label to which item.

use super::check_cells;
use crate::StatError;

const NAME: &str = "consensus";

/// Answers of raters to items, ready for all methods of consensus.
///
/// Items, raters and labels are numbered from 0. A rater may answer an item any number of times; each
/// answer is one vote. Memory is four bytes for each vote and four for each item.
///
/// # Examples
///
/// ```
/// use hype_stats::consensus::LabelVotes;
/// let votes = LabelVotes::from_columns(&[1, 0, 0, 1], &[0, 0, 1, 1], &[2, 0, 0, 1])?;
/// assert_eq!((votes.items(), votes.raters(), votes.labels()), (2, 2, 3));
/// assert_eq!(votes.of_item(1).collect::<Vec<_>>(), [(0, 2), (1, 1)]);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelVotes {
    raters: usize,
    labels: usize,
    /// Where the votes of each item start, and their number at the end.
    starts: Vec<u32>,
    /// Rater times number of labels plus label of each vote, in ascending order within an item.
    rows: Vec<u32>,
}

impl LabelVotes {
    /// Creates votes from the rows of three columns, in any order.
    ///
    /// The largest number in each column determines the numbers of items, raters and labels.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] if the columns differ in length, [`StatError::TooFew`] without any
    /// vote, and [`StatError::Parameter`] if items or raters times labels exceed 2^29, or if a number is
    /// so large (2^20 plus 64 for each vote) that it cannot be an index.
    pub fn from_columns(items: &[u32], raters: &[u32], labels: &[u32]) -> Result<Self, StatError> {
        check_lengths(items, raters, labels)?;
        let size = |column: &[u32]| column.iter().max().map_or(0, |&largest| largest as usize + 1);
        let sizes = [size(items), size(raters), size(labels)];
        check_dense(sizes, items.len())?;
        Self::assemble(items, raters, labels, sizes)
    }

    /// Creates votes from columns with given numbers of items, raters and labels; some may have
    /// no vote.
    ///
    /// # Errors
    ///
    /// As [`Self::from_columns`]; [`StatError::Parameter`] for an item, rater or label outside the
    /// stated numbers.
    pub fn with_sizes(
        sizes: [usize; 3],
        items: &[u32],
        raters: &[u32],
        labels: &[u32],
    ) -> Result<Self, StatError> {
        check_lengths(items, raters, labels)?;
        for ((column, size), (parameter, expected)) in [items, raters, labels].into_iter().zip(sizes).zip([
            ("item", "less than the number of items"),
            ("rater", "less than the number of raters"),
            ("label", "less than the number of labels"),
        ]) {
            if let Some(&got) = column.iter().find(|&&got| got as usize >= size) {
                return Err(StatError::Parameter { parameter, expected, got: f64::from(got) });
            }
        }
        Self::assemble(items, raters, labels, sizes)
    }

    /// Sorts checked columns by item.
    fn assemble(items: &[u32], raters: &[u32], labels: &[u32], sizes: [usize; 3]) -> Result<Self, StatError> {
        if items.is_empty() {
            return Err(StatError::TooFew { statistic: NAME, needed: 1, of: "votes", got: 0 });
        }
        check_cells("number of items", &sizes[..1])?;
        check_cells("number of raters times number of labels", &sizes[1..])?;
        if u32::try_from(items.len()).is_err() {
            return Err(StatError::Parameter {
                parameter: "number of votes",
                expected: "below 2^32",
                got: items.len() as f64,
            });
        }
        let mut starts = vec![0_u32; sizes[0] + 1];
        for &item in items {
            starts[item as usize] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        // Each start is now at its item's end, and moves down with each vote that is inserted.
        let mut rows = vec![0; items.len()];
        let width = sizes[2] as u32;
        for ((&item, &rater), &label) in items.iter().zip(raters).zip(labels) {
            let place = &mut starts[item as usize];
            *place -= 1;
            rows[*place as usize] = rater * width + label;
        }
        let votes = |item: usize| starts[item] as usize..starts[item + 1] as usize;
        for item in 0..sizes[0] {
            rows[votes(item)].sort_unstable();
        }
        Ok(Self { raters: sizes[1], labels: sizes[2], starts, rows })
    }

    /// Number of items, with or without votes.
    #[must_use]
    pub const fn items(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of raters, with or without votes.
    #[must_use]
    pub const fn raters(&self) -> usize {
        self.raters
    }

    /// Number of labels, given by a rater or not.
    #[must_use]
    pub const fn labels(&self) -> usize {
        self.labels
    }

    /// Number of votes, at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is always a vote")]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// The votes of an item as (rater, label), in ascending order; none for an unknown item.
    pub fn of_item(&self, item: usize) -> impl ExactSizeIterator<Item = (usize, usize)> {
        let rows = if item < self.items() { self.rows_of(item) } else { &[] };
        // A 64-bit division takes several times as long.
        let width = self.labels as u32;
        rows.iter().map(move |&row| ((row / width) as usize, (row % width) as usize))
    }

    /// The rows (rater times number of labels plus label) of an item's votes.
    pub(super) fn rows_of(&self, item: usize) -> &[u32] {
        &self.rows[self.starts[item] as usize..self.starts[item + 1] as usize]
    }

    /// How often each rater gave each label, by row.
    pub(super) fn row_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.raters * self.labels];
        for &row in &self.rows {
            counts[row as usize] += 1;
        }
        counts
    }

    /// Number of rows, which is raters times labels.
    pub(super) const fn row_count(&self) -> usize {
        self.raters * self.labels
    }

    /// The first items of blocks with about equal numbers of votes, and the number of items at the end.
    ///
    /// There are at most `most` blocks, which depend on the votes alone.
    pub(super) fn blocks(&self, most: usize) -> Vec<usize> {
        let count = most.clamp(1, self.items());
        let mut bounds: Vec<usize> = (0..count)
            .map(|block| {
                let votes = self.len() as u128 * block as u128 / count as u128;
                self.starts[..self.items()].partition_point(|&start| u128::from(start) < votes)
            })
            .collect();
        bounds.push(self.items());
        bounds.dedup();
        bounds
    }
}

fn check_lengths(items: &[u32], raters: &[u32], labels: &[u32]) -> Result<(), StatError> {
    match [raters, labels].into_iter().find(|column| column.len() != items.len()) {
        Some(column) => Err(StatError::Lengths { statistic: NAME, left: items.len(), right: column.len() }),
        None => Ok(()),
    }
}

/// Refuses numbers that are names rather than indices, for which arrays would exceed memory.
fn check_dense(sizes: [usize; 3], votes: usize) -> Result<(), StatError> {
    let most = votes.saturating_mul(64).saturating_add(1 << 20);
    for (parameter, size) in ["item", "rater", "label"].into_iter().zip(sizes) {
        if size > most {
            return Err(StatError::Parameter {
                parameter,
                expected: "consecutive: at most 2^20 plus 64 for each vote",
                got: (size - 1) as f64,
            });
        }
    }
    Ok(())
}

/// Collects votes that arrive in chunks.
///
/// Each vote takes twelve bytes until [`Self::finish`].
///
/// # Examples
///
/// ```
/// use hype_stats::consensus::{LabelVotes, VotesBuilder};
/// let mut votes = VotesBuilder::new();
/// votes.add(&[0, 1], &[0, 0], &[1, 0])?;
/// votes.push(0, 1, 1);
/// assert_eq!(votes.finish()?, LabelVotes::from_columns(&[0, 0, 1], &[0, 1, 0], &[1, 1, 0])?);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct VotesBuilder {
    items: Vec<u32>,
    raters: Vec<u32>,
    labels: Vec<u32>,
}

impl VotesBuilder {
    /// Starts without votes.
    #[must_use]
    pub const fn new() -> Self {
        Self { items: Vec::new(), raters: Vec::new(), labels: Vec::new() }
    }

    /// Adds one vote.
    pub fn push(&mut self, item: u32, rater: u32, label: u32) {
        self.items.push(item);
        self.raters.push(rater);
        self.labels.push(label);
    }

    /// Adds a chunk of votes from the rows of three columns.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] if the columns differ in length; nothing is added then.
    pub fn add(&mut self, items: &[u32], raters: &[u32], labels: &[u32]) -> Result<(), StatError> {
        check_lengths(items, raters, labels)?;
        self.items.extend_from_slice(items);
        self.raters.extend_from_slice(raters);
        self.labels.extend_from_slice(labels);
        Ok(())
    }

    /// Number of votes so far.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no votes yet.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Sorts the votes. The largest number of each kind determines the numbers of items, raters and
    /// labels.
    ///
    /// # Errors
    ///
    /// As [`LabelVotes::from_columns`].
    pub fn finish(self) -> Result<LabelVotes, StatError> {
        LabelVotes::from_columns(&self.items, &self.raters, &self.labels)
    }

    /// Sorts the votes, with given numbers of items, raters and labels.
    ///
    /// # Errors
    ///
    /// As [`LabelVotes::with_sizes`].
    pub fn finish_with_sizes(self, sizes: [usize; 3]) -> Result<LabelVotes, StatError> {
        LabelVotes::with_sizes(sizes, &self.items, &self.raters, &self.labels)
    }
}
