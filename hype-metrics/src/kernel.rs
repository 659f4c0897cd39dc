//! The squared maximum mean discrepancy between two sets of features: KID, with the features of Inception.
//!
//! # Method
//!
//! Bińkowski, Sutherland, Arbel and Gretton (2018), "Demystifying MMD GANs", section 4: the unbiased estimate with the kernel
//! k(x, y) = (xᵀy / d + 1)³ for d features. As an unbiased estimate of a number that may be 0, it may be negative.

mod subsets;

pub use subsets::{KernelSubsets, SubsetSettings, kernel_distance_of_subsets};

use hype_stats::describe;
use rayon::prelude::*;

use crate::features::check_sets;
use crate::linalg::{Part, inner_products};
use crate::vectors::vectorized;
use crate::{Features, MetricError};

const NAME: &str = "KID";
/// Rows that are multiplied together.
const BLOCK: usize = 512;
/// Kernels that are summed apart, several at a time.
const LANES: usize = 16;

/// A kernel distance.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct KernelDistance {
    /// The unbiased estimate of the squared maximum mean discrepancy.
    pub distance: f64,
    /// Mean kernel of pairs within the first set.
    pub within_left: f64,
    /// Mean kernel of pairs within the second set.
    pub within_right: f64,
    /// Mean kernel of pairs across the sets.
    pub across: f64,
}

impl KernelDistance {
    pub(crate) fn new(within_left: f64, within_right: f64, across: f64) -> Result<Self, MetricError> {
        let distance = within_left + within_right - 2.0 * across;
        if !distance.is_finite() {
            return Err(MetricError::Undefined {
                metric: NAME,
                reason: "the kernel exceeds double precision",
            });
        }
        Ok(Self { distance, within_left, within_right, across })
    }
}

/// Estimates the kernel distance from all pairs of images.
///
/// This is the estimate with the least variance. [`kernel_distance_of_subsets`] gives the mean and standard deviation over
/// subsets that publications quote.
///
/// # Errors
///
/// [`MetricError::Width`] for features of different widths, [`MetricError::TooFew`] for fewer than two images in a set,
/// [`MetricError::Undefined`] if the kernel overflows.
///
/// # Examples
///
/// ```
/// use hype_metrics::{Features, kernel::kernel_distance};
/// let found = kernel_distance(&Features::new(&[0.0, 2.0], 1)?, &Features::new(&[1.0, 1.0], 1)?)?;
/// // Within: (0·2 + 1)³ = 1 and (1·1 + 1)³ = 8; across: the mean of 1, 1, 27 and 27.
/// assert_eq!(found.distance, 1.0 + 8.0 - 2.0 * 14.0);
/// # Ok::<(), hype_metrics::MetricError>(())
/// ```
pub fn kernel_distance(left: &Features<'_>, right: &Features<'_>) -> Result<KernelDistance, MetricError> {
    check_sets(NAME, left, right, 2)?;
    let pairs = |rows: usize| 0.5 * rows as f64 * (rows as f64 - 1.0);
    KernelDistance::new(
        sum_within(left) / pairs(left.rows()),
        sum_within(right) / pairs(right.rows()),
        sum_across(left, right) / (left.rows() as f64 * right.rows() as f64),
    )
}

/// The sum over all pairs of different rows.
fn sum_within(features: &Features<'_>) -> f64 {
    let blocks = features.rows().div_ceil(BLOCK);
    let pairs: Vec<(usize, usize)> =
        (0..blocks).flat_map(|one| (0..=one).map(move |other| (one, other))).collect();
    sum_blocks(&pairs, features, features, true)
}

fn sum_across(left: &Features<'_>, right: &Features<'_>) -> f64 {
    let blocks = [left, right].map(|set| set.rows().div_ceil(BLOCK));
    let pairs: Vec<(usize, usize)> =
        (0..blocks[0]).flat_map(|one| (0..blocks[1]).map(move |other| (one, other))).collect();
    sum_blocks(&pairs, left, right, false)
}

fn sum_blocks(pairs: &[(usize, usize)], left: &Features<'_>, right: &Features<'_>, within: bool) -> f64 {
    let width = left.width();
    let sums: Vec<f64> = pairs
        .par_iter()
        .map_init(
            || [Vec::new(), Vec::new(), Vec::new()],
            |[products, rows, columns], &(one, other)| {
                copy_block(left, one, rows);
                copy_block(right, other, columns);
                let part = if within && one == other { Part::Lower } else { Part::All };
                let (height, count) = (rows.len() / width, columns.len() / width);
                products.resize(height * count, 0.0);
                inner_products(products, rows, columns, width, part);
                let none = [0.0; BLOCK];
                sum_of_kernels(products, [&none[..height], &none[..count]], width, part, |product| product)
            },
        )
        .collect();
    describe::sum(&sums)
}

fn copy_block(features: &Features<'_>, block: usize, target: &mut Vec<f64>) {
    let width = features.width();
    let first = block * BLOCK;
    let count = BLOCK.min(features.rows() - first);
    target.resize(count * width, 0.0);
    for (row, values) in target.chunks_exact_mut(width).enumerate() {
        features.copy_row(first + row, values);
    }
}

/// The sum of the kernel over a block of inner products, which lack the terms given for rows and for columns. Pairs of
/// a row with itself are left out, and their block counts only one of the two pairs of two rows.
pub(crate) fn sum_of_kernels<T: Copy>(
    products: &[T],
    [rows, columns]: [&[f64]; 2],
    width: usize,
    part: Part,
    double: impl Fn(T) -> f64,
) -> f64 {
    let scale = 1.0 / width as f64;
    let kernel = |rest: f64, row: f64, product: T| {
        let base = (rest + row + double(product)) * scale + 1.0;
        base * base * base
    };
    let sums: Vec<f64> = products
        .chunks_exact(rows.len())
        .zip(columns)
        .enumerate()
        .map(|(column, (values, &rest))| {
            let first = if part == Part::Lower { column + 1 } else { 0 };
            vectorized(|| {
                let mut lanes = [0.0; LANES];
                let (values, last) = values[first..].as_chunks::<LANES>();
                let (rows, last_rows) = rows[first..].as_chunks::<LANES>();
                for (values, rows) in values.iter().zip(rows) {
                    for ((lane, &value), &row) in lanes.iter_mut().zip(values).zip(rows) {
                        *lane += kernel(rest, row, value);
                    }
                }
                for ((lane, &value), &row) in lanes.iter_mut().zip(last).zip(last_rows) {
                    *lane += kernel(rest, row, value);
                }
                lanes.iter().sum::<f64>()
            })
        })
        .collect();
    describe::sum(&sums)
}
