//! Covariances of columns with each other and with fixed columns.

use crate::texture::linear::{Eigen, Matrix};
use crate::texture::moments::product;

/// The number of samples processed at a time, few enough to fit the cache.
const BLOCK: usize = 512;

/// The share of the variance of the real parts up to which imaginary parts are rounding errors.
const TOLERATED_SHARE: f64 = 1e-6;

/// A linear change of columns `X`, given fixed columns `Y`: `X mix + Y add`.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// `K x K`, for the columns of `X`.
    pub mix: Matrix,
    /// `P x K`, for the columns of `Y`; no rows without `Y`.
    pub add: Matrix,
    /// The imaginary parts of both, if the targets contradict each other.
    pub imaginary: Option<(Matrix, Matrix)>,
}

/// Whether columns were corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imposed {
    /// They have the requested covariances.
    Yes,
    /// The request is contradictory, and they are unchanged.
    Refused,
}

/// Mean products of the columns of two sets, about zero.
pub(crate) fn gram(left: &[&[f64]], right: &[&[f64]]) -> Matrix {
    let (rows, columns) = (left.len(), right.len());
    let count = left.first().map_or(0, |column| column.len());
    let mut sums = vec![0.0; rows * columns];
    let mut from = 0;
    while from < count {
        let to = (from + BLOCK).min(count);
        let weight = (to - from) as f64 / count as f64;
        for (i, a) in left.iter().enumerate() {
            for (j, b) in right.iter().enumerate() {
                // The product of a set with itself is symmetric.
                if !(std::ptr::eq(left, right) && j < i) {
                    sums[i * columns + j] += weight * product(&a[from..to], &b[from..to]);
                }
            }
        }
        from = to;
    }
    Matrix::of(rows, columns, |i, j| {
        if std::ptr::eq(left, right) { sums[i.min(j) * columns + i.max(j)] } else { sums[i * columns + j] }
    })
}

/// A symmetric square root; the second part is that of the negative eigenvalues.
fn root(eigen: &Eigen) -> (Matrix, Option<Matrix>) {
    // Below this, eigenvalues of a singular matrix are rounding errors.
    let least = eigen.largest() * 1e-15;
    let real = eigen.map(|value| value.max(0.0).sqrt());
    let negative = eigen.values.iter().any(|&value| value < -least);
    (real, negative.then(|| eigen.map(|value| (-value).max(0.0).sqrt())))
}

fn inverse_root(eigen: &Eigen) -> Matrix {
    let least = eigen.largest() * 1e-15;
    eigen.map(|value| if value > least { value.sqrt().recip() } else { 0.0 })
}

impl Correction {
    /// Gives columns with mean products `present` those of `target`, without fixed columns.
    ///
    /// # Method
    /// `present^(-1/2) target^(1/2)` with symmetric roots: the published `adjustCorr1s`, mode 2.
    #[must_use]
    pub fn within(present: &Matrix, target: &Matrix) -> Self {
        let inverse = inverse_root(&present.eigen());
        let (real, imaginary) = root(&target.eigen());
        let none = || Matrix::of(0, target.columns(), |_, _| 0.0);
        Self {
            mix: inverse.times(&real),
            add: none(),
            imaginary: imaginary.map(|imaginary| (inverse.times(&imaginary), none())),
        }
    }

    /// Gives columns the mean products `target` with each other and `target_cross` with fixed
    /// columns, from `present` and `present_cross`; `inverse` is that of the mean products of the
    /// fixed columns.
    ///
    /// # Method
    /// With `C` and `D` the parts of the present and the target that the fixed columns do not explain,
    /// `mix = C^(-1/2) D^(1/2)` with symmetric roots and
    /// `add = inverse (target_cross' - present_cross' mix)`: the published `adjustCorr2s`, mode 3.
    #[must_use]
    pub fn across(
        [present, target]: [&Matrix; 2],
        [present_cross, target_cross]: [&Matrix; 2],
        inverse: &Matrix,
    ) -> Self {
        let unexplained = |own: &Matrix, cross: &Matrix| {
            own.minus(&cross.times(inverse).times(&cross.transposed())).eigen()
        };
        let from = inverse_root(&unexplained(present, present_cross));
        let (real, imaginary) = root(&unexplained(target, target_cross));
        let mix = from.times(&real);
        let moved = |mix: &Matrix| present_cross.transposed().times(mix);
        let add = inverse.times(&target_cross.transposed().minus(&moved(&mix)));
        let imaginary = imaginary.map(|imaginary| {
            let mix = from.times(&imaginary);
            let add = inverse.times(&moved(&mix));
            let opposite = Matrix::of(add.rows(), add.columns(), |i, j| -add.at(i, j));
            (mix, opposite)
        });
        Self { mix, add, imaginary }
    }

