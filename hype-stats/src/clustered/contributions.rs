//! Contributions of responses to estimates, and their sums over raters and items.

use super::Target;
use super::variance::{ClusteredVariance, Part};
use crate::StatError;

/// What each response contributes to a number of estimates.
///
/// # Examples
///
/// ```
/// use hype_stats::clustered::{Contributions, Target};
/// // Three raters' means of one model: the contribution of each is its deviation over their number.
/// let means = [0.2, 0.5, 0.8];
/// let mut contributions = Contributions::new(1);
/// for (rater, mean) in means.iter().enumerate() {
///     contributions.push(rater as u32, 0, 0, (mean - 0.5) / 3.0);
/// }
/// let variance = contributions.clustered(Target::Raters)?.of(0)?;
/// assert!((variance.standard_error() - 0.3 / 3_f64.sqrt()).abs() < 1e-15);
/// assert_eq!(variance.degrees_of_freedom(), [2.0]);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Contributions {
    estimates: usize,
    rows: Vec<Row>,
    /// How many numbers of raters and of items the rows need: one more than the largest.
    raters: usize,
    items: usize,
    is_joint: bool,
    /// Whether the rows are not in the order of raters and then items.
    is_mixed: bool,
    /// The first row whose value is not finite.
    not_finite: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    rater: u32,
    item: u32,
    estimate: u32,
    value: f64,
}

impl Row {
    /// Orders by raters and then items.
    fn cell(&self) -> u64 {
        u64::from(self.rater) << 32 | u64::from(self.item)
    }
}

impl Contributions {
    /// Starts without contributions to `estimates` estimates.
    #[must_use]
    pub const fn new(estimates: usize) -> Self {
        Self {
            estimates,
            rows: Vec::new(),
            raters: 0,
            items: 0,
            is_joint: false,
            is_mixed: false,
            not_finite: None,
        }
    }

    /// Makes room for contributions whose number is known.
    #[must_use]
    pub(crate) fn with_room(mut self, rows: usize) -> Self {
        self.rows.reserve(rows);
        self
    }

    /// Declares that every rater and item counts for every estimate, as where all estimates follow from one likelihood.
    /// Otherwise those count for an estimate that have a contribution to it.
    #[must_use]
    pub fn joint(mut self) -> Self {
        self.is_joint = true;
        self
    }

    /// Adds what a response of `rater` to `item` contributes to an estimate. Contributions of one rater, item and estimate
    /// are added up. Memory grows with the largest number of a rater or item; rows in the order of raters and then items
    /// are summed fastest.
    ///
    /// # Panics
    ///
    /// For an estimate outside their number.
    pub fn push(&mut self, rater: u32, item: u32, estimate: usize, value: f64) {
        assert!(estimate < self.estimates, "no such estimate");
        self.raters = self.raters.max(rater as usize + 1);
        self.items = self.items.max(item as usize + 1);
        let row = Row { rater, item, estimate: estimate as u32, value };
        self.is_mixed |= self.rows.last().is_some_and(|last| last.cell() > row.cell());
        if !value.is_finite() && self.not_finite.is_none() {
            self.not_finite = Some(self.rows.len());
        }
        self.rows.push(row);
    }

    /// Sums the contributions over what varies.
    ///
    /// # Errors
    ///
    /// [`StatError::NotFinite`] for contributions that are not finite.
    pub fn clustered(&self, target: Target) -> Result<Clustered, StatError> {
        if let Some(index) = self.not_finite {
            return Err(StatError::NotFinite {
                statistic: "clustered standard error",
                index,
                got: self.rows[index].value,
            });
        }
        let raters = (target != Target::Items).then(|| Sums::new(self, self.raters, |row| row.rater));
        let items = (target != Target::Raters).then(|| Sums::new(self, self.items, |row| row.item));
        let cells = match (&raters, &items) {
            (Some(raters), Some(items)) => Some(self.cells(raters, items)),
            _ => None,
        };
        Ok(Clustered { estimates: self.estimates, raters, items, cells })
    }

