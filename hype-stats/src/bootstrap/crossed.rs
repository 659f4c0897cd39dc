//! Two crossed factors, such as raters and images, resampled at once.

use rayon::prelude::*;

use super::draws::{Bound, Draws};
use super::{BLOCK, Distribution, check_count, check_units};
use crate::StatError;

/// Items that the inner product takes at once.
const LANES: usize = 8;

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
            Self::Explicit {
                raters: drawn_raters,
                items: drawn_items,
            } => {
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
    sums: Tiles,
    counts: Cells,
}

/// How many responses the cells hold.
#[derive(Debug, Clone)]
enum Cells {
    /// As many in every cell, so that every resample has the same number of responses.
    Equal(f64),
    Varying(Tiles),
}

impl Crossed {
    /// Takes a matrix of single responses, one row for each rater, with `None` in empty cells.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] if there are not raters × items cells, otherwise as
    /// [`Self::from_responses`].
    pub fn from_matrix(
        raters: usize,
        items: usize,
        cells: &[Option<f64>],
    ) -> Result<Self, StatError> {
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

    /// Takes responses as (rater, item, value), in any order and any number for each cell.
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
                return Err(StatError::TooFew {
                    statistic: "crossed bootstrap",
                    needed: 2,
                    of,
                    got,
                });
            }
        }
        if raters.checked_mul(items.next_multiple_of(LANES)).is_none() {
            return Err(StatError::Parameter {
                parameter: "number of cells",
                expected: "within memory",
                got: raters as f64 * items as f64,
            });
        }
        let (mut sums, mut counts) = (Tiles::new(raters, items), Tiles::new(raters, items));
        let mut seen = 0_usize;
        for (index, (rater, item, value)) in responses.into_iter().enumerate() {
            for (parameter, expected, got, limit) in [
                ("rater", "less than the number of raters", rater, raters),
                ("item", "less than the number of items", item, items),
            ] {
                if got >= limit {
                    return Err(StatError::Parameter {
                        parameter,
                        expected,
                        got: got as f64,
                    });
                }
            }
            if !value.is_finite() {
                return Err(StatError::NotFinite {
                    statistic: "crossed bootstrap",
                    index,
                    got: value,
                });
            }
            *sums.cell(rater, item) += value;
            *counts.cell(rater, item) += 1.0;
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
        let first = *counts.cell(0, 0);
        let equal = (0..raters)
            .all(|rater| (0..items).all(|item| counts.cell(rater, item).total_cmp(&first).is_eq()));
        let counts = if equal {
            Cells::Equal(first * raters as f64 * items as f64)
        } else {
            Cells::Varying(counts)
        };
        Ok(Self {
            raters,
            items,
            sums,
            counts,
        })
    }

    /// The mean of all responses.
    #[must_use]
    pub fn estimate(&self) -> f64 {
        let raters: Vec<(usize, f64)> = (0..self.raters).map(|rater| (rater, 1.0)).collect();
        self.weighted_mean(&raters, &vec![1.0; self.items.next_multiple_of(LANES)])
    }

    /// Resamples raters and items at once.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for fewer than two resamples, [`StatError::Lengths`] or
    /// [`StatError::Parameter`] for given indices that do not fit, and [`StatError::Degenerate`] if
    /// nearly all resamples meet only empty cells.
    pub fn bootstrap(&self, resamples: CrossedResamples<'_>) -> Result<Distribution, StatError> {
        let padded = self.items.next_multiple_of(LANES);
        let replicates = replicate(
            self.raters,
            self.items,
            resamples,
            || (Vec::with_capacity(self.raters), vec![0.0; padded]),
            |(raters, items), rater_weights, item_weights| {
                raters.clear();
                raters.extend(
                    rater_weights
                        .iter()
                        .enumerate()
                        .filter(|&(_, &weight)| weight > 0)
                        .map(|(rater, &weight)| (rater, f64::from(weight))),
                );
                for (item, &weight) in items.iter_mut().zip(item_weights) {
                    *item = f64::from(weight);
                }
                self.weighted_mean(raters, items)
            },
        )?;
        Distribution::new(self.estimate(), replicates, None)
    }

    fn weighted_mean(&self, raters: &[(usize, f64)], items: &[f64]) -> f64 {
        let total = self.sums.product(raters, items);
        match &self.counts {
            Cells::Equal(count) => total / count,
            Cells::Varying(counts) => total / counts.product(raters, items),
        }
    }
}

