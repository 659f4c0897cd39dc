//! Small dense matrices.

use serde::{Deserialize, Serialize};

/// A matrix of a few rows and columns, row by row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

/// Eigenvalues, and eigenvectors in the columns.
pub(crate) struct Eigen {
    pub(crate) values: Vec<f64>,
    pub(crate) vectors: Matrix,
}

impl Matrix {
    /// A matrix whose entry in row `i` and column `j` is `entry(i, j)`.
    #[must_use]
    pub fn of(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let entry = &entry;
        let values = (0..rows).flat_map(|i| (0..columns).map(move |j| entry(i, j))).collect();
        Self { rows, columns, values }
    }

    /// Rows.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// The entry in a row and column.
    ///
    /// # Panics
    /// If there is no such entry.
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> f64 {
        assert!(row < self.rows && column < self.columns, "no entry ({row}, {column})");
        self.values[row * self.columns + column]
    }

    /// The entries, row by row.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub(crate) fn is_whole(&self, rows: usize, columns: usize) -> bool {
        (self.rows, self.columns) == (rows, columns)
            && self.values.len() == rows * columns
            && self.values.iter().all(|value| value.is_finite())
    }

    fn set(&mut self, row: usize, column: usize, value: f64) {
        self.values[row * self.columns + column] = value;
    }

    pub(crate) fn transposed(&self) -> Self {
        Self::of(self.columns, self.rows, |i, j| self.at(j, i))
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        Self::of(self.rows, other.columns, |i, j| {
            (0..self.columns).map(|k| self.at(i, k) * other.at(k, j)).sum()
        })
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        Self::of(self.rows, self.columns, |i, j| self.at(i, j) - other.at(i, j))
    }

    /// The eigenvalues and eigenvectors of a symmetric matrix, by Jacobi's rotations (Golub & Van
    /// Loan 2013, Matrix computations, section 8.5).
    pub(crate) fn eigen(&self) -> Eigen {
        let size = self.rows;
        let mut left = Self::of(size, size, |i, j| f64::midpoint(self.at(i, j), self.at(j, i)));
        let mut vectors = Self::of(size, size, |i, j| f64::from(u8::from(i == j)));
        // Convergence is quadratic; small matrices need fewer than ten sweeps.
        for _ in 0..64 {
            let mut turned = false;
            for p in 0..size {
                for q in p + 1..size {
                    turned |= left.rotate(&mut vectors, p, q);
                }
            }
            if !turned {
                break;
            }
        }
        Eigen { values: (0..size).map(|i| left.at(i, i)).collect(), vectors }
    }

    /// Makes one pair of entries off the diagonal zero, unless it is so small that nothing would
    /// change.
    fn rotate(&mut self, vectors: &mut Self, p: usize, q: usize) -> bool {
        let (app, aqq, apq) = (self.at(p, p), self.at(q, q), self.at(p, q));
        if apq.abs() <= f64::EPSILON * 1e-3 * (app.abs() * aqq.abs()).sqrt() || apq.abs() < f64::MIN_POSITIVE
        {
            return false;
        }
        let theta = (aqq - app) / (2.0 * apq);
        let tan = theta.signum() / (theta.abs() + theta.mul_add(theta, 1.0).sqrt());
        let cos = 1.0 / tan.mul_add(tan, 1.0).sqrt();
        let sin = tan * cos;
        for k in 0..self.rows {
            let (akp, akq) = (self.at(k, p), self.at(k, q));
            self.set(k, p, cos * akp - sin * akq);
            self.set(k, q, sin * akp + cos * akq);
            let (vkp, vkq) = (vectors.at(k, p), vectors.at(k, q));
            vectors.set(k, p, cos * vkp - sin * vkq);
            vectors.set(k, q, sin * vkp + cos * vkq);
        }
        for k in 0..self.rows {
            let (apk, aqk) = (self.at(p, k), self.at(q, k));
            self.set(p, k, cos * apk - sin * aqk);
            self.set(q, k, sin * apk + cos * aqk);
        }
        self.set(p, q, 0.0);
        self.set(q, p, 0.0);
        true
    }

    /// The inverse of a positive semidefinite matrix, restricted to the directions in which it is
    /// not zero.
    ///
    /// The matrix is first scaled to ones on its diagonal: columns of very different
    /// variance are treated the same way.
    pub(crate) fn inverse_of_moments(&self) -> Self {
        let scale: Vec<f64> = (0..self.rows)
            .map(|i| if self.at(i, i) > 0.0 { 1.0 / self.at(i, i).sqrt() } else { 0.0 })
            .collect();
        let scaled = Self::of(self.rows, self.rows, |i, j| self.at(i, j) * scale[i] * scale[j]);
        let eigen = scaled.eigen();
        let inverse = eigen.map(|value| if value > 1e-13 { 1.0 / value } else { 0.0 });
        Self::of(self.rows, self.rows, |i, j| inverse.at(i, j) * scale[i] * scale[j])
    }

    /// Solves a square system by elimination with row exchanges; `None` if it is singular.
    pub(crate) fn solve(mut self, mut right: Vec<f64>) -> Option<Vec<f64>> {
        let size = self.rows;
        for column in 0..size {
            let pivot = (column..size)
                .max_by(|&a, &b| self.at(a, column).abs().total_cmp(&self.at(b, column).abs()))?;
            if self.at(pivot, column) == 0.0 {
                return None;
            }
            for k in column..size {
                self.values.swap(pivot * size + k, column * size + k);
            }
            right.swap(pivot, column);
            let (done, rest) = self.values.split_at_mut((column + 1) * size);
            let top = &done[column * size..];
            for (row, value) in rest.chunks_exact_mut(size).zip(column + 1..) {
                let factor = row[column] / top[column];
                for (entry, above) in row[column..].iter_mut().zip(&top[column..]) {
                    *entry -= factor * above;
                }
                right[value] -= factor * right[column];
            }
        }
        for row in (0..size).rev() {
            let known: f64 = (row + 1..size).map(|k| self.at(row, k) * right[k]).sum();
            right[row] = (right[row] - known) / self.at(row, row);
        }
        right.iter().all(|value| value.is_finite()).then_some(right)
    }
}

