//! Contributions of responses to estimates, and their sums over raters and items.

use std::borrow::Cow;

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
    /// Stretches of contributions of one rater and item, in the order in which they came.
    cells: Vec<Cell>,
    /// The estimate of each contribution, and what it contributes.
    of: Vec<u32>,
    values: Vec<f64>,
    /// How many numbers of raters and of items there are: one more than the largest.
    raters: usize,
    items: usize,
    is_joint: bool,
    /// Whether the cells are not in the order of raters and then items.
    is_mixed: bool,
    /// The first contribution that is not finite.
    not_finite: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    rater: u32,
    item: u32,
    /// The number of contributions.
    count: u32,
}

impl Cell {
    /// Orders by raters and then items.
    const fn key(&self) -> u64 {
        (self.rater as u64) << 32 | self.item as u64
    }
}

impl Contributions {
    /// Starts without contributions to `estimates` estimates.
    #[must_use]
    pub const fn new(estimates: usize) -> Self {
        Self {
            estimates,
            cells: Vec::new(),
            of: Vec::new(),
            values: Vec::new(),
            raters: 0,
            items: 0,
            is_joint: false,
            is_mixed: false,
            not_finite: None,
        }
    }

    /// Makes room for a number of cells, with so many contributions each.
    #[must_use]
    pub(crate) fn with_room(mut self, cells: usize, of_each: usize) -> Self {
        self.cells.reserve(cells);
        self.of.reserve(cells * of_each);
        self.values.reserve(cells * of_each);
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
    /// are added up. Memory grows with the largest number of a rater or item; those in the order of raters and then items
    /// are summed fastest.
    ///
    /// # Panics
    ///
    /// For an estimate outside their number.
    pub fn push(&mut self, rater: u32, item: u32, estimate: usize, value: f64) {
        assert!(estimate < self.estimates, "no such estimate");
        if !value.is_finite() && self.not_finite.is_none() {
            self.not_finite = Some(self.values.len());
        }
        self.of.push(estimate as u32);
        self.values.push(value);
        let new = Cell { rater, item, count: 1 };
        match self.cells.last_mut() {
            Some(last) if last.key() == new.key() => last.count += 1,
            last => {
                self.is_mixed |= last.is_some_and(|last| last.key() > new.key());
                self.raters = self.raters.max(rater as usize + 1);
                self.items = self.items.max(item as usize + 1);
                self.cells.push(new);
            }
        }
    }

    /// The cells, with their estimates and values.
    fn by_cell(&self) -> impl Iterator<Item = (Cell, &[u32], &[f64])> {
        let mut rest = (&self.of[..], &self.values[..]);
        self.cells.iter().map(move |&cell| {
            let (of, after) = rest.0.split_at(cell.count as usize);
            let (values, values_after) = rest.1.split_at(cell.count as usize);
            rest = (after, values_after);
            (cell, of, values)
        })
    }

    /// The contributions in the order of raters and then items.
    fn ordered(&self) -> Cow<'_, Self> {
        if !self.is_mixed {
            return Cow::Borrowed(self);
        }
        let mut cells: Vec<_> = self.by_cell().collect();
        cells.sort_by_key(|(cell, ..)| cell.key());
        let mut ordered = Self::new(self.estimates).with_room(cells.len(), 1);
        for (cell, of, values) in cells {
            for (&estimate, &value) in of.iter().zip(values) {
                ordered.push(cell.rater, cell.item, estimate as usize, value);
            }
        }
        Cow::Owned(ordered)
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
                got: self.values[index],
            });
        }
        let start = |numbers| Sums::new(self.estimates, numbers, self.is_joint);
        let mut raters = (target != Target::Items).then(|| start(self.raters));
        let mut items = (target != Target::Raters).then(|| start(self.items));
        for (cell, of, values) in self.by_cell() {
            if let Some(raters) = &mut raters {
                raters.add(cell.rater, of, values);
            }
            if let Some(items) = &mut items {
                items.add(cell.item, of, values);
            }
        }
        raters.iter_mut().chain(&mut items).for_each(Sums::finish);
        let cells = match (&raters, &items) {
            (Some(raters), Some(items)) => Some(self.ordered().products(raters, items)),
            _ => None,
        };
        Ok(Clustered { estimates: self.estimates, raters, items, cells })
    }

    /// The covariance that single responses contribute to the sums of raters and of items.
    ///
    /// Deviations of the cells' sums from the means of their rater and of their item, squared and summed, times
    /// N / (N - R - I + 1) for N cells. For a complete table that is the mean square of the residuals over N. Products of
    /// raters' and items' means cancel in complete tables and have the expectation zero in others.
    fn products(&self, raters: &Sums, items: &Sums) -> Vec<f64> {
        let k = self.estimates;
        // Of the symmetric matrix, the upper triangle is summed.
        let mut products = vec![0.0; k * k];
        let (mut of_raters, mut of_items) = (vec![0_u32; raters.count()], vec![0_u32; items.count()]);
        let (mut sums, mut touched) = (vec![0.0; k], Vec::new());
        for (cell, of, values) in self.by_cell() {
            for (&estimate, value) in of.iter().zip(values) {
                if !touched.contains(&estimate) {
                    touched.push(estimate);
                }
                sums[estimate as usize] += value;
            }
            touched.sort_unstable();
            for (index, &left) in touched.iter().enumerate() {
                for &right in &touched[index..] {
                    products[left as usize * k + right as usize] +=
                        sums[left as usize] * sums[right as usize];
                }
            }
            touched.drain(..).for_each(|estimate| sums[estimate as usize] = 0.0);
            of_raters[raters.place[cell.rater as usize] as usize] += 1;
            of_items[items.place[cell.item as usize] as usize] += 1;
        }
        for (sums, cells) in [(raters, &of_raters), (items, &of_items)] {
            for (sum, &cells) in sums.sums.chunks_exact(k).zip(cells) {
                for (left, products) in products.chunks_exact_mut(k).enumerate() {
                    let share = sum[left] / f64::from(cells);
                    for (product, value) in products[left..].iter_mut().zip(&sum[left..]) {
                        *product -= share * value;
                    }
                }
            }
        }
        let count = self.cells.len();
        let free = (count + 1).saturating_sub(raters.count() + items.count());
        let factor = if free == 0 { 0.0 } else { count as f64 / free as f64 };
        for left in 0..k {
            for right in left..k {
                let product = factor * products[left * k + right];
                products[left * k + right] = product;
                products[right * k + left] = product;
            }
        }
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
    /// Whether every rater or item counts for every estimate, and otherwise which do, in the same layout.
    is_joint: bool,
    counts: Vec<bool>,
    /// For each estimate √(G / (G - 1)), with the number G of those that count for it.
    scale: Vec<f64>,
}