    /// The inverse of the mean products of fixed columns that [`Correction::across`] takes.
    ///
    /// Directions in which the columns do not vary are omitted.
    #[must_use]
    pub fn inverse_of_fixed(products: &Matrix) -> Matrix {
        products.inverse_of_moments()
    }

    /// Changes columns, unless the imaginary part of the result exceeds rounding errors.
    pub fn impose(&self, columns: &mut [&mut [f64]], fixed: &[&[f64]]) -> Imposed {
        if self.imaginary.is_some() {
            let views: Vec<&[f64]> = columns.iter().map(|column| &**column).collect();
            if self.imaginary_share(&views, fixed) > TOLERATED_SHARE {
                return Imposed::Refused;
            }
        }
        self.apply(columns, fixed);
        Imposed::Yes
    }

    /// The variance of the imaginary part of the result over that of its real part, of all columns
    /// together.
    #[must_use]
    pub fn imaginary_share(&self, columns: &[&[f64]], fixed: &[&[f64]]) -> f64 {
        let mut shares = Shares::default();
        self.share(columns, fixed, &mut shares);
        shares.ratio()
    }

    pub(crate) fn share(&self, columns: &[&[f64]], fixed: &[&[f64]], shares: &mut Shares) {
        let count = columns.first().map_or(0, |column| column.len());
        let sum_of = |mix: &Matrix, add: &Matrix, column: usize, at: usize| {
            let own: f64 = columns.iter().enumerate().map(|(i, values)| mix.at(i, column) * values[at]).sum();
            let other: f64 = fixed.iter().enumerate().map(|(i, values)| add.at(i, column) * values[at]).sum();
            own + other
        };
        for column in 0..self.mix.columns() {
            for at in 0..count {
                shares.real.add(sum_of(&self.mix, &self.add, column, at));
                shares
                    .imaginary
                    .add(self.imaginary.as_ref().map_or(0.0, |(mix, add)| sum_of(mix, add, column, at)));
            }
        }
    }

    pub(crate) fn apply(&self, columns: &mut [&mut [f64]], fixed: &[&[f64]]) {
        let count = columns.first().map_or(0, |column| column.len());
        let size = self.mix.columns();
        let mut block = vec![0.0; size * BLOCK];
        let mut from = 0;
        while from < count {
            let to = (from + BLOCK).min(count);
            for (j, out) in block.chunks_exact_mut(BLOCK).enumerate() {
                let out = &mut out[..to - from];
                out.fill(0.0);
                let own =
                    columns.iter().enumerate().map(|(i, column)| (self.mix.at(i, j), &column[from..to]));
                let others =
                    fixed.iter().enumerate().map(|(i, column)| (self.add.at(i, j), &column[from..to]));
                accumulate(out, own.chain(others));
            }
            for (column, out) in columns.iter_mut().zip(block.chunks_exact(BLOCK)) {
                column[from..to].copy_from_slice(&out[..to - from]);
            }
            from = to;
        }
    }
}

/// Adds multiples of columns, in their order; two at a time, since reading and writing the sums is most of the work.
fn accumulate<'a>(out: &mut [f64], mut terms: impl Iterator<Item = (f64, &'a [f64])>) {
    while let Some((first, left)) = terms.next() {
        match terms.next() {
            Some((second, right)) => {
                for ((out, left), right) in out.iter_mut().zip(left).zip(right) {
                    *out = (*out + first * left) + second * right;
                }
            }
            None => {
                for (out, left) in out.iter_mut().zip(left) {
                    *out += first * left;
                }
            }
        }
    }
}

/// The variances of the real and imaginary parts of several corrections together.
#[derive(Default)]
pub(crate) struct Shares {
    real: Running,
    imaginary: Running,
}

impl Shares {
    fn ratio(&self) -> f64 {
        let ratio = self.imaginary.variance() / self.real.variance();
        if ratio.is_nan() { 0.0 } else { ratio }
    }

    pub(crate) fn tolerable(&self) -> bool {
        self.ratio() <= TOLERATED_SHARE
    }
}

/// Mean and squared deviations of a stream of samples (Welford 1962).
#[derive(Default)]
struct Running {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Running {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        let off = value - self.mean;
        self.mean += off / self.count;
        self.squares += off * (value - self.mean);
    }

    fn variance(&self) -> f64 {
        self.squares / (self.count - 1.0)
    }
}
