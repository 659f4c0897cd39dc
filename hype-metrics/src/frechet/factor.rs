//! Factors of covariances, and the trace of the root of their product.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};
use hype_stats::describe;
use rayon::prelude::*;

use crate::MetricError;
use crate::features::{FeatureRows, for_each_block};
use crate::linalg::{PANEL, add_products};

/// The least ratio of pivots up to which a covariance is factored instead of the features, see [`Factor::of_features`].
const LEAST_PIVOT: f64 = 1e-4;
/// Rows from which singular values may be found by way of eigenvalues.
const LARGE: usize = 256;

/// Values of a set that is decomposed as a whole, 1 GiB of them; those of larger sets are decomposed in parts: memory does
/// not grow.
const WHOLE: usize = 1 << 27;

/// Features less their mean, over √(n - 1).
struct Centred<'a> {
    features: &'a dyn FeatureRows,
    centre: &'a [f64],
    scale: f64,
}

impl Centred<'_> {
    /// Visits blocks of rows with the number of their first row.
    fn for_each_block(&self, rows: usize, mut visit: impl FnMut(usize, &[f64])) -> Result<(), MetricError> {
        let (centre, scale) = (self.centre, self.scale);
        for_each_block(self.features, rows, |first, block| {
            block.par_chunks_exact_mut(centre.len()).for_each(|row| {
                row.iter_mut().zip(centre).for_each(|(value, centre)| *value = (*value - centre) * scale);
            });
            visit(first, block);
        })
    }

    fn matrix(&self) -> Result<Mat<f64>, MetricError> {
        let width = self.centre.len();
        let mut matrix = Mat::zeros(self.features.rows(), width);
        self.for_each_block(1024, |first, block| {
            let part = MatRef::from_row_major_slice(block, block.len() / width, width);
            matrix.as_mut().subrows_mut(first, part.nrows()).copy_from(part);
        })?;
        Ok(matrix)
    }

    /// R of a QR decomposition, from those of blocks of rows below what was found before.
    fn upper_by_parts(&self, block: usize) -> Result<Mat<f64>, MetricError> {
        let width = self.centre.len();
        let mut upper: Mat<f64> = Mat::zeros(0, width);
        self.for_each_block(block, |_, block| {
            let part = MatRef::from_row_major_slice(block, block.len() / width, width);
            let mut both = Mat::zeros(upper.nrows() + part.nrows(), width);
            let (mut above, mut below) = both.as_mut().split_at_row_mut(upper.nrows());
            above.copy_from(upper.as_ref());
            below.copy_from(part);
            upper = both.qr().thin_R().to_owned();
        })?;
        Ok(upper)
    }
}

/// A matrix A with AᵀA = Σ.
pub(crate) struct Factor {
    rows: Mat<f64>,
    /// Whether all entries below the diagonal are 0.
    is_upper: bool,
}

impl Factor {
    /// Factors the sample covariance of features; `centre` is their mean.
    ///
    /// # Numerics
    ///
    /// R of a QR decomposition of the centred features is exact to the last digits for any covariance, singular ones too,
    /// but costs 2nd² operations. The Cholesky factor of XᵀX is the same matrix and costs half, but forming XᵀX perturbs
    /// Σ by ε‖Σ‖: small variances lose digits. To first order, the trace of (Σ₁Σ₂)^½ then moves by tr(TΔΣ) / 2 with the
    /// optimal transport map T between the two Gaussians, at most ε‖Σ‖^½ over the least standard deviation. It is used
    /// where pivots, which are those standard deviations up to a moderate factor, differ by less than 10⁴: the error is
    /// then below 10⁻¹¹ of the trace. Otherwise the features are decomposed, those of large sets in blocks of rows: R of R₁ above
    /// the next block is R of all rows up to it, with errors of the same size.
    pub(crate) fn of_features(features: &dyn FeatureRows, centre: &[f64]) -> Result<Self, MetricError> {
        let (rows, width) = (features.rows(), features.width());
        let set = Centred { features, centre, scale: 1.0 / ((rows - 1) as f64).sqrt() };
        if rows <= width {
            return Ok(Self { rows: set.matrix()?, is_upper: false });
        }
        if let Some(factor) = Self::by_products(&set)? {
            return Ok(factor);
        }
        let rows = if rows.saturating_mul(width) <= WHOLE {
            set.matrix()?.qr().thin_R().to_owned()
        } else {
            set.upper_by_parts(4 * width)?
        };
        Ok(Self { rows, is_upper: true })
    }

