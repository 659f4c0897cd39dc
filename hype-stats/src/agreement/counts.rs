//! How often each item got each value.

use super::intern::{Interner, Values};
use crate::StatError;
use crate::parallel;

/// The number of values examined before a table is allocated, which then rarely has to be
/// reallocated.
const SEEDS: usize = 1024;
/// The number of values up to which a table has exactly one column per value.
const NARROW: usize = 8;
/// Rows from which columns are counted on several threads.
const PARALLEL: usize = 1 << 17;
/// Cells that a table may always have, 4 MiB.
const SMALL_TABLE: u128 = 1 << 20;
/// Cells that a table may have for each rating; beyond, the cells in use are kept in a hash table.
const CELLS_FOR_EACH_RATING: u128 = 16;

/// How often each item got each value: the ratings without the raters.
///
/// A repeated rating of an item by the same rater counts as another rating, since raters are not
/// stored here: a caller whose cells must hold at most one rating has to check that
/// (`AgreementRatings` can).
///
/// Memory grows with items × different values (four bytes each) where that is at most 16 times the
/// number of ratings, otherwise with the number of different (item, value) pairs (20 bytes each).
///
/// # Examples
///
/// ```
/// use hype_stats::agreement::{ItemCounts, ScaleDifference, krippendorff_alpha};
/// let mut counts = ItemCounts::from_columns(&[0, 0, 1, 1], &[4.0, 4.0, 2.0, 1.0])?;
/// counts.add(2, 5.0)?;
/// counts.merge(&ItemCounts::from_columns(&[2, 2], &[5.0, 4.0])?)?;
/// let alpha = krippendorff_alpha(&counts, ScaleDifference::Ordinal)?;
/// assert_eq!((alpha.paired_items, alpha.pairable_ratings), (3, 7));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ItemCounts {
    values: Values,
    ratings: u64,
    /// The number of increments of counts, of any size, which bounds memory.
    entries: u64,
    /// One more than the highest item.
    rows: u64,
    cells: Cells,
    /// The cluster of each item by its number, where items are clustered.
    clusters: Option<Vec<u32>>,
}

#[derive(Debug, Clone)]
enum Cells {
    /// A row for each item up to the highest, of `width` counts.
    Table { counts: Vec<u32>, width: usize },
    /// Counts of the cells in use, whose keys are item and value in one word.
    Hashed { cells: Interner, counts: Vec<u32> },
}

impl Default for Cells {
    fn default() -> Self {
        Self::Table { counts: Vec::new(), width: 1 }
    }
}

const fn cell_key(item: u32, value: u32) -> u64 {
    ((item as u64) << 32) | value as u64
}

fn count_up(count: &mut u32, by: u32) -> Result<(), StatError> {
    // The error is made only where it is needed: this is the innermost step of reading.
    *count = count.checked_add(by).ok_or_else(|| StatError::Parameter {
        parameter: "number of equal ratings of an item",
        expected: "below 2^32",
        got: f64::from(*count) + f64::from(by),
    })?;
    Ok(())
}

impl ItemCounts {
    /// Starts without ratings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts without ratings, with the possible values.
    ///
    /// A value that does not occur is then still a category of Fleiss' kappa.
    ///
    /// # Errors
    ///
    /// [`StatError::NotFinite`] for NaN or infinity.
    pub fn with_categories(categories: &[f64]) -> Result<Self, StatError> {
        let mut counts = Self::new();
        for (index, &category) in categories.iter().enumerate() {
            counts.learn(category, index)?;
        }
        Ok(counts)
    }

    /// Counts columns of items and values, on all threads of the current pool.
    ///
    /// # Errors
    ///
    /// As [`Self::extend`].
    pub fn from_columns(items: &[u32], values: &[f64]) -> Result<Self, StatError> {
        let mut counts = Self::new();
        let threads = rayon::current_num_threads();
        if items.len() != values.len() || items.len() < PARALLEL || threads < 2 {
            counts.extend(items, values)?;
            return Ok(counts);
        }
        // All parts start from the same values, and mostly merge without a lookup.
        counts.learn_first(values)?;
        let size = items.len().div_ceil(threads);
        let parts = parallel::map(items.len().div_ceil(size), |part| {
            let rows = part * size..items.len().min((part + 1) * size);
            let mut counts = counts.clone();
            counts.extend_from(&items[rows.clone()], &values[rows], part * size).map(|()| counts)
        });
        let parts = parts.into_iter().collect::<Result<Vec<Self>, _>>()?;
        let mut parts = parts.into_iter();
        let mut counts = parts.next().unwrap_or_default();
        for part in parts {
            counts.merge(&part)?;
        }
        Ok(counts)
    }

