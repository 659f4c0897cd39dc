//! Two crossed factors, such as raters and images, both resampled.

use super::draws::{Bound, Draws};
use super::{BLOCK, Distribution, check_count, check_units};
use crate::StatError;
use crate::describe;
use crate::parallel;

/// The number of items that a product processes at once: as many as fill eight registers of 128 bits.
const WIDE: usize = 16;
/// The same for 16-bit integers, with half of the registers for the sums.
const SMALL: usize = 32;

/// The resamples of two factors: drawn from a seed, or given.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum CrossedResamples<'a> {
    /// Draws raters and items independently, each uniformly with replacement.
    Seeded {
        /// Number of resamples.
        count: usize,
        /// Seed of all streams; the same seed gives the same resamples.
        seed: u64,
    },
    /// Takes the given indices, one resample after the other.
    Explicit {
        /// Drawn raters, each resample as long as there are raters.
        raters: &'a [u32],
        /// Drawn items, each resample as long as there are items.
        items: &'a [u32],
    },
}

impl CrossedResamples<'_> {
    /// Asks for `count` resamples drawn from `seed`.
    #[must_use]
    pub const fn seeded(count: usize, seed: u64) -> Self {
        Self::Seeded { count, seed }
    }

    fn count(&self, raters: usize, items: usize) -> Result<usize, StatError> {
        let count = match *self {
            Self::Seeded { count, .. } => count,
            Self::Explicit { raters: drawn_raters, items: drawn_items } => {
                let count = super::Resamples::Explicit(drawn_raters).count(raters)?;
                let other = super::Resamples::Explicit(drawn_items).count(items)?;
                if count != other {
                    return Err(StatError::Lengths {
                        statistic: "crossed bootstrap",
                        left: count,
                        right: other,
                    });
                }
                count
            }
        };
        check_count(count)?;
        Ok(count)
    }
}

/// Responses of raters to items, any number in each cell, ready to be resampled both ways.
///
/// # Method
///
/// The pigeonhole bootstrap (Owen 2007; Owen and Eckles 2012): raters and items are drawn
/// independently, and a cell counts as often as its rater times as often as its item. The statistic
/// is the mean of all responses so weighted. Its variance is conservative for crossed random effects;
/// empty cells are allowed, and a resample that meets only empty cells is counted as undefined.
///
/// # Examples
///
/// ```
/// use hype_stats::bootstrap::{Crossed, CrossedResamples};
/// let cells = [Some(4.0), Some(2.0), Some(5.0), Some(3.0), None, Some(4.0)];
/// let ratings = Crossed::from_matrix(2, 3, &cells)?;
/// assert_eq!(ratings.estimate(), 3.6);
/// let distribution = ratings.bootstrap(CrossedResamples::seeded(2_000, 7))?;
/// assert!(distribution.standard_deviation()? > 0.0);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Crossed {
    raters: usize,
    items: usize,
    sums: Matrix,
    counts: Counts,
}

/// The number of responses in the cells.
#[derive(Debug, Clone)]
enum Counts {
    /// The same number in every cell, so every resample has the same number of responses.
    Equal(f64),
    Varying(Matrix),
}

impl Crossed {
    /// Creates responses from a matrix with one row for each rater and `None` in empty cells.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] if there are not raters × items cells, otherwise as
    /// [`Self::from_responses`].
    pub fn from_matrix(raters: usize, items: usize, cells: &[Option<f64>]) -> Result<Self, StatError> {
        if raters.checked_mul(items) != Some(cells.len()) {
            return Err(StatError::Lengths {
                statistic: "crossed bootstrap",
                left: cells.len(),
                right: raters.saturating_mul(items),
            });
        }
        let responses = cells
            .iter()
            .enumerate()
            .filter_map(|(place, cell)| cell.map(|value| (place / items, place % items, value)));
        Self::from_responses(raters, items, responses)
    }