    fn by_products(set: &Centred<'_>) -> Result<Option<Self>, MetricError> {
        let width = set.features.width();
        let mut products = vec![0.0; width * width];
        set.for_each_block(1024, |_, block| add_products(&mut products, block, width))?;
        let matrix = MatRef::from_column_major_slice(&products, width, width);
        let Ok(lower) = matrix.llt(Side::Lower) else { return Ok(None) };
        let lower = lower.L();
        let pivots = (0..width).map(|index| lower[(index, index)]);
        let greatest = pivots.clone().fold(0.0, f64::max);
        let well_conditioned = pivots.fold(f64::INFINITY, f64::min) > LEAST_PIVOT * greatest;
        Ok(well_conditioned.then(|| Self { rows: lower.transpose().to_owned(), is_upper: true }))
    }

    /// Factors a covariance matrix: Λ^½Vᵀ of its eigenvalues and eigenvectors.
    ///
    /// Eigenvalues below zero by no more than rounding are zero.
    pub(crate) fn of_covariance(covariance: &[f64], width: usize) -> Result<Self, MetricError> {
        let matrix = MatRef::from_column_major_slice(covariance, width, width);
        if let Ok(lower) = matrix.llt(Side::Lower) {
            return Ok(Self { rows: lower.L().transpose().to_owned(), is_upper: true });
        }
        let eigen = matrix
            .self_adjoint_eigen(Side::Lower)
            .map_err(|_| MetricError::Covariance { reason: "its eigenvalues do not converge" })?;
        let values = eigen.S().column_vector();
        let greatest = (0..width).fold(0.0_f64, |greatest, index| greatest.max(values[index].abs()));
        // Statistics are published in single precision too, which moves eigenvalues by 6e-8 of the greatest.
        if (0..width).any(|index| values[index] < -1e-6 * greatest) {
            return Err(MetricError::Covariance { reason: "it has negative eigenvalues" });
        }
        let vectors = eigen.U();
        let rows =
            Mat::from_fn(width, width, |row, column| vectors[(column, row)] * values[row].max(0.0).sqrt());
        Ok(Self { rows, is_upper: false })
    }

    /// The trace of Σ.
    pub(crate) fn trace(&self) -> f64 {
        self.rows.squared_norm_l2()
    }

    /// The trace of (Σ₁Σ₂)^½, which is the nuclear norm of A₁A₂ᵀ: the sum of its singular values.
    ///
    /// # Numerics
    ///
    /// The roots of the eigenvalues of PPᵀ with P = A₁A₂ᵀ are the same numbers for a fourth of the time, but an error of
    /// ε‖P‖² in the eigenvalue σ² is one of ε‖P‖² / 2σ in σ. For large matrices they are used where the sum of these errors
    /// is below 10⁻¹¹ of the result.
    pub(crate) fn trace_of_root(&self, other: &Self) -> Result<f64, MetricError> {
        let (rows, columns) = (self.rows.nrows(), other.rows.nrows());
        let product = self.times_transposed(other);
        if rows >= LARGE
            && rows <= columns
            && let Some(sum) = sum_of_roots(&product, rows)
        {
            return Ok(sum);
        }
        let matrix = MatRef::from_column_major_slice(&product, rows, columns);
        let values = matrix.singular_values().map_err(|_| MetricError::Undefined {
            metric: "FID",
            reason: "the singular values of the product of the factors do not converge",
        })?;
        Ok(describe::sum(&values))
    }