impl Eigen {
    /// The symmetric matrix with the same eigenvectors and the given eigenvalues.
    pub(crate) fn map(&self, value: impl Fn(f64) -> f64) -> Matrix {
        let values: Vec<f64> = self.values.iter().map(|&old| value(old)).collect();
        let vectors = &self.vectors;
        Matrix::of(values.len(), values.len(), |i, j| {
            values.iter().enumerate().map(|(k, value)| vectors.at(i, k) * value * vectors.at(j, k)).sum()
        })
    }

    pub(crate) fn largest(&self) -> f64 {
        self.values.iter().fold(0.0, |largest, value| value.abs().max(largest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn symmetric(entries: &[f64], size: usize) -> Matrix {
        Matrix::of(size, size, |i, j| entries[i.min(j) * size + i.max(j)])
    }

    fn close(got: &Matrix, want: &Matrix, tolerance: f64) {
        for (got, want) in got.values().iter().zip(want.values()) {
            assert!((got - want).abs() <= tolerance, "{got} for {want}");
        }
    }

    proptest! {
        #[test]
        fn eigenvectors_are_orthonormal_and_rebuild_the_matrix(
            entries in proptest::collection::vec(-10.0..10.0_f64, 64),
        ) {
            let matrix = symmetric(&entries, 8);
            let eigen = matrix.eigen();
            close(&eigen.map(|value| value), &matrix, 1e-11);
            let unit = Matrix::of(8, 8, |i, j| f64::from(u8::from(i == j)));
            close(&eigen.vectors.transposed().times(&eigen.vectors), &unit, 1e-12);
        }

        #[test]
        fn solutions_satisfy_their_system(entries in proptest::collection::vec(-10.0..10.0_f64, 30)) {
            let matrix = Matrix::of(5, 5, |i, j| entries[i * 5 + j] + if i == j { 60.0 } else { 0.0 });
            let right = Matrix::of(5, 1, |i, _| entries[25 + i]);
            let solution = matrix.clone().solve(right.values().to_vec()).unwrap();
            close(&matrix.times(&Matrix::of(5, 1, |i, _| solution[i])), &right, 1e-11);
        }
    }

    #[test]
    fn singular_systems_have_no_solution() {
        assert_eq!(Matrix::of(3, 3, |i, _| i as f64).solve(vec![1.0; 3]), None);
        assert_eq!(Matrix::of(2, 2, |_, _| f64::NAN).solve(vec![1.0; 2]), None);
    }

    #[test]
    fn the_inverse_leaves_out_what_is_zero() {
        let matrix = Matrix::of(3, 3, |i, j| if i == j && i < 2 { 1e-20_f64.powi(i as i32) } else { 0.0 });
        let inverse = matrix.inverse_of_moments();
        close(&inverse.times(&matrix), &Matrix::of(3, 3, |i, j| f64::from(u8::from(i == j && i < 2))), 1e-12);
    }
}
