//! KID as it is customarily quoted: mean and standard deviation over subsets.

use hype_chance::Streams;
use hype_stats::describe;
use rayon::prelude::*;

use super::{KernelDistance, NAME, kernel_distance, sum_of_kernels};
use crate::features::{check_sets, column_means};
use crate::linalg::{Part, inner_products};
use crate::subsampling::draw;
use crate::vectors::vectorized;
use crate::{Features, MetricError};

/// Multiplications from which the inner products of a subset are in single precision.
const SINGLE: usize = 1 << 28;

/// Which subsets are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubsetSettings {
    /// Number of subsets, 100 by custom.
    pub subsets: usize,
    /// Images of each set in a subset, 1,000 by custom.
    pub size: usize,
    /// Seed of the subsets.
    pub seed: u64,
}

impl SubsetSettings {
    /// 100 subsets of 1,000 images.
    #[must_use]
    pub const fn customary(seed: u64) -> Self {
        Self { subsets: 100, size: 1_000, seed }
    }
}

/// The kernel distances of subsets.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct KernelSubsets {
    /// Mean over the subsets.
    pub mean: f64,
    /// Population standard deviation over the subsets, as quoted by custom. It is the spread of an estimate from so few
    /// images, not the standard error of the mean. `None` if a subset is a whole set, as all are then equal.
    pub standard_deviation: Option<f64>,
    /// Images of each set in a subset.
    pub size: usize,
    /// The distance of each subset.
    pub values: Vec<f64>,
}

/// Computes the kernel distance of random subsets.
///
/// With no more images than `size` in a set, a subset is the whole set; if both are whole, there is one value.
///
/// # Errors
///
/// As [`kernel_distance`], and [`MetricError::Parameter`] for no subsets or a size below 2.
///
/// # Numerics
///
/// Inner products of large subsets are in single precision, of features less their mean: the kernel is completed in double
/// precision from xᵀy = c² + cᵀx' + cᵀy' + x'ᵀy'. The error is random, and averages over a million pairs to less than 10⁻⁴ of
/// the spread over subsets.
pub fn kernel_distance_of_subsets(
    left: &Features<'_>,
    right: &Features<'_>,
    settings: SubsetSettings,
) -> Result<KernelSubsets, MetricError> {
    check_sets(NAME, left, right, 2)?;
    let SubsetSettings { subsets, size, seed } = settings;
    if subsets == 0 || size < 2 {
        return Err(MetricError::Parameter {
            parameter: "number and size of subsets",
            expected: "at least 1 and 2",
            got: subsets.min(size) as f64,
        });
    }
    let sizes = [left, right].map(|set| size.min(set.rows()));
    if sizes == [left.rows(), right.rows()] {
        let distance = kernel_distance(left, right)?.distance;
        return Ok(KernelSubsets { mean: distance, standard_deviation: None, size, values: vec![distance] });
    }
    let single = sizes[0] * sizes[1] * left.width() >= SINGLE;
    let centre = if single { common_centre(left, right)? } else { Vec::new() };
    let sets = single.then(|| [left, right].map(|set| Centred::new(set, &centre)));
    let streams = Streams::new(seed);
    let values = (0..subsets)
        .into_par_iter()
        .map_init(Buffers::default, |buffers, subset| {
            let branch = streams.child("kernel subset", subset as u64);
            let rows = [("left", left), ("right", right)]
                .map(|(name, set)| draw(set.rows(), size.min(set.rows()), &mut branch.stream(name)));
            if let Some(sets) = &sets {
                return buffers.distance(sets, &rows);
            }
            let (one, other) = (left.select(&rows[0]), right.select(&rows[1]));
            Ok(kernel_distance(&one.view(), &other.view())?.distance)
        })
        .collect::<Result<Vec<f64>, MetricError>>()?;
    let mean = describe::mean(&values)?;
    let squares: Vec<f64> = values.iter().map(|value| (value - mean) * (value - mean)).collect();
    let deviation = (describe::sum(&squares) / values.len() as f64).sqrt();
    Ok(KernelSubsets { mean, standard_deviation: Some(deviation), size, values })
}

/// The mean of both sets, each with half the weight.
fn common_centre(left: &Features<'_>, right: &Features<'_>) -> Result<Vec<f64>, MetricError> {
    let (left, right) = (column_means(left)?, column_means(right)?);
    Ok(left.iter().zip(right).map(|(one, other)| 0.5 * (one + other)).collect())
}