impl Sums {
    fn new(estimates: usize, numbers: usize, is_joint: bool) -> Self {
        let place = vec![NOBODY; numbers];
        Self { place, estimates, sums: Vec::new(), is_joint, counts: Vec::new(), scale: Vec::new() }
    }

    /// Adds values of these estimates for a rater or an item.
    fn add(&mut self, number: u32, of: &[u32], values: &[f64]) {
        let k = self.estimates;
        let at = &mut self.place[number as usize];
        if *at == NOBODY {
            *at = (self.sums.len() / k) as u32;
            self.sums.resize(self.sums.len() + k, 0.0);
            self.counts.resize(self.counts.len() + k, self.is_joint);
        }
        let row = *at as usize * k..(*at as usize + 1) * k;
        let sums = &mut self.sums[row.clone()];
        of.iter().zip(values).for_each(|(&estimate, value)| sums[estimate as usize] += value);
        if !self.is_joint {
            let counts = &mut self.counts[row];
            of.iter().for_each(|&estimate| counts[estimate as usize] = true);
        }
    }

    /// Finds out how many count for each estimate, once all values are added.
    fn finish(&mut self) {
        let k = self.estimates;
        let own = |estimate| self.counts.iter().skip(estimate).step_by(k).filter(|&&counts| counts).count();
        let scale = |own: f64| (own / (own - 1.0)).sqrt();
        self.scale = (0..k).map(|estimate| scale(own(estimate) as f64)).collect();
    }

