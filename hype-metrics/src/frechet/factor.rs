//! Factors of covariances, and the trace of the root of their product.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};
use hype_stats::describe;
use rayon::prelude::*;

use crate::linalg::{PANEL, add_products};
use crate::{Features, MetricError};

/// The least ratio of pivots up to which a covariance is factored instead of the features, see [`Factor::of_features`].
const LEAST_PIVOT: f64 = 1e-4;
/// Rows from which singular values may be found by way of eigenvalues.
const LARGE: usize = 256;

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
    /// then below 10⁻¹¹ of the trace. Otherwise the features are decomposed.
    pub(crate) fn of_features(features: &Features<'_>, centre: &[f64]) -> Self {
        let (rows, width) = (features.rows(), features.width());
        let scale = 1.0 / ((rows - 1) as f64).sqrt();
        if rows > width
            && let Some(factor) = Self::by_products(features, centre, scale)
        {
            return factor;
        }
        let mut centred = vec![0.0; rows * width];
        centred.par_chunks_exact_mut(width).enumerate().for_each(|(row, values)| {
            features.copy_row_centred(row, centre, values);
            values.iter_mut().for_each(|value| *value *= scale);
        });
        let matrix = MatRef::from_row_major_slice(&centred, rows, width);
        if rows <= width {
            return Self { rows: matrix.to_owned(), is_upper: false };
        }
        Self { rows: matrix.to_owned().qr().thin_R().to_owned(), is_upper: true }
    }

    fn by_products(features: &Features<'_>, centre: &[f64], scale: f64) -> Option<Self> {
        const BLOCK: usize = 1024;
        let (rows, width) = (features.rows(), features.width());
        let mut products = vec![0.0; width * width];
        let mut block = vec![0.0; BLOCK.min(rows) * width];
        for start in (0..rows).step_by(BLOCK) {
            let count = BLOCK.min(rows - start);
            let block = &mut block[..count * width];
            block.par_chunks_exact_mut(width).enumerate().for_each(|(row, values)| {
                features.copy_row_centred(start + row, centre, values);
                values.iter_mut().for_each(|value| *value *= scale);
            });
            add_products(&mut products, block, width);
        }
        let matrix = MatRef::from_column_major_slice(&products, width, width);
        let lower = matrix.llt(Side::Lower).ok()?;
        let lower = lower.L();
        let pivots = (0..width).map(|index| lower[(index, index)]);
        let greatest = pivots.clone().fold(0.0, f64::max);
        let well_conditioned = pivots.fold(f64::INFINITY, f64::min) > LEAST_PIVOT * greatest;
        well_conditioned.then(|| Self { rows: lower.transpose().to_owned(), is_upper: true })
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
