//! Local means, variances and covariance of two images under a sliding window.
//!
//! # Numerics
//!
//! Windows are separable: rows are weighted first, then columns of the weighted rows. Local variances are differences of
//! means of squares, which lose no digits that matter in double precision for levels up to 255.

use rayon::prelude::*;

use crate::vectors::vectorized;

/// Rows of a result that one thread computes, after as many rows of margin as the window is high.
const STRIP: usize = 64;

/// The weights of a window of T × T in one direction, which sum to 1 and are the same from both ends, and the factor of its
/// variances.
pub(crate) struct Window<const T: usize> {
    pub(crate) taps: [f64; T],
    /// n / (n - 1) for a sample covariance, otherwise 1.
    pub(crate) unbiased: f64,
}

/// Samples of one image as numbers, row by row, channels side by side.
pub(crate) trait Rows: Sync {
    /// Samples of a row.
    fn length(&self) -> usize;
    /// Number of rows.
    fn count(&self) -> usize;
    /// Writes a row.
    fn copy(&self, row: usize, target: &mut [f64]);
}

/// The sums to which each position of the window contributes: the similarity and its part without the means.
#[derive(Clone)]
pub(crate) struct Sums {
    /// For each channel, the sum of the whole similarity.
    pub(crate) similarity: Vec<f64>,
    /// For each channel, the sum of contrast and structure.
    pub(crate) contrast: Vec<f64>,
    /// Positions of the window.
    pub(crate) positions: usize,
}

/// Sums the similarity over all positions at which the window is within the images.
pub(crate) fn sums<const T: usize>(
    left: &dyn Rows,
    right: &dyn Rows,
    channels: usize,
    window: &Window<T>,
) -> Sums {
    let rows = left.count() + 1 - T;
    let length = left.length() - (T - 1) * channels;
    let strips: Vec<[Vec<f64>; 2]> = (0..rows.div_ceil(STRIP))
        .into_par_iter()
        .map(|strip| {
            let first = strip * STRIP;
            let mut work = Strip::new(left, right, channels, window);
            let last = (first + STRIP).min(rows);
            vectorized(|| work.sum(first, last))
        })
        .collect();
    let positions = rows * length / channels;
    let mut total = Sums { similarity: vec![0.0; channels], contrast: vec![0.0; channels], positions };
    for [similarity, contrast] in &strips {
        total.similarity.iter_mut().zip(similarity).for_each(|(total, part)| *total += part);
        total.contrast.iter_mut().zip(contrast).for_each(|(total, part)| *total += part);
    }
    total
}

/// Maps that are averaged under the window: x, y, x² + y² and xy. Similarity needs variances only as a sum.
const MAPS: usize = 4;

struct Strip<'a, const T: usize> {
    left: &'a dyn Rows,
    right: &'a dyn Rows,
    channels: usize,
    window: &'a Window<T>,
    /// Samples of one row of each map.
    plain: [Vec<f64>; MAPS],
    /// The last weighted rows of each map, as many as the window is high, in a ring.
    ring: Vec<[Vec<f64>; MAPS]>,
    /// One row of local means of each map.
    means: [Vec<f64>; MAPS],
}

impl<'a, const T: usize> Strip<'a, T> {
    fn new(left: &'a dyn Rows, right: &'a dyn Rows, channels: usize, window: &'a Window<T>) -> Self {
        let wide = || std::array::from_fn(|_| vec![0.0; left.length()]);
        let narrow = || std::array::from_fn(|_| vec![0.0; left.length() - (T - 1) * channels]);
        let ring = (0..T).map(|_| narrow()).collect();
        Self { left, right, channels, window, plain: wide(), ring, means: narrow() }
    }

    /// The sums of rows `first..last` for each channel.
    #[inline(always)]
    fn sum(&mut self, first: usize, last: usize) -> [Vec<f64>; 2] {
        let mut total = [vec![0.0; self.channels], vec![0.0; self.channels]];
        for row in first..last + T - 1 {
            self.weigh_row(row);
            if row >= first + T - 1 {
                self.weigh_columns(row);
                self.similarities();
                let [similarity, contrast, ..] = &self.means;
                add_channels(&mut total[0], similarity);
                add_channels(&mut total[1], contrast);
            }
        }
        total
    }

    /// Reads a row and weighs it into its place in the ring.
    #[inline(always)]
    fn weigh_row(&mut self, row: usize) {
        let [x, y, squares, product] = &mut self.plain;
        self.left.copy(row, x);
        self.right.copy(row, y);
        for (((square, product), &x), &y) in squares.iter_mut().zip(product).zip(&*x).zip(&*y) {
            *square = x * x + y * y;
            *product = x * y;
        }
        for (plain, weighted) in self.plain.iter().zip(&mut self.ring[row % T]) {
            let shifted = std::array::from_fn(|tap| &plain[tap * self.channels..]);
            weigh(weighted, shifted, &self.window.taps);
        }
    }

    /// Weighs the rows of the ring, the last of them `row`, into the local means.
    #[inline(always)]
    fn weigh_columns(&mut self, row: usize) {
        for (map, means) in self.means.iter_mut().enumerate() {
            let rows = std::array::from_fn(|tap| self.ring[(row + 1 + tap) % T][map].as_slice());
            weigh(means, rows, &self.window.taps);
        }
    }

    /// Replaces the first two maps of means by similarity, and contrast and structure.
    #[inline(always)]
    fn similarities(&mut self) {
        const C1: f64 = (0.01 * super::PEAK) * (0.01 * super::PEAK);
        const C2: f64 = (0.03 * super::PEAK) * (0.03 * super::PEAK);
        let unbiased = self.window.unbiased;
        let [x, y, squares, product] = &mut self.means;
        for (((x, y), &square), &product) in x.iter_mut().zip(y).zip(&*squares).zip(&*product) {
            let (of_means, of_squares) = (*x * *y, *x * *x + *y * *y);
            let covariance = unbiased * (product - of_means);
            let variances = unbiased * (square - of_squares);
            let contrast = (2.0 * covariance + C2) / (variances + C2);
            *x = contrast * ((2.0 * of_means + C1) / (of_squares + C1));
            *y = contrast;
        }
    }
}

/// Adds up rows with their weights.
#[inline(always)]
fn weigh<const T: usize>(target: &mut [f64], rows: [&[f64]; T], taps: &[f64; T]) {
    // All of one length: no index below needs a check.
    let rows = rows.map(|row| &row[..target.len()]);
    for (index, sum) in target.iter_mut().enumerate() {
        let mut total = taps[T / 2] * rows[T / 2][index];
        for tap in 0..T / 2 {
            total += taps[tap] * (rows[tap][index] + rows[T - 1 - tap][index]);
        }
        *sum = total;
    }
}

/// Adds the values of each channel.
#[inline(always)]
fn add_channels(totals: &mut [f64], values: &[f64]) {
    let count = totals.len();
    for (channel, total) in totals.iter_mut().enumerate() {
        *total += values[channel..].iter().step_by(count).sum::<f64>();
    }
}