    /// Counts one rating.
    ///
    /// # Errors
    ///
    /// [`StatError::NotFinite`] for NaN or infinity, with index 0.
    pub fn add(&mut self, item: u32, value: f64) -> Result<(), StatError> {
        let level = match self.values.find(value) {
            Some(level) => level,
            None => self.learn(value, 0)?,
        };
        let ready = match &self.cells {
            Cells::Table { width, .. } => u64::from(item) < self.rows && (level as usize) < *width,
            // A table may have become the smaller form, which is checked now and then.
            Cells::Hashed { .. } => !self.entries.is_power_of_two() && u64::from(item) < self.rows,
        };
        if !ready {
            self.prepare(item, 1);
        }
        self.count(item, level, 1)
    }

    /// Counts a chunk of ratings.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] if the slices differ in length, and [`StatError::NotFinite`] for NaN or
    /// infinity; the ratings before it stay counted. [`StatError::Parameter`] for 2^32 equal ratings
    /// of an item.
    pub fn extend(&mut self, items: &[u32], values: &[f64]) -> Result<(), StatError> {
        self.extend_from(items, values, 0)
    }

    /// [`Self::extend`] with the position of the first row among all rows, which errors contain.
    fn extend_from(&mut self, items: &[u32], values: &[f64], first: usize) -> Result<(), StatError> {
        if items.len() != values.len() {
            return Err(StatError::Lengths { statistic: "ratings", left: items.len(), right: values.len() });
        }
        let Some(&highest) = items.iter().max() else {
            return Ok(());
        };
        self.learn_first(values)?;
        self.prepare(highest, items.len() as u64);
        let mut done = 0;
        loop {
            done += self.count_known(&items[done..], &values[done..])?;
            let Some(&value) = values.get(done) else {
                return Ok(());
            };
            self.learn(value, first + done)?;
            self.prepare(highest, (items.len() - done) as u64);
        }
    }

    /// Numbers the first values without checking them; invalid ones are refused later.
    fn learn_first(&mut self, values: &[f64]) -> Result<(), StatError> {
        for &value in values.iter().take(SEEDS).filter(|value| value.is_finite()) {
            self.values.intern(value)?;
        }
        Ok(())
    }

    /// Counts up to the first new value, and returns the number counted.
    fn count_known(&mut self, items: &[u32], values: &[f64]) -> Result<usize, StatError> {
        let done = match &mut self.cells {
            Cells::Table { counts, width } => {
                count_known_in_table(&self.values, counts, *width, items, values)?
            }
            Cells::Hashed { cells, counts } => {
                let mut done = 0;
                for (&item, &value) in items.iter().zip(values) {
                    let Some(level) = self.values.find(value) else {
                        break;
                    };
                    count_hashed(cells, counts, cell_key(item, level), 1)?;
                    done += 1;
                }
                done
            }
        };
        self.ratings += done as u64;
        self.entries += done as u64;
        Ok(done)
    }

    /// Adds the ratings of another; a rating in both counts twice.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for 2^32 equal ratings of an item.
    pub fn merge(&mut self, other: &Self) -> Result<(), StatError> {
        let levels: Vec<u32> =
            other.values.iter().map(|value| self.values.intern(value)).collect::<Result<_, _>>()?;
        let Some(highest) = other.rows.checked_sub(1) else {
            return Ok(());
        };
        self.prepare(highest as u32, other.entries);
        let entries = self.entries + other.entries;
        let same = levels.iter().zip(0..).all(|(&level, own)| level == own);
        match (&mut self.cells, &other.cells) {
            (Cells::Table { counts, width }, Cells::Table { counts: others, width: other_width })
                if same && *width == *other_width =>
            {
                for (count, &by) in counts.iter_mut().zip(others) {
                    count_up(count, by)?;
                }
                self.ratings += other.ratings;
            }
            _ => other.for_each_cell(|item, level, count| self.count(item, levels[level as usize], count))?,
        }
        self.entries = entries;
        Ok(())
    }

    /// Says what items vary together, such as outputs of one prompt, for intervals over items; the number of an item is its place, and
    /// an item without a place is a cluster of its own.
    #[must_use]
    pub fn with_clusters(self, clusters: Vec<u32>) -> Self {
        Self { clusters: Some(clusters), ..self }
    }

    /// The clusters of items by their numbers, if they are clustered.
    pub(super) fn clusters(&self) -> Option<&[u32]> {
        self.clusters.as_deref()
    }

    /// Number of ratings.
    #[must_use]
    pub const fn ratings(&self) -> u64 {
        self.ratings
    }

