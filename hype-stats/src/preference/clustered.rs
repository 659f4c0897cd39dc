//! Counts of paired comparisons by rater.

use std::collections::BTreeMap;

use super::comparisons::{ComparisonOutcome, Comparisons, check_lengths};
use crate::StatError;
use crate::parallel;

/// The number of rows that one thread sorts at once.
const CHUNK: usize = 1 << 18;
/// The number of entries of a cluster below which merging equal ones is not worthwhile.
const FEW: usize = 64;

/// A cell of the table, and its count in the cluster.
#[derive(Debug, Clone, Copy)]
struct Entry {
    cell: u32,
    count: u32,
}

/// The comparisons of one cluster, in which a cell may occur more than once.
#[derive(Debug, Clone, Default)]
struct Cluster {
    entries: Vec<Entry>,
    /// The number of entries after equal cells were last merged.
    distinct: usize,
}

impl Cluster {
    fn push(&mut self, entry: Entry) {
        if self.entries.len() >= FEW.max(2 * self.distinct) {
            self.entries.sort_unstable_by_key(|entry| entry.cell);
            self.entries.dedup_by(|next, kept| {
                let sum = if next.cell == kept.cell { kept.count.checked_add(next.count) } else { None };
                kept.count = sum.unwrap_or(kept.count);
                sum.is_some()
            });
            self.distinct = self.entries.len();
        }
        self.entries.push(entry);
    }
}

/// Paired comparisons, counted in total and for each cluster, such as a rater.
///
/// Memory grows with the number of different cells in each cluster, not with the number of comparisons.
///
/// # Examples
///
/// ```
/// use hype_stats::preference::{ClusteredComparisons, ComparisonOutcome};
/// let mut votes = ClusteredComparisons::new(2)?;
/// votes.add(&[17, 4, 17], &[0, 1, 0], &[1, 0, 1], &[ComparisonOutcome::First, ComparisonOutcome::First, ComparisonOutcome::Tie])?;
/// assert_eq!((votes.clusters(), votes.table().total()), (2, 3));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ClusteredComparisons {
    table: Comparisons,
    clusters: BTreeMap<u32, Cluster>,
}

impl ClusteredComparisons {
    /// Starts without comparisons of `models` models.
    ///
    /// # Errors
    ///
    /// As [`Comparisons::new`].
    pub fn new(models: usize) -> Result<Self, StatError> {
        Ok(Self { table: Comparisons::new(models)?, clusters: BTreeMap::new() })
    }

    /// Counts columns of comparisons, `clusters[i]` being the number of the rater of row i.
    ///
    /// The numbers need not be dense. If a row cannot be counted, nothing changes.
    ///
    /// # Errors
    ///
    /// As [`Comparisons::add`].
    pub fn add(
        &mut self,
        clusters: &[u32],
        first: &[u32],
        second: &[u32],
        outcomes: &[ComparisonOutcome],
    ) -> Result<(), StatError> {
        check_lengths(clusters.len(), &[first.len(), second.len(), outcomes.len()])?;
        self.table.add(first, second, outcomes)?;
        let chunks = parallel::map(clusters.len().div_ceil(CHUNK), |chunk| {
            let rows = chunk * CHUNK..clusters.len().min((chunk + 1) * CHUNK);
            let models = first[rows.clone()].iter().zip(&second[rows.clone()]);
            let mut keys: Vec<u64> = clusters[rows.clone()]
                .iter()
                .zip(models.zip(&outcomes[rows]))
                .map(|(&cluster, ((&first, &second), &outcome))| {
                    let cell = self.table.place(outcome, first as usize, second as usize);
                    u64::from(cluster) << 32 | cell as u64
                })
                .collect();
            keys.sort_unstable();
            keys
        });
        for keys in chunks {
            for of_cluster in keys.chunk_by(|left, right| left >> 32 == right >> 32) {
                let cluster = self.clusters.entry((of_cluster[0] >> 32) as u32).or_default();
                for same in of_cluster.chunk_by(|left, right| left == right) {
                    cluster.push(Entry { cell: same[0] as u32, count: same.len() as u32 });
                }
            }
        }
        Ok(())
    }

    /// Adds all comparisons of `other`; clusters with the same number are merged.
    ///
    /// # Errors
    ///
    /// As [`Comparisons::merge`].
    pub fn merge(&mut self, other: &Self) -> Result<(), StatError> {
        self.table.merge(&other.table)?;
        for (&number, from) in &other.clusters {
            let into = self.clusters.entry(number).or_default();
            from.entries.iter().for_each(|&entry| into.push(entry));
        }
        Ok(())
    }

    /// The comparisons of all clusters.
    #[must_use]
    pub const fn table(&self) -> &Comparisons {
        &self.table
    }

    /// Number of clusters with at least one comparison.
    #[must_use]
    pub fn clusters(&self) -> usize {
        self.clusters.len()
    }

    /// Counts of each cluster at the positions that `slot_of` assigns to cells.
    pub(super) fn compact(&self, slot_of: impl Fn(usize) -> Option<u32>) -> Compact {
        let mut compact = Compact { ends: Vec::with_capacity(self.clusters.len()), counts: Vec::new() };
        let mut own: Vec<(u32, u32)> = Vec::new();
        for cluster in self.clusters.values() {
            own.clear();
            let kept = |entry: &Entry| Some((slot_of(entry.cell as usize)?, entry.count));
            own.extend(cluster.entries.iter().filter_map(kept));
            own.sort_unstable();
            let start = compact.counts.len();
            for &(slot, count) in &own {
                match compact.counts[start..].last_mut() {
                    Some((last, total)) if *last == slot && total.checked_add(count).is_some() => {
                        *total += count;
                    }
                    _ => compact.counts.push((slot, count)),
                }
            }
            if compact.counts.len() > start {
                compact.ends.push(compact.counts.len());
            }
        }
        compact
    }
}

