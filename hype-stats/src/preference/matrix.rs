//! Dense symmetric matrices of the size of a fit.

/// The number of pivots that pass over the rest of a matrix together.
const PIVOTS: usize = 4;

/// A symmetric matrix whose upper triangle alone is used, by rows.
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
    /// Every cell is reduced by one pivot after the other, in one fixed order of + - × / and √ alone:
    /// the bits are the same on every machine. Four pivots pass over the rows below them together, which leaves that order
    /// as it is and takes a third of the loads and stores.
    pub(super) fn factor(&mut self) -> Option<()> {
        let size = self.size;
        let mut pivot = 0;
        while pivot + PIVOTS <= size {
            let (above, below) = self.cells.split_at_mut((pivot + PIVOTS) * size);
            let block = &mut above[pivot * size..];
            for row in 0..PIVOTS {
                let (done, open) = block.split_at_mut((row + 1) * size);
                let done = &mut done[row * size..];
                scale_row(&mut done[pivot + row..])?;
                for (offset, target) in open.chunks_exact_mut(size).enumerate() {
                    let column = pivot + row + 1 + offset;
                    let factor = done[column];
                    for (cell, value) in target[column..].iter_mut().zip(&done[column..]) {
                        *cell -= factor * value;
                    }
                }
            }
            let (first, rest) = block.split_at(size);
            let (second, rest) = rest.split_at(size);
            let (third, fourth) = rest.split_at(size);
            for (offset, target) in below.chunks_exact_mut(size).enumerate() {
                let column = pivot + PIVOTS + offset;
                let factors = [first[column], second[column], third[column], fourth[column]];
                let rows = first[column..].iter().zip(&second[column..]);
                let rows = rows.zip(third[column..].iter().zip(&fourth[column..]));
                for (cell, ((first, second), (third, fourth))) in target[column..].iter_mut().zip(rows) {
                    let mut value = *cell;
                    value -= factors[0] * first;
                    value -= factors[1] * second;
                    value -= factors[2] * third;
                    value -= factors[3] * fourth;
                    *cell = value;
                }
            }
            pivot += PIVOTS;
        }
        for pivot in pivot..size {
            let (above, below) = self.cells.split_at_mut((pivot + 1) * size);
            let row = &mut above[pivot * size + pivot..];
            scale_row(row)?;
            for (offset, target) in below.chunks_exact_mut(size).enumerate() {
                let factor = row[offset + 1];
                for (cell, value) in target[pivot + 1 + offset..].iter_mut().zip(&row[offset + 1..]) {
                    *cell -= factor * value;
                }
            }
        }
        Some(())
    }

    /// Solves with the transposed factor alone, in place.
    pub(super) fn solve_lower(&self, values: &mut [f64]) {
        self.solve_lower_from(0, values);
    }

    /// [`Self::solve_lower`] for values that are zero before a row.
    fn solve_lower_from(&self, first: usize, values: &mut [f64]) {
        let size = self.size;
        for row in first..size {
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
        self.solve_upper_to(0, values);
    }

    /// Solves with the factor alone, in place, from the last row to this one.
    fn solve_upper_to(&self, last: usize, values: &mut [f64]) {
        let size = self.size;
        for row in (last..size).rev() {
            let cells = &self.cells[row * size + row..(row + 1) * size];
            let rest = cells[1..].iter().zip(&values[row + 1..]);
            let product = rest.fold(0.0, |sum, (cell, value)| sum + cell * value);
            values[row] = (values[row] - product) / cells[0];
        }
    }

    /// Inverse of the matrix whose factor this is.
    pub(super) fn inverse(&self) -> Self {
        let size = self.size;
        let mut inverse = Self::new(size);
        let mut column = vec![0.0; size];
        for index in 0..size {
            column.fill(0.0);
            column[index] = 1.0;
            // Of each column, the lower part is enough.
            self.solve_lower_from(index, &mut column);
            self.solve_upper_to(index, &mut column);
            inverse.cells[index * size + index..(index + 1) * size].copy_from_slice(&column[index..]);
        }
        inverse
    }

    /// All cells, by rows.
    pub(super) fn dense(&self) -> Vec<f64> {
        let size = self.size;
        (0..size * size).map(|place| self.at(place / size, place % size)).collect()
    }
}

/// Divides a pivot and the rest of its row by the root of the pivot; `None` if that is not positive and finite.
fn scale_row(row: &mut [f64]) -> Option<()> {
    // The comparison also refuses NaN.
    if !(row[0] > 0.0 && row[0].is_finite()) {
        return None;
    }
    let root = row[0].sqrt();
    let scale = 1.0 / root;
    row[0] = root;
    row[1..].iter_mut().for_each(|cell| *cell *= scale);
    Some(())
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
        matrix.factor().unwrap();
        let inverse = matrix.inverse();
        let want = [[21.0, -10.0, 4.0], [-10.0, 20.0, -8.0], [4.0, -8.0, 16.0]];
        for (row, values) in want.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                assert!((inverse.at(row, column) - value / 64.0).abs() < 1e-15);
            }
        }
        let mut singular = Symmetric::new(5);
        singular.add_block(5, 1.0);
        assert_eq!(singular.factor(), None);
        let mut singular = Symmetric::new(2);
        singular.add_block(2, 1.0);
        assert_eq!(singular.factor(), None);
    }

    #[test]
    fn pivots_in_groups_give_the_bits_of_pivots_one_by_one() {
        for size in [1, 2, 3, 4, 5, 8, 11, 30] {
            let mut matrix = Symmetric::new(size);
            for row in 0..size {
                for column in row..size {
                    let value = ((row * 7 + column * 13) % 11) as f64 / 11.0;
                    matrix.add(row, column, if row == column { value + size as f64 } else { value - 0.5 });
                }
            }
            let mut want = matrix.clone();
            for pivot in 0..size {
                let root = want.at(pivot, pivot).sqrt();
                let scale = 1.0 / root;
                want.cells[pivot * size + pivot] = root;
                (pivot + 1..size).for_each(|column| want.cells[pivot * size + column] *= scale);
                for row in pivot + 1..size {
                    for column in row..size {
                        let product = want.at(pivot, row) * want.at(pivot, column);
                        want.cells[row * size + column] -= product;
                    }
                }
            }
            matrix.factor().unwrap();
            assert_eq!(matrix, want, "{size} rows");
        }
    }
}