    /// Creates responses from (rater, item, value), in any order and any number for each cell.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for fewer than two raters or items or without any response,
    /// [`StatError::NotFinite`] for NaN or infinity, and [`StatError::Parameter`] for a rater or
    /// item outside the named numbers.
    pub fn from_responses(
        raters: usize,
        items: usize,
        responses: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Self, StatError> {
        for (of, got) in [("raters", raters), ("items", items)] {
            check_units(got)?;
            if got < 2 {
                return Err(StatError::TooFew { statistic: "crossed bootstrap", needed: 2, of, got });
            }
        }
        let cells = raters
            .checked_mul(items.next_multiple_of(SMALL))
            .filter(|&cells| cells <= isize::MAX as usize / size_of::<f64>())
            .ok_or(StatError::Parameter {
                parameter: "number of cells",
                expected: "within memory",
                got: raters as f64 * items as f64,
            })?;
        let (mut sums, mut counts) = (vec![0.0; cells], vec![0.0_f64; cells]);
        sums.truncate(raters * items);
        counts.truncate(raters * items);
        let mut seen = 0_usize;
        for (index, (rater, item, value)) in responses.into_iter().enumerate() {
            for (parameter, expected, got, limit) in [
                ("rater", "less than the number of raters", rater, raters),
                ("item", "less than the number of items", item, items),
            ] {
                if got >= limit {
                    return Err(StatError::Parameter { parameter, expected, got: got as f64 });
                }
            }
            if !value.is_finite() {
                return Err(StatError::NotFinite { statistic: "crossed bootstrap", index, got: value });
            }
            sums[rater * items + item] += value;
            counts[rater * items + item] += 1.0;
            seen += 1;
        }
        if seen == 0 {
            return Err(StatError::TooFew {
                statistic: "crossed bootstrap",
                needed: 1,
                of: "responses",
                got: 0,
            });
        }
        let equal = counts.iter().all(|count| count.total_cmp(&counts[0]).is_eq());
        Ok(Self {
            raters,
            items,
            sums: Matrix::new(raters, items, &sums),
            counts: if equal {
                Counts::Equal(seen as f64)
            } else {
                Counts::Varying(Matrix::new(raters, items, &counts))
            },
        })
    }

    /// The mean of all responses.
    #[must_use]
    pub fn estimate(&self) -> f64 {
        let raters: Vec<u32> = (0..self.raters as u32).collect();
        let mut items = ItemWeights::new(self.items);
        items.set(std::iter::repeat_n(1, self.items));
        self.weighted_mean(&raters, &items)
    }

    /// Resamples both raters and items.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for fewer than two resamples, [`StatError::Lengths`] or
    /// [`StatError::Parameter`] for given indices that do not fit, and [`StatError::Degenerate`] if
    /// nearly all resamples meet only empty cells.
    pub fn bootstrap(&self, resamples: CrossedResamples<'_>) -> Result<Distribution, StatError> {
        let replicates = replicate(
            self.raters,
            self.items,
            resamples,
            || (ItemWeights::new(self.items), vec![0; self.items]),
            |(items, weights), drawn_raters, drawn_items| {
                count_draws(drawn_items, weights);
                items.set(weights.iter().copied());
                self.weighted_mean(drawn_raters, items)
            },
        )?;
        Distribution::new(self.estimate(), replicates, None)
    }

    fn weighted_mean(&self, raters: &[u32], items: &ItemWeights) -> f64 {
        let total = self.sums.product(raters, items);
        match &self.counts {
            Counts::Equal(count) => total / count,
            Counts::Varying(counts) => total / counts.product(raters, items),
        }
    }
}

/// A matrix of sums or counts, laid out for products with drawn raters and weighted items.
#[derive(Debug, Clone)]
enum Matrix {
    /// Integers so small that a column's sum over drawn raters fits 16 bits, which is four times as
    /// fast. Sums of integers are exact in both forms, so the results are the same.
    Small(Tiles<i16, SMALL>),
    Wide(Tiles<f64, WIDE>),
}

impl Matrix {
    fn new(raters: usize, items: usize, cells: &[f64]) -> Self {
        let largest = cells.iter().fold(0.0, |largest: f64, cell| largest.max(cell.abs()));
        let whole = cells.iter().all(|cell| cell.fract().abs() <= 0.0);
        // A tile's lane grows by at most `largest × raters × item weight` for each group of items.
        let small = whole
            && largest * raters as f64 <= f64::from(i16::MAX)
            && items <= i16::MAX as usize
            && largest * raters as f64 * items as f64 <= f64::from(i32::MAX);
        if small {
            Self::Small(Tiles::new(raters, items, cells, |cell| cell as i16))
        } else {
            Self::Wide(Tiles::new(raters, items, cells, |cell| cell))
        }
    }

    /// Σ over drawn raters and weighted items of the cells.
    fn product(&self, raters: &[u32], items: &ItemWeights) -> f64 {
        match self {
            Self::Small(tiles) => tiles.product(raters, &items.small),
            Self::Wide(tiles) => tiles.product(raters, &items.wide),
        }
    }
}

/// How often each item was drawn, in both forms, padded to whole groups.
struct ItemWeights {
    small: Vec<[i16; SMALL]>,
    wide: Vec<[f64; WIDE]>,
}

impl ItemWeights {
    fn new(items: usize) -> Self {
        Self { small: vec![[0; SMALL]; items.div_ceil(SMALL)], wide: vec![[0.0; WIDE]; items.div_ceil(WIDE)] }
    }