    /// The covariance that single responses contribute to the sums of raters and of items.
    ///
    /// Deviations of the cells' sums from the means of their rater and of their item, squared and summed, times
    /// N / (N - R - I + 1) for N cells. For a complete table that is the mean square of the residuals over N. Products of
    /// raters' and items' means cancel in complete tables and have the expectation zero in others.
    fn cells(&self, raters: &Sums, items: &Sums) -> Vec<f64> {
        let k = self.estimates;
        let mut ordered = std::borrow::Cow::Borrowed(&self.rows);
        if self.is_mixed {
            ordered.to_mut().sort_by_key(Row::cell);
        }
        let mut products = vec![0.0; k * k];
        let (mut of_raters, mut of_items) = (vec![0_u32; raters.count()], vec![0_u32; items.count()]);
        let (mut count, mut cell, mut touched) = (0_usize, vec![0.0; k], Vec::new());
        for rows in ordered.chunk_by(|left, right| left.cell() == right.cell()) {
            for row in rows {
                if !touched.contains(&(row.estimate as usize)) {
                    touched.push(row.estimate as usize);
                }
                cell[row.estimate as usize] += row.value;
            }
            for &left in &touched {
                for &right in &touched {
                    products[left * k + right] += cell[left] * cell[right];
                }
            }
            touched.drain(..).for_each(|place| cell[place] = 0.0);
            of_raters[raters.place[rows[0].rater as usize] as usize] += 1;
            of_items[items.place[rows[0].item as usize] as usize] += 1;
            count += 1;
        }
        for (sums, cells) in [(raters, &of_raters), (items, &of_items)] {
            for (sum, &cells) in sums.sums.chunks_exact(k).zip(cells) {
                for left in 0..k {
                    for right in 0..k {
                        products[left * k + right] -= sum[left] * sum[right] / f64::from(cells);
                    }
                }
            }
        }
        let free = (count + 1).saturating_sub(raters.count() + items.count());
        let factor = if free == 0 { 0.0 } else { count as f64 / free as f64 };
        products.iter_mut().for_each(|product| *product *= factor);
        products
    }
}

/// The row of a number that has no contributions.
const NOBODY: u32 = u32::MAX;

/// Sums of contributions over the raters or the items.
#[derive(Debug, Clone)]
struct Sums {
    /// The row of each number; [`NOBODY`] if it has none.
    place: Vec<u32>,
    estimates: usize,
    /// One row for each rater or item, one column for each estimate.
    sums: Vec<f64>,
    /// Whether a rater or item counts for an estimate, in the same layout.
    counts: Vec<bool>,
    /// For each estimate √(G / (G - 1)), with the number G of those that count for it.
    scale: Vec<f64>,
}

impl Sums {
    fn new(contributions: &Contributions, numbers: usize, key: impl Fn(&Row) -> u32) -> Self {
        let k = contributions.estimates;
        let mut place = vec![NOBODY; numbers];
        let (mut sums, mut counts) = (Vec::new(), Vec::new());
        for row in &contributions.rows {
            let at = &mut place[key(row) as usize];
            if *at == NOBODY {
                *at = (sums.len() / k) as u32;
                sums.resize(sums.len() + k, 0.0);
                counts.resize(counts.len() + k, contributions.is_joint);
            }
            let at = *at as usize;
            sums[at * k + row.estimate as usize] += row.value;
            counts[at * k + row.estimate as usize] = true;
        }
        let scale = (0..k)
            .map(|estimate| {
                let own = counts.iter().skip(estimate).step_by(k).filter(|&&counts| counts).count() as f64;
                (own / (own - 1.0)).sqrt()
            })
            .collect();
        Self { place, estimates: k, sums, counts, scale }
    }

    fn count(&self) -> usize {
        self.sums.len() / self.estimates
    }