    /// A₁A₂ᵀ, column by column, its columns shared among threads.
    fn times_transposed(&self, other: &Self) -> Vec<f64> {
        let (rows, columns) = (self.rows.nrows(), other.rows.nrows());
        let (left, right) = (self.rows.as_ref(), other.rows.as_ref());
        let width = left.ncols();
        let mut values = vec![0.0; rows * columns];
        values.par_chunks_mut(PANEL * rows).enumerate().for_each(|(panel, values)| {
            let first = panel * PANEL;
            let count = values.len() / rows;
            let mut target = MatMut::from_column_major_slice_mut(values, rows, count);
            for row in (0..rows).step_by(PANEL) {
                let height = PANEL.min(rows - row);
                // Columns before these are 0 in one of the two.
                let start = match (self.is_upper, other.is_upper) {
                    (true, true) => row.max(first),
                    (true, false) => row,
                    (false, true) => first,
                    (false, false) => 0,
                };
                matmul(
                    target.as_mut().subrows_mut(row, height),
                    Accum::Replace,
                    left.submatrix(row, start, height, width - start),
                    right.submatrix(first, start, count, width - start).transpose(),
                    1.0,
                    Par::Seq,
                );
            }
        });
        values
    }
}

/// The sum of the singular values of a matrix, from the eigenvalues of its product with itself; `None` where that is not
/// certain to ten digits.
fn sum_of_roots(matrix: &[f64], rows: usize) -> Option<f64> {
    let mut square = vec![0.0; rows * rows];
    // The columns of the matrix are the rows of its transpose.
    add_products(&mut square, matrix, rows);
    let square = MatRef::from_column_major_slice(&square, rows, rows);
    let eigenvalues = square.self_adjoint_eigenvalues(Side::Lower).ok()?;
    let greatest = eigenvalues.iter().copied().fold(0.0, f64::max);
    // Rounding of products and reflections adds up like a walk of as many steps as there are rows.
    let error = 4.0 * f64::EPSILON * (rows as f64).sqrt() * greatest;
    if eigenvalues.iter().any(|&value| value <= error) {
        return None;
    }
    let roots: Vec<f64> = eigenvalues.iter().map(|value| value.sqrt()).collect();
    let errors: Vec<f64> = roots.iter().map(|root| 0.5 * error / root).collect();
    let sum = describe::sum(&roots);
    (describe::sum(&errors) < 1e-11 * sum).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Features;
    use crate::features::column_means;

    /// Columns that are close to multiples of each other, so products do not suffice.
    #[test]
    fn parts_have_the_decomposition_of_the_whole() {
        const WIDTH: usize = 6;
        let mut values = Vec::new();
        for row in 0..500_u32 {
            let of = |step: u32| {
                f64::from(row.wrapping_mul(2_654_435_761).wrapping_add(step * 97) % 1_009) / 1_009.0
            };
            let base = of(1);
            values.extend((0..WIDTH as u32).map(|column| base + 1e-7 * of(column * column + 2)));
        }
        let features = Features::from_double(&values, WIDTH).unwrap();
        let centre = column_means(&features).unwrap();
        let set = Centred { features: &features, centre: &centre, scale: 1.0 / 499.0_f64.sqrt() };
        assert!(Factor::by_products(&set).unwrap().is_none());
        let whole = Factor { rows: set.matrix().unwrap().qr().thin_R().to_owned(), is_upper: true };
        for block in [4, 24, 499] {
            let parts = Factor { rows: set.upper_by_parts(block).unwrap(), is_upper: true };
            // The trace of (ΣΣ)^½ is that of Σ.
            let found = parts.trace_of_root(&whole).unwrap();
            assert!((found - whole.trace()).abs() < 1e-13 * whole.trace(), "{block}: {found}");
            for index in 0..WIDTH {
                let (one, other) = (parts.rows[(index, index)].abs(), whole.rows[(index, index)].abs());
                assert!((one - other).abs() < 1e-13 * whole.trace().sqrt(), "{block}: {one} {other}");
            }
        }
    }
}
