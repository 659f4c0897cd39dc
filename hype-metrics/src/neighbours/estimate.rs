//! Squared distances: estimates with a bound of their error, and exact ones.

use rayon::prelude::*;

use crate::Features;
use crate::linalg::{Part, inner_products};
use crate::vectors::vectorized;

/// Points that are multiplied together.
pub(crate) const BLOCK: usize = 512;

/// A set of points, less a common centre, in single precision.
pub(crate) struct Points<'a> {
    features: &'a Features<'a>,
    single: Vec<f32>,
    /// The squared norm of each centred point.
    norms: Vec<f64>,
}

impl<'a> Points<'a> {
    pub(crate) fn new(features: &'a Features<'a>, centre: &[f64]) -> Self {
        let width = features.width();
        let mut single = vec![0.0; features.rows() * width];
        let norms = single
            .par_chunks_exact_mut(width)
            .enumerate()
            .map_init(
                || vec![0.0; width],
                |values, (row, target)| {
                    features.copy_row_centred(row, centre, values);
                    target.iter_mut().zip(&*values).for_each(|(to, &from)| *to = from as f32);
                    values.iter().map(|value| value * value).sum()
                },
            )
            .collect();
        Self { features, single, norms }
    }

    pub(crate) fn rows(&self) -> usize {
        self.norms.len()
    }

    pub(crate) fn width(&self) -> usize {
        self.features.width()
    }

    pub(crate) fn norm(&self, row: usize) -> f64 {
        self.norms[row]
    }

    /// The squared norms of some points.
    pub(crate) fn norms_of(&self, rows: std::ops::Range<usize>) -> &[f64] {
        &self.norms[rows]
    }

    pub(crate) fn greatest_norm(&self) -> f64 {
        self.norms.iter().copied().fold(0.0, f64::max)
    }

    pub(crate) fn blocks(&self) -> usize {
        self.rows().div_ceil(BLOCK)
    }

    pub(crate) fn range(&self, block: usize) -> std::ops::Range<usize> {
        block * BLOCK..((block + 1) * BLOCK).min(self.rows())
    }

    /// The points of a block, in single precision.
    pub(crate) fn block(&self, block: usize) -> &[f32] {
        let range = self.range(block);
        &self.single[range.start * self.width()..range.end * self.width()]
    }

    /// The squared distance of two points, exact up to double precision and the same in both directions.
    pub(crate) fn exact(&self, row: usize, other: &Points<'_>, other_row: usize) -> f64 {
        match (self.features.single_row(row), other.features.single_row(other_row)) {
            (Some(one), Some(two)) => vectorized(|| sum_of_squares(one, two, f64::from)),
            _ => {
                let mut values = [vec![0.0; self.width()], vec![0.0; self.width()]];
                self.features.copy_row(row, &mut values[0]);
                other.features.copy_row(other_row, &mut values[1]);
                vectorized(|| sum_of_squares(&values[0], &values[1], |value| value))
            }
        }
    }

    /// Inner products of the points of two blocks, column by column of the second.
    pub(crate) fn products(
        &self,
        block: usize,
        other: &Points<'_>,
        other_block: usize,
        part: Part,
        target: &mut Vec<f32>,
    ) {
        let (left, right) = (self.block(block), other.block(other_block));
        target.resize(self.range(block).len() * other.range(other_block).len(), 0.0);
        inner_products(target, left, right, self.width(), part);
    }
}

/// The sum of the squares of the differences, in eight lanes.
#[inline(always)]
fn sum_of_squares<T: Copy>(one: &[T], other: &[T], double: impl Fn(T) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    let square = |one: T, other: T| {
        let difference = double(one) - double(other);
        difference * difference
    };
    let ((ones, rest), (others, other_rest)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    for (one, other) in ones.iter().zip(others) {
        lanes.iter_mut().zip(one).zip(other).for_each(|((lane, &one), &other)| *lane += square(one, other));
    }
    lanes.iter_mut().zip(rest).zip(other_rest).for_each(|((lane, &one), &other)| *lane += square(one, other));
    lanes.iter().sum()
}

/// Stands for products of points that are 0 in single precision.
const UNDERFLOW: f64 = 1e-30;

/// How far an estimate may lie from the squared distance.
///
/// With u = 2⁻²⁴, an inner product of d terms in any order has an error of at most du‖x‖‖y‖ (Higham 2002, "Accuracy and
/// stability of numerical algorithms", equation 3.5), and rounding two points moves their squared distance by at most
/// 2u(‖x‖ + ‖y‖)². Both are bounded by norms: 2‖x‖‖y‖ ≤ ‖x‖² + ‖y‖².
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    factor: f64,
}

impl Bound {
    pub(crate) fn new(width: usize) -> Self {
        // 4 for rounding the points, and room for terms of order u².
        Self { factor: (width as f64 + 8.0) * f64::from(f32::EPSILON) * 0.5 * 1.001 }
    }

    /// Whether any of some pairs with one point may have a squared distance up to a limit, its own or the one given; almost
    /// all have not, and this is found for several at once.
    #[inline(always)]
    pub(crate) fn may_reach(
        self,
        norm: f64,
        norms: &[f64],
        products: &[f32],
        own_limits: &[f64],
        limit: f64,
    ) -> bool {
        let mut may = false;
        for ((&other, &product), &own) in norms.iter().zip(products).zip(own_limits) {
            let both = norm + other;
            let least = both - 2.0 * f64::from(product) - (self.factor * both + UNDERFLOW);
            may |= (least <= own) | (least <= limit) | !least.is_finite();
        }
        may
    }

    /// An interval that contains the squared distance of two points with these squared norms.
    #[inline]
    pub(crate) fn around(self, norms: f64, product: f32) -> (f64, f64) {
        let middle = norms - 2.0 * f64::from(product);
        let margin = self.factor * norms + UNDERFLOW;
        if middle.is_finite() { (middle - margin, middle + margin) } else { (0.0, f64::INFINITY) }
    }
}