    /// The different values in ascending order, with those of [`Self::with_categories`].
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        self.values.sorted()
    }

    /// The table of counts, if there is one, and the width of its rows.
    pub(super) fn table(&self) -> Option<(&[u32], usize)> {
        match &self.cells {
            Cells::Table { counts, width } => Some((counts, *width)),
            Cells::Hashed { .. } => None,
        }
    }

    /// Columns of the table in ascending order of their values.
    pub(super) fn order(&self) -> Vec<u32> {
        self.values.ascending()
    }

    /// The cells in use as (item, position of the value in [`Self::values`], count), in that order.
    pub(super) fn sorted_cells(&self) -> Vec<(u32, u32, u32)> {
        let places = self.values.places();
        let mut cells = Vec::new();
        // The visitor never fails, so neither does the visit.
        let _ = self.for_each_cell(|item, level, count| {
            cells.push((item, places[level as usize], count));
            Ok(())
        });
        cells.sort_unstable();
        cells
    }

    fn for_each_cell(
        &self,
        mut visit: impl FnMut(u32, u32, u32) -> Result<(), StatError>,
    ) -> Result<(), StatError> {
        match &self.cells {
            Cells::Table { counts, width } => {
                for (item, row) in (0..).zip(counts.chunks_exact(*width)) {
                    for (level, &count) in (0..).zip(row) {
                        if count > 0 {
                            visit(item, level, count)?;
                        }
                    }
                }
            }
            Cells::Hashed { cells, counts } => {
                for (&key, &count) in cells.keys().iter().zip(counts) {
                    visit((key >> 32) as u32, key as u32, count)?;
                }
            }
        }
        Ok(())
    }

    /// Numbers a value that may be new.
    #[cold]
    fn learn(&mut self, value: f64, index: usize) -> Result<u32, StatError> {
        if !value.is_finite() {
            return Err(StatError::NotFinite { statistic: "ratings", index, got: value });
        }
        self.values.intern(value)
    }

    fn count(&mut self, item: u32, level: u32, by: u32) -> Result<(), StatError> {
        self.ratings += u64::from(by);
        self.entries += 1;
        match &mut self.cells {
            Cells::Table { counts, width } => {
                count_up(&mut counts[item as usize * *width + level as usize], by)
            }
            Cells::Hashed { cells, counts } => count_hashed(cells, counts, cell_key(item, level), by),
        }
    }

    /// Allocates the item, all known values and the ratings to come, in the smaller form.
    #[cold]
    fn prepare(&mut self, item: u32, incoming: u64) {
        self.rows = self.rows.max(u64::from(item) + 1);
        let known = self.values.len();
        // A wide table has spare columns: it is not reallocated for every new value.
        let wanted_width = if known <= NARROW { known.max(1) } else { known.next_power_of_two() };
        let wanted = u128::from(self.rows) * wanted_width as u128;
        let room = SMALL_TABLE.max(CELLS_FOR_EACH_RATING * u128::from(self.entries + incoming));
        match &mut self.cells {
            Cells::Table { counts, width } if wanted <= room && *width == wanted_width => {
                counts.resize(wanted as usize, 0);
            }
            Cells::Hashed { .. } if wanted > room => {}
            _ => {
                let mut fresh = Self {
                    cells: if wanted <= room {
                        let counts = vec![0; wanted as usize];
                        Cells::Table { counts, width: wanted_width }
                    } else {
                        Cells::Hashed { cells: Interner::default(), counts: Vec::new() }
                    },
                    ..Self::default()
                };
                // Every cell has the same count as before, so no count is too large; fewer cells are
                // in use than fit into memory, so no number is too large either.
                let _ = self.for_each_cell(|item, level, count| fresh.count(item, level, count));
                self.cells = fresh.cells;
            }
        }
    }
}

/// The innermost loop of reading, a separate function whose variables stay in registers.
fn count_known_in_table(
    known: &Values,
    counts: &mut [u32],
    width: usize,
    items: &[u32],
    values: &[f64],
) -> Result<usize, StatError> {
    for (index, (&item, &value)) in items.iter().zip(values).enumerate() {
        let Some(level) = known.find(value) else {
            return Ok(index);
        };
        count_up(&mut counts[item as usize * width + level as usize], 1)?;
    }
    Ok(items.len())
}

#[inline]
fn count_hashed(cells: &mut Interner, counts: &mut Vec<u32>, key: u64, by: u32) -> Result<(), StatError> {
    let cell = cells.intern(key)? as usize;
    match counts.get_mut(cell) {
        Some(count) => count_up(count, by),
        None => {
            counts.push(by);
            Ok(())
        }
    }
}
