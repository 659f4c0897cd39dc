//! Ratings with their raters.

use super::ItemCounts;
use super::intern::Values;
use super::items::units_of;
use crate::StatError;

/// Ratings as (item, rater, value), in any order.
///
/// Memory grows with the ratings, 12 bytes each. A rater may rate an item again. The meaning depends on
/// the statistic: for [`Self::item_counts`] and the bootstrap over raters it is another rating of the
/// item, while [`Self::paired`] and [`Self::complete`] need one rating in a cell and refuse it.
///
/// # Examples
///
/// ```
/// use hype_stats::agreement::{AgreementRatings, Weights, cohen_kappa};
/// let mut ratings = AgreementRatings::from_columns(&[1, 1, 2, 2], &[8, 9, 8, 9], &[4.0, 5.0, 1.0, 1.0])?;
/// ratings.add(3, 9, 5.0)?;
/// let (first, second) = ratings.paired(8, 9)?;
/// assert_eq!((first, second), (vec![4.0, 1.0], vec![5.0, 1.0]));
/// assert_eq!(ratings.complete()?.incomplete_items, 1);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct AgreementRatings {
    values: Values,
    items: Vec<u32>,
    raters: Vec<u32>,
    levels: Vec<u32>,
    clusters: Option<Vec<u32>>,
}

/// The items that every rater rated, ready for [`icc`](super::icc) and [`kendall_w`](super::kendall_w).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CompleteRatings {
    /// Values of each item, in the order of the raters.
    pub rows: Vec<Vec<f64>>,
    /// The items, ascending.
    pub items: Vec<u32>,
    /// The raters, ascending.
    pub raters: Vec<u32>,
    /// Number of rated items that are omitted because some rater did not rate them.
    pub incomplete_items: usize,
}

/// A rating in the order of items, values and raters, all as dense numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    pub(super) item: u32,
    pub(super) place: u32,
    pub(super) rater: u32,
}

impl AgreementRatings {
    /// Starts without ratings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates ratings from columns of items, raters and values.
    ///
    /// # Errors
    ///
    /// As [`Self::extend`].
    pub fn from_columns(items: &[u32], raters: &[u32], values: &[f64]) -> Result<Self, StatError> {
        let mut ratings = Self::new();
        ratings.extend(items, raters, values)?;
        Ok(ratings)
    }

    /// Adds one rating.
    ///
    /// # Errors
    ///
    /// [`StatError::NotFinite`] for NaN or infinity, with index 0.
    pub fn add(&mut self, item: u32, rater: u32, value: f64) -> Result<(), StatError> {
        self.extend(&[item], &[rater], &[value])
    }

    /// Adds a chunk of ratings; on failure, none of them is added.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] if the slices differ in length, and [`StatError::NotFinite`] for NaN or
    /// infinity.
    pub fn extend(&mut self, items: &[u32], raters: &[u32], values: &[f64]) -> Result<(), StatError> {
        for length in [raters.len(), values.len()] {
            if length != items.len() {
                return Err(StatError::Lengths { statistic: "ratings", left: items.len(), right: length });
            }
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(StatError::NotFinite { statistic: "ratings", index, got: values[index] });
        }
        let known = self.levels.len();
        self.levels.reserve(values.len());
        for &value in values {
            match self.values.intern(value) {
                Ok(level) => self.levels.push(level),
                Err(error) => {
                    self.levels.truncate(known);
                    return Err(error);
                }
            }
        }
        self.items.extend_from_slice(items);
        self.raters.extend_from_slice(raters);
        Ok(())
    }

    /// Number of ratings.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no ratings.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The number of items with ratings.
    #[must_use]
    pub fn items(&self) -> usize {
        distinct(&self.items).len()
    }

    /// Says what items vary together, as [`ItemCounts::with_clusters`].
    #[must_use]
    pub fn with_clusters(self, clusters: Vec<u32>) -> Self {
        Self { clusters: Some(clusters), ..self }
    }

    /// The number of clusters of items with ratings, or of items if they are not clustered.
    #[must_use]
    pub fn units(&self) -> usize {
        self.unit_of_items().1
    }

    /// For each item with ratings in ascending order, the number of its cluster, or its own if items are not clustered.
    pub(super) fn unit_of_items(&self) -> (Vec<u32>, usize) {
        let items = distinct(&self.items);
        match &self.clusters {
            Some(clusters) => units_of(&items, clusters),
            None => ((0..items.len() as u32).collect(), items.len()),
        }
    }