/// A matrix cut into tiles of all raters and eight items, padded with zeros.
#[derive(Debug, Clone)]
struct Tiles {
    raters: usize,
    values: Vec<[f64; LANES]>,
}

impl Tiles {
    fn new(raters: usize, items: usize) -> Self {
        Self {
            raters,
            values: vec![[0.0; LANES]; raters * items.div_ceil(LANES)],
        }
    }

    fn cell(&mut self, rater: usize, item: usize) -> &mut f64 {
        &mut self.values[item / LANES * self.raters + rater][item % LANES]
    }

    /// Σ over raters and items of rater weight × item weight × value.
    fn product(&self, raters: &[(usize, f64)], items: &[f64]) -> f64 {
        let mut lanes = [0.0; LANES];
        let tiles = self.values.chunks_exact(self.raters);
        for (tile, weights) in tiles.zip(items.as_chunks::<LANES>().0) {
            let mut column = [0.0; LANES];
            for &(rater, weight) in raters {
                for (total, value) in column.iter_mut().zip(&tile[rater]) {
                    *total += weight * value;
                }
            }
            for ((lane, total), weight) in lanes.iter_mut().zip(column).zip(weights) {
                *lane += total * weight;
            }
        }
        ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))
            + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
    }
}

/// Bootstraps any statistic of two crossed factors, which it gets as the weights of raters and items.
///
/// A weight is how often the rater or item was drawn; a response counts with the product of both. On
/// the data themselves all weights are 1. Where the statistic is NaN or infinite, the resample counts
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
            return Err(StatError::TooFew {
                statistic: "crossed bootstrap",
                needed: 2,
                of,
                got,
            });
        }
    }
    let replicates = replicate(
        raters,
        items,
        resamples,
        || (),
        |(), rater_weights, item_weights| statistic(rater_weights, item_weights),
    )?;
    let estimate = statistic(&vec![1; raters], &vec![1; items]);
    Distribution::new(estimate, replicates, None)
}

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
    replicates
        .par_chunks_mut(BLOCK)
        .enumerate()
        .for_each(|(block, replicates)| {
            let mut scratch = scratch();
            let (mut rater_weights, mut item_weights) = (vec![0; raters], vec![0; items]);
            match resamples {
                CrossedResamples::Seeded { seed, .. } => {
                    let mut draws = Draws::new(seed, block as u64);
                    let (mut drawn_raters, mut drawn_items) = (vec![0; raters], vec![0; items]);
                    for replicate in replicates {
                        draws.fill_below(rater_bound, &mut drawn_raters);
                        draws.fill_below(item_bound, &mut drawn_items);
                        count_draws(&drawn_raters, &mut rater_weights);
                        count_draws(&drawn_items, &mut item_weights);
                        *replicate = statistic(&mut scratch, &rater_weights, &item_weights);
                    }
                }
                CrossedResamples::Explicit {
                    raters: all_raters,
                    items: all_items,
                } => {
                    let start = block * BLOCK;
                    let rows = all_raters[start * raters..]
                        .chunks_exact(raters)
                        .zip(all_items[start * items..].chunks_exact(items));
                    for (replicate, (drawn_raters, drawn_items)) in replicates.iter_mut().zip(rows)
                    {
                        count_draws(drawn_raters, &mut rater_weights);
                        count_draws(drawn_items, &mut item_weights);
                        *replicate = statistic(&mut scratch, &rater_weights, &item_weights);
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