/// Sparse counts of clusters, one after the other, none of them empty.
#[derive(Debug, Clone)]
pub(super) struct Compact {
    ends: Vec<usize>,
    counts: Vec<(u32, u32)>,
}

impl Compact {
    pub(super) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Positions and counts of one cluster, by ascending position.
    pub(super) fn cluster(&self, index: usize) -> &[(u32, u32)] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.counts[start..self.ends[index]]
    }
}

/// The counts of clusters for adding up resamples of them, in half the space of [`Compact`].
///
/// Most counts of a rater are 1, which are not stored.
#[derive(Debug)]
pub(super) struct Summands {
    /// Where each cluster ends in `once` and in `more`.
    ends: Vec<[usize; 2]>,
    /// Positions with one comparison.
    once: Vec<u32>,
    /// Other positions with their counts.
    more: Vec<(u32, u32)>,
}

impl Summands {
    pub(super) fn new(clusters: &Compact) -> Self {
        let mut summands =
            Self { ends: Vec::with_capacity(clusters.len()), once: Vec::new(), more: Vec::new() };
        for index in 0..clusters.len() {
            // A position recurs where its count exceeds an entry.
            for same in clusters.cluster(index).chunk_by(|left, right| left.0 == right.0) {
                match *same {
                    [(slot, 1)] => summands.once.push(slot),
                    _ => summands.more.extend_from_slice(same),
                }
            }
            summands.ends.push([summands.once.len(), summands.more.len()]);
        }
        summands
    }

    pub(super) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds up the clusters, each as often as it was drawn. `singles` is scratch space as long as `counts`.
    pub(super) fn add_up(&self, times: &[u32], singles: &mut [u32], counts: &mut [u64]) {
        singles.fill(0);
        counts.fill(0);
        let mut start = [0; 2];
        for (&end, &times) in self.ends.iter().zip(times) {
            let [once, more] = [start[0]..end[0], start[1]..end[1]];
            start = end;
            if times == 0 {
                continue;
            }
            // A cluster has a position once, so no sum exceeds the number of drawn clusters, which is a u32.
            self.once[once].iter().for_each(|&slot| singles[slot as usize] += times);
            for &(slot, count) in &self.more[more] {
                counts[slot as usize] += u64::from(count) * u64::from(times);
            }
        }
        counts.iter_mut().zip(singles).for_each(|(count, single)| *count += u64::from(*single));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (place, count) of every cluster.
    fn content(votes: &ClusteredComparisons) -> Vec<Vec<(u32, u32)>> {
        let compact = votes.compact(|cell| Some(cell as u32));
        (0..compact.len()).map(|index| compact.cluster(index).to_vec()).collect()
    }

    #[test]
    fn parts_in_any_order_make_the_whole() {
        let rows = 5_000_u32;
        let raters: Vec<u32> = (0..rows).map(|row| (row * row) % 7 * 1_000_003).collect();
        let first: Vec<u32> = (0..rows).map(|row| row % 5).collect();
        let second: Vec<u32> = (0..rows).map(|row| (row % 5 + 1 + row / 5 % 4) % 5).collect();
        let outcomes: Vec<ComparisonOutcome> =
            (0..rows).map(|row| ComparisonOutcome::ALL[(row * 31 % 11 % 3) as usize]).collect();
        let part = |range: std::ops::Range<usize>| {
            let mut votes = ClusteredComparisons::new(5).unwrap();
            for start in range.clone().step_by(100) {
                let rows = start..(start + 100).min(range.end);
                votes
                    .add(&raters[rows.clone()], &first[rows.clone()], &second[rows.clone()], &outcomes[rows])
                    .unwrap();
            }
            votes
        };
        let mut whole = ClusteredComparisons::new(5).unwrap();
        whole.add(&raters, &first, &second, &outcomes).unwrap();
        let mut merged = part(2_550..5_000);
        merged.merge(&part(0..2_550)).unwrap();
        assert_eq!(content(&merged), content(&whole));
        assert_eq!(merged.table(), whole.table());
        assert_eq!(whole.clusters(), 4);
        let counted: u64 = content(&whole).iter().flatten().map(|&(_, count)| u64::from(count)).sum();
        assert_eq!(counted, u64::from(rows));
        assert!(merged.clusters.values().all(|cluster| cluster.entries.len() <= 2 * 60 + FEW));
    }

    #[test]
    fn drawn_clusters_add_up() {
        let mut votes = ClusteredComparisons::new(3).unwrap();
        let (first, second) = ([0, 0, 1, 0, 0], [1, 1, 2, 2, 1]);
        let outcomes = [ComparisonOutcome::First; 5];
        votes.add(&[4, 4, 4, 9, 9], &first, &second, &outcomes).unwrap();
        let summands = Summands::new(&votes.compact(|cell| Some(cell as u32)));
        let (mut singles, mut counts) = (vec![7; 9], vec![7; 9]);
        summands.add_up(&[2, 3], &mut singles, &mut counts);
        // By rows of the model named first: twice rater 4's two votes on the first pair, and rater 9's three times.
        assert_eq!(counts, [0, 7, 3, 0, 0, 2, 0, 0, 0]);
    }

    #[test]
    fn a_bad_row_changes_nothing() {
        let mut votes = ClusteredComparisons::new(2).unwrap();
        assert!(votes.add(&[1, 1], &[0, 1], &[1, 1], &[ComparisonOutcome::Tie; 2]).is_err());
        assert!(votes.add(&[1], &[0, 1], &[1, 0], &[ComparisonOutcome::Tie; 2]).is_err());
        assert_eq!((votes.clusters(), votes.table().total()), (0, 0));
    }
}
