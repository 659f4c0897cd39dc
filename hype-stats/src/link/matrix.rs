//! Symmetric matrices with many zeros at the beginning of their rows.

/// A symmetric matrix, or its lower triangular factor, by rows.
#[derive(Debug, Clone)]
pub(super) struct Lower {
    size: usize,
    /// Row `r` has `r + 1` cells.
    cells: Vec<f64>,
    /// The first cell of each row that is not zero.
    first: Vec<usize>,
}

impl Lower {
    /// A symmetric matrix from its lower triangle.
    pub(super) fn new(size: usize, mut at: impl FnMut(usize, usize) -> f64) -> Self {
        let mut cells = Vec::with_capacity(size * (size + 1) / 2);
        let mut first = Vec::with_capacity(size);
        for row in 0..size {
            let start = cells.len();
            cells.extend((0..=row).map(|column| at(row, column)));
            first.push(cells[start..].iter().position(|&cell| cell != 0.0).unwrap_or(row));
        }
        Self { size, cells, first }
    }

    /// The factor L with `LLᵀ` the matrix; `None` if it is not positive definite.
    pub(super) fn factor(size: usize, at: impl FnMut(usize, usize) -> f64) -> Option<Self> {
        Self::new(size, at).factored()
    }

    /// The factor of this matrix. Zeros before the first cell of a row remain.
    pub(super) fn factored(mut self) -> Option<Self> {
        for row in 0..self.size {
            let (above, below) = self.cells.split_at_mut(row * (row + 1) / 2);
            let own = &mut below[..=row];
            let begin = self.first[row];
            for column in begin..row {
                let other = &above[column * (column + 1) / 2..];
                let from = begin.max(self.first[column]);
                let mut value = own[column];
                for place in from..column {
                    value -= own[place] * other[place];
                }
                own[column] = value / other[column];
            }
            let pivot = own[row] - own[begin..row].iter().map(|cell| cell * cell).sum::<f64>();
            if pivot.is_nan() || pivot <= 0.0 {
                return None;
            }
            own[row] = pivot.sqrt();
        }
        Some(self)
    }

    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        let (row, column) = (row.max(column), row.min(column));
        self.cells[row * (row + 1) / 2 + column]
    }

    fn row(&self, row: usize) -> &[f64] {
        let start = row * (row + 1) / 2;
        &self.cells[start + self.first[row]..=start + row]
    }

    /// Solves `Lx = values`.
    pub(super) fn forward(&self, values: &[f64]) -> Vec<f64> {
        let mut solved = values.to_vec();
        for row in 0..self.size {
            let (own, first) = (self.row(row), self.first[row]);
            let (pivot, before) = (own[own.len() - 1], &own[..own.len() - 1]);
            let sum: f64 = before.iter().zip(&solved[first..row]).map(|(cell, value)| cell * value).sum();
            solved[row] = (solved[row] - sum) / pivot;
        }
        solved
    }

    /// Solves `Lᵀx = values`.
    pub(super) fn backward(&self, values: &[f64]) -> Vec<f64> {
        let mut solved = values.to_vec();
        for row in (0..self.size).rev() {
            let (own, first) = (self.row(row), self.first[row]);
            let value = solved[row] / own[own.len() - 1];
            solved[row] = value;
            for (target, cell) in solved[first..row].iter_mut().zip(own) {
                *target -= cell * value;
            }
        }
        solved
    }

    /// The logarithm of the determinant of the matrix that was factored.
    pub(super) fn log_determinant(&self) -> f64 {
        (0..self.size).map(|row| 2.0 * self.at(row, row).ln()).sum()
    }
}