    /// The number of raters.
    #[must_use]
    pub fn raters(&self) -> usize {
        distinct(&self.raters).len()
    }

    /// Counts how often each item got each value.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for 2^32 equal ratings of an item.
    pub fn item_counts(&self) -> Result<ItemCounts, StatError> {
        const CHUNK: usize = 1 << 16;
        let mut counts = ItemCounts::with_categories(&self.sorted_values())?;
        let mut values = Vec::with_capacity(CHUNK.min(self.len()));
        for (items, levels) in self.items.chunks(CHUNK).zip(self.levels.chunks(CHUNK)) {
            values.clear();
            values.extend(levels.iter().map(|&level| self.values.value(level)));
            counts.extend(items, &values)?;
        }
        Ok(match &self.clusters {
            Some(clusters) => counts.with_clusters(clusters.clone()),
            None => counts,
        })
    }

    /// The values that two raters gave to the items that both rated, in the order of the items.
    ///
    /// # Errors
    ///
    /// [`StatError::Degenerate`] if one of them rated an item twice.
    pub fn paired(&self, first: u32, second: u32) -> Result<(Vec<f64>, Vec<f64>), StatError> {
        let column = |rater: u32| {
            let own = self.raters.iter().zip(&self.items).zip(&self.levels);
            let mut own: Vec<(u32, u32)> = own
                .filter(|((from, _), _)| **from == rater)
                .map(|((_, item), level)| (*item, *level))
                .collect();
            own.sort_unstable();
            if own.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                Err(twice("paired ratings"))
            } else {
                Ok(own)
            }
        };
        let (first, second) = (column(first)?, column(second)?);
        let mut others = second.iter().peekable();
        let mut pairs = (Vec::new(), Vec::new());
        for (item, level) in first {
            while others.next_if(|other| other.0 < item).is_some() {}
            if let Some(other) = others.next_if(|other| other.0 == item) {
                pairs.0.push(self.values.value(level));
                pairs.1.push(self.values.value(other.1));
            }
        }
        Ok(pairs)
    }

    /// The items that every rater rated.
    ///
    /// # Errors
    ///
    /// [`StatError::Degenerate`] if a rater rated an item twice.
    pub fn complete(&self) -> Result<CompleteRatings, StatError> {
        let raters = distinct(&self.raters);
        let mut order: Vec<(u32, u32, u32)> = self
            .items
            .iter()
            .zip(&self.raters)
            .zip(&self.levels)
            .map(|((&item, &rater), &level)| (item, rater, level))
            .collect();
        order.sort_unstable();
        if order.windows(2).any(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
            return Err(twice("complete ratings"));
        }
        let mut complete =
            CompleteRatings { rows: Vec::new(), items: Vec::new(), raters, incomplete_items: 0 };
        for cells in order.chunk_by(|left, right| left.0 == right.0) {
            if cells.len() == complete.raters.len() {
                complete.items.push(cells[0].0);
                complete.rows.push(cells.iter().map(|&(_, _, level)| self.values.value(level)).collect());
            } else {
                complete.incomplete_items += 1;
            }
        }
        Ok(complete)
    }

    /// The different values in ascending order.
    pub(super) fn sorted_values(&self) -> Vec<f64> {
        self.values.sorted()
    }

    /// All ratings in order, with items, values and raters numbered densely in ascending order.
    pub(super) fn sorted_cells(&self) -> Vec<Cell> {
        let places = self.values.places();
        let (items, raters) = (distinct(&self.items), distinct(&self.raters));
        let number = |names: &[u32], name: u32| names.partition_point(|other| *other < name) as u32;
        let mut cells: Vec<Cell> = self
            .items
            .iter()
            .zip(&self.raters)
            .zip(&self.levels)
            .map(|((&item, &rater), &level)| Cell {
                item: number(&items, item),
                place: places[level as usize],
                rater: number(&raters, rater),
            })
            .collect();
        cells.sort_unstable();
        cells
    }

    /// Number of different raters.
    pub(super) fn rater_count(&self) -> usize {
        distinct(&self.raters).len()
    }
}

fn distinct(names: &[u32]) -> Vec<u32> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names.dedup();
    names
}

const fn twice(statistic: &'static str) -> StatError {
    StatError::Degenerate { statistic, reason: "a rater rated the same item more than once" }
}