    fn count(&self) -> usize {
        self.sums.len() / self.estimates
    }

    /// The part of the variance of a sum of estimates with these weights.
    ///
    /// Those who count for the same estimates are a stratum; strata are independent of each other.
    fn part(&self, weights: &[(usize, f64)]) -> Result<Part, StatError> {
        let k = self.estimates;
        // For each stratum what one of its members counts for, their number, and the sum of their squares.
        let mut found: Vec<(&[bool], usize, f64)> = Vec::new();
        let is_same = |one: &[bool], other: &[bool]| {
            weights.iter().all(|&(estimate, _)| one[estimate] == other[estimate])
        };
        for (sums, counts) in self.sums.chunks_exact(k).zip(self.counts.chunks_exact(k)) {
            if !weights.iter().any(|&(estimate, _)| counts[estimate]) {
                continue;
            }
            let sum: f64 = weights
                .iter()
                .map(|&(estimate, weight)| weight * self.scale[estimate] * sums[estimate])
                .sum();
            match found.iter_mut().find(|(known, ..)| is_same(known, counts)) {
                Some((_, count, squares)) => {
                    *count += 1;
                    *squares += sum * sum;
                }
                None => found.push((counts, 1, sum * sum)),
            }
        }
        // In an order that does not depend on who came first.
        let order = |counts: &[bool]| -> Vec<bool> {
            weights.iter().rev().map(|&(estimate, _)| counts[estimate]).collect()
        };
        found.sort_by_cached_key(|(counts, ..)| order(counts));
        let strata: Vec<(usize, f64)> =
            found.into_iter().map(|(_, count, squares)| (count, squares)).collect();
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
        let spread: f64 = strata.iter().map(|&(count, sum)| sum * sum / (count as f64 - 1.0).max(1.0)).sum();
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

    /// The variance of a weighted sum of estimates, such as a difference of differences; estimates that are not named have
    /// the weight 0.
    ///
    /// # Errors
    ///
    /// As [`Self::of`], for each of the estimates.
    ///
    /// # Panics
    ///
    /// For an estimate outside their number.
    ///
    /// # Examples
    ///
    /// ```
    /// use hype_stats::clustered::{Contributions, Target};
    /// // Four raters' values of two models at two levels, by level: the difference grows by 0.2, 0.1, 0.3 and 0.2.
    /// let values = [[0.5, 0.4, 0.7, 0.4], [0.6, 0.6, 0.7, 0.6], [0.3, 0.2, 0.6, 0.2], [0.4, 0.2, 0.7, 0.3]];
    /// let mut contributions = Contributions::new(4);
    /// for (rater, row) in values.iter().enumerate() {
    ///     for (estimate, value) in row.iter().enumerate() {
    ///         let mean: f64 = values.iter().map(|row| row[estimate] / 4.0).sum();
    ///         contributions.push(rater as u32, 0, estimate, (value - mean) / 4.0);
    ///     }
    /// }
    /// let growth = contributions.clustered(Target::Raters)?.contrast(&[(0, -1.0), (1, 1.0), (2, 1.0), (3, -1.0)])?;
    /// // The standard deviation of the four over √4.
    /// assert!((growth.standard_error() - 0.040_824_829_046_386_3).abs() < 1e-12);
    /// assert_eq!(growth.degrees_of_freedom(), [3.0]);
    /// # Ok::<(), hype_stats::StatError>(())
    /// ```
    pub fn contrast(&self, weights: &[(usize, f64)]) -> Result<ClusteredVariance, StatError> {
        self.combined(weights)
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
        // By columns, so that several products are added at once, each sum in the order of its row.
        let columns: Vec<f64> = (0..k * k).map(|place| matrix[place % k * k + place / k]).collect();
        let product = |vector: &[f64]| -> Vec<f64> {
            let mut product = vec![0.0; k];
            for (column, value) in columns.chunks_exact(k).zip(vector) {
                product.iter_mut().zip(column).for_each(|(sum, weight)| *sum += weight * value);
            }
            product
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