    /// The part of the variance of a sum of estimates with these weights, which are one or two.
    ///
    /// Those who count for the same estimates are a stratum; strata are independent of each other.
    fn part(&self, weights: &[(usize, f64)]) -> Result<Part, StatError> {
        let k = self.estimates;
        let mut strata = [(0_usize, 0.0); 4];
        for (sums, counts) in self.sums.chunks_exact(k).zip(self.counts.chunks_exact(k)) {
            let (mut stratum, mut sum) = (0, 0.0);
            for (bit, &(estimate, weight)) in weights.iter().enumerate() {
                stratum |= usize::from(counts[estimate]) << bit;
                sum += weight * self.scale[estimate] * sums[estimate];
            }
            if stratum > 0 {
                strata[stratum].0 += 1;
                strata[stratum].1 += sum * sum;
            }
        }
        let counted: usize = weights
            .iter()
            .map(|&(estimate, _)| {
                self.counts.iter().skip(estimate).step_by(k).filter(|&&counts| counts).count()
            })
            .min()
            .unwrap_or(0);
        if counted < 2 {
            return Err(StatError::TooFew {
                statistic: "clustered standard error",
                needed: 2,
                of: "raters or items",
                got: counted,
            });
        }
        let variance: f64 = strata.iter().map(|(_, sum)| sum).sum();
        let spread: f64 = strata
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|&(count, sum)| sum * sum / (count as f64 - 1.0).max(1.0))
            .sum();
        let all: usize = strata.iter().map(|(count, _)| count).sum();
        let degrees_of_freedom = if spread > 0.0 { variance * variance / spread } else { all as f64 - 1.0 };
        Ok(Part { variance, degrees_of_freedom })
    }
}

/// Contributions summed over raters, over items or over both.
#[derive(Debug, Clone)]
pub struct Clustered {
    estimates: usize,
    raters: Option<Sums>,
    items: Option<Sums>,
    cells: Option<Vec<f64>>,
}

impl Clustered {
    /// The variance of an estimate.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] if fewer than two raters, or items, count for it.
    ///
    /// # Panics
    ///
    /// For an estimate outside their number.
    pub fn of(&self, estimate: usize) -> Result<ClusteredVariance, StatError> {
        self.combined(&[(estimate, 1.0)])
    }

    /// The variance of the difference of two estimates.
    ///
    /// # Errors
    ///
    /// As [`Self::of`], for each of the two.
    ///
    /// # Panics
    ///
    /// For an estimate outside their number, or the same one twice.
    pub fn difference(&self, a: usize, b: usize) -> Result<ClusteredVariance, StatError> {
        assert!(a != b, "a difference needs two estimates");
        self.combined(&[(a, 1.0), (b, -1.0)])
    }

    /// The number of raters whose contributions were summed.
    #[must_use]
    pub fn raters(&self) -> Option<usize> {
        self.raters.as_ref().map(Sums::count)
    }

    /// The number of items whose contributions were summed.
    #[must_use]
    pub fn items(&self) -> Option<usize> {
        self.items.as_ref().map(Sums::count)
    }

    /// Replaces the estimates by linear combinations of them: row `i` of the square `matrix`, by rows, has the weights of the
    /// new estimate i. Sums of scores become contributions by the inverse of the information.
    pub(crate) fn mapped(mut self, matrix: &[f64]) -> Self {
        let k = self.estimates;
        let product = |vector: &[f64]| -> Vec<f64> {
            matrix.chunks_exact(k).map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
        };
        for sums in self.raters.iter_mut().chain(&mut self.items) {
            for sum in sums.sums.chunks_exact_mut(k) {
                let mapped = product(sum);
                sum.copy_from_slice(&mapped);
            }
        }
        if let Some(cells) = &mut self.cells {
            // The products are symmetric, so that mapping rows twice maps both sides.
            for _ in 0..2 {
                let rows: Vec<Vec<f64>> = cells.chunks_exact(k).map(product).collect();
                for (row, values) in rows.iter().enumerate() {
                    for (column, &value) in values.iter().enumerate() {
                        cells[column * k + row] = value;
                    }
                }
            }
        }
        self
    }

    fn combined(&self, weights: &[(usize, f64)]) -> Result<ClusteredVariance, StatError> {
        assert!(weights.iter().all(|&(estimate, _)| estimate < self.estimates), "no such estimate");
        let raters = self.raters.as_ref().map(|sums| sums.part(weights)).transpose()?;
        let items = self.items.as_ref().map(|sums| sums.part(weights)).transpose()?;
        let responses = match (&self.cells, raters, items) {
            (Some(cells), Some(raters), Some(items)) => {
                let squared: f64 = weights
                    .iter()
                    .flat_map(|left| weights.iter().map(move |right| (left, right)))
                    .map(|(left, right)| left.1 * right.1 * cells[left.0 * self.estimates + right.0])
                    .sum();
                squared.clamp(0.0, raters.variance.min(items.variance))
            }
            _ => 0.0,
        };
        Ok(ClusteredVariance { raters, items, responses })
    }
}