    fn set(&mut self, weights: impl Iterator<Item = u32>) {
        let small = self.small.as_flattened_mut().iter_mut();
        let wide = self.wide.as_flattened_mut().iter_mut();
        for ((small, wide), weight) in small.zip(wide).zip(weights) {
            // The small form is used for at most 32,767 items only, so no weight exceeds it there.
            *small = i16::try_from(weight).unwrap_or(i16::MAX);
            *wide = f64::from(weight);
        }
    }
}

/// A matrix divided into groups of `L` items with all raters, padded with zeros.
#[derive(Debug, Clone)]
struct Tiles<T, const L: usize> {
    raters: usize,
    values: Vec<[T; L]>,
}

impl<T: Copy + Default, const L: usize> Tiles<T, L> {
    fn new(raters: usize, items: usize, cells: &[f64], convert: impl Fn(f64) -> T) -> Self {
        let mut values = vec![[T::default(); L]; raters * items.div_ceil(L)];
        for (rater, row) in cells.chunks_exact(items).enumerate() {
            for (item, &cell) in row.iter().enumerate() {
                values[item / L * raters + rater][item % L] = convert(cell);
            }
        }
        Self { raters, values }
    }
}

impl Tiles<f64, WIDE> {
    fn product(&self, raters: &[u32], items: &[[f64; WIDE]]) -> f64 {
        let mut lanes = [0.0; WIDE];
        for (tile, weights) in self.values.chunks_exact(self.raters).zip(items) {
            let mut column = [0.0; WIDE];
            for &rater in raters {
                for (total, value) in column.iter_mut().zip(&tile[rater as usize]) {
                    *total += value;
                }
            }
            for ((lane, total), weight) in lanes.iter_mut().zip(column).zip(weights) {
                *lane += total * weight;
            }
        }
        describe::sum(&lanes)
    }
}

impl Tiles<i16, SMALL> {
    fn product(&self, raters: &[u32], items: &[[i16; SMALL]]) -> f64 {
        let mut lanes = [0_i32; SMALL];
        for (tile, weights) in self.values.chunks_exact(self.raters).zip(items) {
            let mut column = [0_i16; SMALL];
            for &rater in raters {
                for (total, value) in column.iter_mut().zip(&tile[rater as usize]) {
                    *total = total.wrapping_add(*value);
                }
            }
            for ((lane, total), weight) in lanes.iter_mut().zip(column).zip(weights) {
                *lane = lane.wrapping_add(i32::from(total) * i32::from(*weight));
            }
        }
        f64::from(lanes.iter().fold(0_i32, |total, &lane| total.wrapping_add(lane)))
    }
}

/// Bootstraps any statistic of two crossed factors, which receives the weights of raters and items.
///
/// A weight is how often the rater or item was drawn; a response counts with the product of both. On
/// the data themselves all weights are 1. If the statistic is NaN or infinite, the resample counts
/// as undefined.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two raters, items or resamples, [`StatError::Lengths`] or
/// [`StatError::Parameter`] for given indices that do not fit, and [`StatError::Degenerate`] if the
/// statistic is not finite on the data.
pub fn crossed_statistic(
    raters: usize,
    items: usize,
    resamples: CrossedResamples<'_>,
    statistic: impl Fn(&[u32], &[u32]) -> f64 + Sync,
) -> Result<Distribution, StatError> {
    for (of, got) in [("raters", raters), ("items", items)] {
        if got < 2 {
            return Err(StatError::TooFew { statistic: "crossed bootstrap", needed: 2, of, got });
        }
    }
    let replicates = replicate(
        raters,
        items,
        resamples,
        || (vec![0; raters], vec![0; items]),
        |(rater_weights, item_weights), drawn_raters, drawn_items| {
            count_draws(drawn_raters, rater_weights);
            count_draws(drawn_items, item_weights);
            statistic(rater_weights, item_weights)
        },
    )?;
    let estimate = statistic(&vec![1; raters], &vec![1; items]);
    Distribution::new(estimate, replicates, None)
}

/// Calls the statistic with the drawn raters and items of every resample, in parallel over blocks.
fn replicate<S>(
    raters: usize,
    items: usize,
    resamples: CrossedResamples<'_>,
    scratch: impl Fn() -> S + Sync,
    statistic: impl Fn(&mut S, &[u32], &[u32]) -> f64 + Sync,
) -> Result<Vec<f64>, StatError> {
    let rater_bound = Bound::new(check_units(raters)?);
    let item_bound = Bound::new(check_units(items)?);
    let mut replicates = vec![0.0; resamples.count(raters, items)?];
    parallel::for_each_of(replicates.chunks_mut(BLOCK), |block, replicates| {
        let mut scratch = scratch();
        match resamples {
            CrossedResamples::Seeded { seed, .. } => {
                let mut draws = Draws::new(seed, block as u64);
                let (mut drawn_raters, mut drawn_items) = (vec![0; raters], vec![0; items]);
                for replicate in replicates {
                    draws.fill_below(rater_bound, &mut drawn_raters);
                    draws.fill_below(item_bound, &mut drawn_items);
                    *replicate = statistic(&mut scratch, &drawn_raters, &drawn_items);
                }
            }
            CrossedResamples::Explicit { raters: all_raters, items: all_items } => {
                let start = block * BLOCK;
                let rows = all_raters[start * raters..]
                    .chunks_exact(raters)
                    .zip(all_items[start * items..].chunks_exact(items));
                for (replicate, (drawn_raters, drawn_items)) in replicates.iter_mut().zip(rows) {
                    *replicate = statistic(&mut scratch, drawn_raters, drawn_items);
                }
            }
        }
    });
    Ok(replicates)
}

fn count_draws(drawn: &[u32], weights: &mut [u32]) {
    weights.fill(0);
    for &index in drawn {
        weights[index as usize] += 1;
    }
}
