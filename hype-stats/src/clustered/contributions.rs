//! Contributions of responses to estimates, and their sums over raters and items.

use std::borrow::Cow;

use super::Target;
use super::expected::{Cell, Expected, InCell, Independent, ROUNDING, Stratum, quadratic};
use super::variance::{ClusteredVariance, Part};
use crate::StatError;

/// Contributions of each response to a number of estimates.
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
    /// The weight of each, in responses.
    weights: Vec<f32>,
    /// How many numbers of raters and of items there are: one more than the largest.
    raters: usize,
    items: usize,
    is_joint: bool,
    /// Whether the cells are not in the order of raters and then items.
    is_mixed: bool,
    /// The first contribution that is not finite.
    not_finite: Option<usize>,
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
            weights: Vec::new(),
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
        self.weights.reserve(cells * of_each);
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
        self.push_weighted(1.0, rater, item, estimate, value);
    }

    /// As [`Self::push`], for a value with another weight in the estimate than that of one response: the number of responses
    /// whose contributions it sums, or 1 / n of each of the n responses of a rater in a mean of raters' means. Only ratios
    /// matter.
    ///
    /// # Panics
    ///
    /// For an estimate outside their number.
    pub fn push_weighted(&mut self, weight: f64, rater: u32, item: u32, estimate: usize, value: f64) {
        assert!(estimate < self.estimates, "no such estimate");
        if !value.is_finite() && self.not_finite.is_none() {
            self.not_finite = Some(self.values.len());
        }
        self.of.push(estimate as u32);
        self.values.push(value);
        self.weights.push(weight as f32);
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

    /// The cells, with what is in them.
    fn by_cell(&self) -> impl Iterator<Item = InCell<'_>> {
        let mut start = 0;
        self.cells.iter().map(move |&cell| {
            let own = start..start + cell.count as usize;
            start = own.end;
            InCell {
                cell,
                of: &self.of[own.clone()],
                values: &self.values[own.clone()],
                weights: &self.weights[own],
            }
        })
    }

    /// The contributions in the order of raters and then items.
    fn ordered(&self) -> Cow<'_, Self> {
        if !self.is_mixed {
            return Cow::Borrowed(self);
        }
        let mut cells: Vec<_> = self.by_cell().collect();
        cells.sort_by_key(|within| within.cell.key());
        let mut ordered = Self::new(self.estimates).with_room(cells.len(), 1);
        for InCell { cell, of, values, weights } in cells {
            for ((&estimate, &value), &weight) in of.iter().zip(values).zip(weights) {
                ordered.push_weighted(f64::from(weight), cell.rater, cell.item, estimate as usize, value);
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
        for within in self.by_cell() {
            if let Some(raters) = &mut raters {
                raters.add(within.cell.rater, within);
            }
            if let Some(items) = &mut items {
                items.add(within.cell.item, within);
            }
        }
        let sizes = self.sizes();
        raters.iter_mut().chain(&mut items).for_each(|sums| sums.finish(&sizes));
        let is_unequal = raters.iter().chain(&items).any(|sums| sums.is_unequal);
        let ordered = (is_unequal || target == Target::RatersAndItems).then(|| self.ordered());
        let cells = match (&raters, &items, &ordered) {
            (Some(raters), Some(items), Some(ordered)) => Some(ordered.products(raters, items)),
            _ => None,
        };
        let independent = ordered.filter(|_| is_unequal && !self.is_joint);
        let independent = independent.map(|ordered| Independent::new(self.estimates, ordered.by_cell()));
        Ok(Clustered { estimates: self.estimates, raters, items, cells, independent })
    }

    /// The sum of the absolute contributions to each estimate.
    fn sizes(&self) -> Vec<f64> {
        let mut sizes = vec![0.0; self.estimates];
        self.of
            .iter()
            .zip(&self.values)
            .for_each(|(&estimate, value)| sizes[estimate as usize] += value.abs());
        sizes
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
        for InCell { cell, of, values, .. } in self.by_cell() {
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
    /// Whether every rater or item counts for every estimate.
    is_joint: bool,
    /// The weight that each has in each estimate, in the same layout; 0 if it does not count for it.
    weights: Vec<f64>,
    /// For each estimate √(G / (G - 1)), with the number G of those that count for it.
    scale: Vec<f64>,
    /// For each estimate the sum of the weights.
    totals: Vec<f64>,
    /// Whether those that count for an estimate have different weights in it.
    is_unequal: bool,
    /// For each estimate the sum of the absolute contributions. Sums that only come from rounding are a small share of it.
    sizes: Vec<f64>,
}

impl Sums {
    fn new(estimates: usize, numbers: usize, is_joint: bool) -> Self {
        let empty = Vec::new;
        Self {
            place: vec![NOBODY; numbers],
            estimates,
            sums: empty(),
            is_joint,
            weights: empty(),
            scale: empty(),
            totals: empty(),
            is_unequal: false,
            sizes: vec![0.0; estimates],
        }
    }

    /// Adds the values of a cell for a rater or an item.
    fn add(&mut self, number: u32, within: InCell<'_>) {
        let k = self.estimates;
        let at = &mut self.place[number as usize];
        if *at == NOBODY {
            *at = (self.sums.len() / k) as u32;
            self.sums.resize(self.sums.len() + k, 0.0);
            self.weights.resize(self.weights.len() + k, 0.0);
        }
        let row = *at as usize * k..(*at as usize + 1) * k;
        let (sums, own) = (&mut self.sums[row.clone()], &mut self.weights[row]);
        within.of.iter().zip(within.values).for_each(|(&estimate, value)| sums[estimate as usize] += value);
        let weights = within.weights.iter().copied().map(f64::from);
        if self.is_joint {
            // Only their sum counts, for all estimates.
            own[0] += weights.sum::<f64>();
        } else {
            within.of.iter().zip(weights).for_each(|(&estimate, weight)| own[estimate as usize] += weight);
        }
    }

    /// Finds out how many count for each estimate, and with what weights, once all values are added; `sizes` are the sums of
    /// their absolute values.
    fn finish(&mut self, sizes: &[f64]) {
        let k = self.estimates;
        self.sizes.copy_from_slice(sizes);
        if self.is_joint {
            for own in self.weights.chunks_exact_mut(k) {
                let all: f64 = own.iter().sum();
                own.fill(all);
            }
        }
        let positive = |estimate| self.weights.iter().skip(estimate).step_by(k).filter(|&&own| own > 0.0);
        for estimate in 0..k {
            let count = positive(estimate).count() as f64;
            let total: f64 = positive(estimate).sum();
            self.scale.push((count / (count - 1.0)).sqrt());
            self.totals.push(total);
            let mean = total / count;
            self.is_unequal |= positive(estimate).any(|own| (own - mean).abs() > ROUNDING * mean);
        }
    }

    fn count(&self) -> usize {
        self.sums.len() / self.estimates
    }

    /// The part of the variance of a sum of estimates with these weights.
    ///
    /// Those who count for the same estimates are a stratum; strata are independent of each other.
    fn part(&self, weights: &[(usize, f64)], independent: Option<(f64, f64)>) -> Result<Part, StatError> {
        let k = self.estimates;
        let mut strata: Vec<Stratum<'_>> = Vec::new();
        let of_all: f64 = weights.iter().map(|(_, weight)| weight.abs()).sum();
        let size: f64 = weights.iter().map(|&(estimate, weight)| weight.abs() * self.sizes[estimate]).sum();
        let (mut largest, equal) = (0.0_f64, 8.0 * f64::EPSILON * size);
        for (sums, own) in self.sums.chunks_exact(k).zip(self.weights.chunks_exact(k)) {
            if !weights.iter().any(|&(estimate, _)| own[estimate] > 0.0) {
                continue;
            }
            let (mut sum, mut share) = (0.0, 0.0);
            for &(estimate, weight) in weights {
                sum += weight * self.scale[estimate] * sums[estimate];
                share += weight.abs() / of_all * own[estimate] / self.totals[estimate];
            }
            largest = largest.max(sum.abs());
            let is_same = |known: &&mut Stratum<'_>| {
                weights.iter().all(|&(estimate, _)| (known.first[estimate] > 0.0) == (own[estimate] > 0.0))
            };
            match strata.iter_mut().find(is_same) {
                Some(known) => {
                    known.squares += sum * sum;
                    known.shares.push(share);
                }
                None => strata.push(Stratum { first: own, squares: sum * sum, shares: vec![share] }),
            }
        }
        if largest <= equal {
            // All are equal, but for rounding.
            strata.iter_mut().for_each(|stratum| stratum.squares = 0.0);
        }
        // In an order that does not depend on who came first.
        let order = |first: &[f64]| -> Vec<bool> {
            weights.iter().rev().map(|&(estimate, _)| first[estimate] > 0.0).collect()
        };
        strata.sort_by_cached_key(|stratum| order(stratum.first));
        strata.iter_mut().for_each(|stratum| stratum.shares.sort_by(f64::total_cmp));
        let counted: usize = weights
            .iter()
            .map(|&(estimate, _)| {
                self.weights.iter().skip(estimate).step_by(k).filter(|&&own| own > 0.0).count()
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
        let variance: f64 = strata.iter().map(|stratum| stratum.squares).sum();
        let expected = Expected::new(variance, &strata, independent);
        let (mut spread, mut all) = (0.0, 0.0);
        for stratum in &strata {
            let own = expected.degrees_of_freedom(&stratum.shares);
            spread += stratum.squares * stratum.squares / own;
            all += own;
        }
        let degrees_of_freedom = if spread > 0.0 { variance * variance / spread } else { all };
        if degrees_of_freedom < 1.0 - ROUNDING {
            return Err(StatError::Degenerate {
                statistic: "clustered standard error",
                reason: "one of the raters, or of the items, has nearly all responses, and the others do not show how much \
                         raters, or items, differ",
            });
        }
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
    /// Sums that tell noise from tastes, where raters or items have different weights.
    independent: Option<Independent>,
}

impl Clustered {
    /// The variance of an estimate.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] if fewer than two raters, or items, count for it; [`StatError::Degenerate`] if one of them has
    /// nearly all responses.
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

    /// Returns the contribution of each rater who counts for an estimate, in order of first contributions; `None` if raters
    /// were not summed.
    ///
    /// # Panics
    ///
    /// For an estimate outside their number.
    #[must_use]
    pub fn of_raters(&self, estimate: usize) -> Option<Vec<f64>> {
        assert!(estimate < self.estimates, "no such estimate");
        let Sums { sums, weights, is_joint, .. } = self.raters.as_ref()?;
        let rows = sums.chunks_exact(self.estimates).zip(weights.chunks_exact(self.estimates));
        Some(rows.filter(|(_, own)| *is_joint || own[estimate] > 0.0).map(|(row, _)| row[estimate]).collect())
    }

    /// Replaces the estimates by linear combinations of them: row `i` of the square `matrix`, by rows, has the weights of the
    /// new estimate i. Sums of scores become contributions by the inverse of the information. Where responses are independent,
    /// the new estimates have the covariances `dispersion` times the matrix.
    pub(crate) fn mapped(mut self, matrix: &[f64], dispersion: f64) -> Self {
        let k = self.estimates;
        let covariances = matrix.iter().map(|value| dispersion * value).collect();
        self.independent = Some(Independent { covariances, concentration: vec![0.0; k] });
        // By columns: several products are added at once, each sum in the order of its row.
        let columns: Vec<f64> = (0..k * k).map(|place| matrix[place % k * k + place / k]).collect();
        let product = |vector: &[f64]| -> Vec<f64> {
            let mut product = vec![0.0; k];
            for (column, value) in columns.chunks_exact(k).zip(vector) {
                product.iter_mut().zip(column).for_each(|(sum, weight)| *sum += weight * value);
            }
            product
        };
        let absolute = |row: &[f64], sizes: &[f64]| -> f64 {
            row.iter().zip(sizes).map(|(weight, size)| weight.abs() * size).sum()
        };
        for sums in self.raters.iter_mut().chain(&mut self.items) {
            sums.sizes = matrix.chunks_exact(k).map(|row| absolute(row, &sums.sizes)).collect();
            for sum in sums.sums.chunks_exact_mut(k) {
                let mapped = product(sum);
                sum.copy_from_slice(&mapped);
            }
        }
        if let Some(cells) = &mut self.cells {
            // The products are symmetric, so mapping rows twice maps both sides.
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
        let independent = self.independent.as_ref().map(|independent| independent.of(weights));
        let part =
            |sums: &Option<Sums>| sums.as_ref().map(|sums| sums.part(weights, independent)).transpose();
        let (raters, items) = (part(&self.raters)?, part(&self.items)?);
        let responses = match (&self.cells, raters, items) {
            (Some(cells), Some(raters), Some(items)) => {
                quadratic(cells, self.estimates, weights).clamp(0.0, raters.variance.min(items.variance))
            }
            _ => 0.0,
        };
        Ok(ClusteredVariance { raters, items, responses })
    }
}