/// A set with its centre, and what the centre adds to the inner products of rows less it.
struct Centred<'a> {
    features: &'a Features<'a>,
    centre: &'a [f64],
    /// |c|² / 2 + cᵀx' of each row.
    shifts: Vec<f64>,
}

impl<'a> Centred<'a> {
    fn new(features: &'a Features<'a>, centre: &'a [f64]) -> Self {
        let half = 0.5 * inner_product(centre, centre);
        let shifts = (0..features.rows())
            .into_par_iter()
            .map_init(
                || vec![0.0; centre.len()],
                |values, row| {
                    features.copy_row_centred(row, centre, values);
                    half + vectorized(|| inner_product(values, centre))
                },
            )
            .collect();
        Self { features, centre, shifts }
    }

    /// Copies rows less the centre, in single precision.
    fn copy(&self, chosen: &[usize], target: &mut Vec<f32>) {
        let width = self.centre.len();
        target.resize(chosen.len() * width, 0.0);
        for (&row, target) in chosen.iter().zip(target.chunks_exact_mut(width)) {
            vectorized(|| {
                let mut target = target.iter_mut().zip(self.centre);
                self.features.for_each_of_row(row, |_, value| {
                    if let Some((to, centre)) = target.next() {
                        *to = (value - centre) as f32;
                    }
                });
            });
        }
    }
}

/// An inner product in eight lanes.
#[inline(always)]
fn inner_product(one: &[f64], other: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    for (one, other) in one.chunks(8).zip(other.chunks(8)) {
        lanes.iter_mut().zip(one).zip(other).for_each(|((lane, one), other)| *lane += one * other);
    }
    lanes.iter().sum()
}

/// Memory that a thread uses for one subset after the other.
#[derive(Default)]
struct Buffers {
    rows: [Vec<f32>; 2],
    products: Vec<f32>,
}

impl Buffers {
    fn distance(&mut self, sets: &[Centred<'_>; 2], chosen: &[Vec<usize>; 2]) -> Result<f64, MetricError> {
        let Self { rows, products } = self;
        let width = sets[0].centre.len();
        for ((set, chosen), rows) in sets.iter().zip(chosen).zip(rows.iter_mut()) {
            set.copy(chosen, rows);
        }
        let shifts: [Vec<f64>; 2] =
            [0, 1].map(|set| chosen[set].iter().map(|&row| sets[set].shifts[row]).collect());
        let mut mean = |one: usize, other: usize, part| {
            let (height, count) = (shifts[one].len(), shifts[other].len());
            products.resize(height * count, 0.0);
            inner_products(products, &rows[one], &rows[other], width, part);
            let sum = sum_of_kernels(products, [&shifts[one], &shifts[other]], width, part, f64::from);
            let pairs = if part == Part::Lower { height * (height - 1) / 2 } else { height * count };
            sum / pairs as f64
        };
        let found =
            KernelDistance::new(mean(0, 0, Part::Lower), mean(1, 1, Part::Lower), mean(0, 1, Part::All))?;
        Ok(found.distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_precision_moves_a_subset_by_less_than_a_ten_thousandth_of_the_spread() {
        let mut stream = Streams::new(5).stream("features");
        let mut draw = |rows: usize, shift: f64| -> Vec<f32> {
            (0..rows * 64).map(|_| (shift + stream.unit_f64()) as f32).collect()
        };
        let (left, right) = (draw(400, 3.0), draw(400, 3.1));
        let (left, right) = (Features::new(&left, 64).unwrap(), Features::new(&right, 64).unwrap());
        let centre = common_centre(&left, &right).unwrap();
        let sets = [&left, &right].map(|set| Centred::new(set, &centre));
        let mut buffers = Buffers::default();
        let mut errors = Vec::new();
        let mut exact = Vec::new();
        for subset in 0..20 {
            let rows: Vec<usize> = (subset * 10..subset * 10 + 200).collect();
            let chosen = [rows.clone(), rows];
            let (one, other) = (left.select(&chosen[0]), right.select(&chosen[1]));
            let double = kernel_distance(&one.view(), &other.view()).unwrap().distance;
            let single = buffers.distance(&sets, &chosen).unwrap();
            errors.push((single - double).abs());
            exact.push(double);
        }
        let spread = describe::standard_deviation(&exact).unwrap();
        let worst = errors.iter().fold(0.0, |worst: f64, error| worst.max(*error));
        assert!(worst > 0.0 && worst < 1e-4 * spread, "{worst:e} of {spread:e}");
    }
}
