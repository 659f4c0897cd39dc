//! Dense symmetric matrices of the size of a fit.

/// A symmetric matrix, of which only the upper triangle is used, by rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Symmetric {
    size: usize,
    cells: Vec<f64>,
}

impl Symmetric {
    pub(super) fn new(size: usize) -> Self {
        Self { size, cells: vec![0.0; size * size] }
    }

    #[inline]
    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row.min(column) * self.size + row.max(column)]
    }

    /// Adds to a cell; row and column in any order.
    #[inline]
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row.min(column) * self.size + row.max(column)] += value;
    }

    pub(super) fn clear(&mut self) {
        self.cells.fill(0.0);
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.cells.copy_from_slice(&other.cells);
    }

    /// Adds `value` to all cells of the first `count` rows and columns.
    pub(super) fn add_block(&mut self, count: usize, value: f64) {
        for row in 0..count {
            for cell in &mut self.cells[row * self.size + row..row * self.size + count] {
                *cell += value;
            }
        }
    }

    /// Replaces the matrix by its factor U with `UᵀU` the matrix; `None` if it is not positive
    /// definite.
    ///
    /// # Numerics
    ///
    /// Row by row with additions of whole rows, in one fixed order of + - × / and √ alone, so that
    /// the bits are the same on every machine.
    pub(super) fn factor(&mut self) -> Option<()> {
        let size = self.size;
        for pivot in 0..size {
            let (above, below) = self.cells.split_at_mut((pivot + 1) * size);
            let row = &mut above[pivot * size + pivot..];
            // The comparison also refuses NaN.
            if !(row[0] > 0.0 && row[0].is_finite()) {
                return None;
            }
            let root = row[0].sqrt();
            let scale = 1.0 / root;
            row[0] = root;
            row[1..].iter_mut().for_each(|cell| *cell *= scale);
            for (offset, target) in below.chunks_exact_mut(size).enumerate() {
                let factor = row[offset + 1];
                let target = &mut target[pivot + 1 + offset..];
                for (cell, value) in target.iter_mut().zip(&row[offset + 1..]) {
                    *cell -= factor * value;
                }
            }
        }
        Some(())
    }

    /// Solves with the transposed factor alone, in place.
    pub(super) fn solve_lower(&self, values: &mut [f64]) {
        let size = self.size;
        for row in 0..size {
            let cells = &self.cells[row * size + row..(row + 1) * size];
            let value = values[row] / cells[0];
            values[row] = value;
            for (rest, cell) in values[row + 1..].iter_mut().zip(&cells[1..]) {
                *rest -= value * cell;
            }
        }
    }

    /// Solves for the right-hand side, in place, once this is a factor.
    pub(super) fn solve(&self, values: &mut [f64]) {
        self.solve_lower(values);
        let size = self.size;
        for row in (0..size).rev() {
            let cells = &self.cells[row * size + row..(row + 1) * size];
            let rest = cells[1..].iter().zip(&values[row + 1..]);
            let product = rest.fold(0.0, |sum, (cell, value)| sum + cell * value);
            values[row] = (values[row] - product) / cells[0];
        }
    }

    /// Inverse of the matrix of which this is the factor.
    pub(super) fn inverse(&self) -> Self {
        let size = self.size;
        let mut inverse = Self::new(size);
        let mut column = vec![0.0; size];
        for index in 0..size {
            column.fill(0.0);
            column[index] = 1.0;
            self.solve(&mut column);
            inverse.cells[index * size + index..(index + 1) * size].copy_from_slice(&column[index..]);
        }
        inverse
    }

    /// All cells, by rows.
    pub(super) fn dense(&self) -> Vec<f64> {
        let size = self.size;
        (0..size * size).map(|place| self.at(place / size, place % size)).collect()
    }

    /// This × middle × this.
    pub(super) fn around(&self, middle: &Self) -> Self {
        let size = self.size;
        let (outer, middle) = (self.dense(), middle.dense());
        let product = |left: &[f64], right: &[f64]| {
            let mut product = vec![0.0; size * size];
            for (row, into) in left.chunks_exact(size).zip(product.chunks_exact_mut(size)) {
                for (&factor, values) in row.iter().zip(right.chunks_exact(size)) {
                    for (cell, value) in into.iter_mut().zip(values) {
                        *cell += factor * value;
                    }
                }
            }
            product
        };
        Self { size, cells: product(&product(&outer, &middle), &outer) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factor_solve_and_inverse() {
        // By hand: the inverse of [[4, 2, 0], [2, 5, 2], [0, 2, 5]] has determinant 64 below.
        let mut matrix = Symmetric::new(3);
        for (row, column, value) in [(0, 0, 4.0), (1, 0, 2.0), (1, 1, 5.0), (1, 2, 2.0), (2, 2, 5.0)] {
            matrix.add(row, column, value);
        }
        let around = matrix.around(&matrix);
        assert_eq!([around.at(0, 0), around.at(0, 2), around.at(2, 1)], [116.0, 56.0, 166.0]);
        matrix.factor().unwrap();
        let inverse = matrix.inverse();
        let want = [[21.0, -10.0, 4.0], [-10.0, 20.0, -8.0], [4.0, -8.0, 16.0]];
        for (row, values) in want.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                assert!((inverse.at(row, column) - value / 64.0).abs() < 1e-15);
            }
        }
        let mut singular = Symmetric::new(2);
        singular.add_block(2, 1.0);
        assert_eq!(singular.factor(), None);
    }
}
