//! Products of matrices.
//!
//! Threads share a result by its columns, and each column is computed in one order: results do not depend on the number of
//! threads.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::traits::RealField;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Columns of a result that one thread computes.
pub(crate) const PANEL: usize = 256;

/// Adds BᵀB on and below the diagonal, for rows B of `width` columns.
pub(crate) fn add_products(products: &mut [f64], block: &[f64], width: usize) {
    let rows = MatRef::from_row_major_slice(block, block.len() / width, width);
    products.par_chunks_mut(PANEL * width).enumerate().for_each(|(panel, columns)| {
        let first = panel * PANEL;
        let count = columns.len() / width;
        let whole =
            MatMut::from_column_major_slice_mut(columns, width, count).subrows_mut(first, width - first);
        let (diagonal, below) = whole.split_at_row_mut(count);
        let own = rows.subcols(first, count);
        triangular::matmul(
            diagonal,
            BlockStructure::TriangularLower,
            Accum::Add,
            own.transpose(),
            BlockStructure::Rectangular,
            own,
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        let after = first + count;
        matmul(below, Accum::Add, rows.subcols(after, width - after).transpose(), own, 1.0, Par::Seq);
    });
}

/// Which part of a block of products is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All pairs of a row of one set and a row of another.
    All,
    /// The pairs of a set with itself, on and below the diagonal.
    Lower,
}

/// Computes the inner products of the rows of two blocks, column by column of the second block.
pub(crate) fn inner_products<T: RealField>(
    target: &mut [T],
    left: &[T],
    right: &[T],
    width: usize,
    part: Part,
) {
    let rows = MatRef::from_row_major_slice(left, left.len() / width, width);
    let columns = MatRef::from_row_major_slice(right, right.len() / width, width).transpose();
    let target = MatMut::from_column_major_slice_mut(target, rows.nrows(), columns.ncols());
    match part {
        Part::All => matmul(target, Accum::Replace, rows, columns, T::one_impl(), Par::Seq),
        Part::Lower => triangular::matmul(
            target,
            BlockStructure::TriangularLower,
            Accum::Replace,
            rows,
            BlockStructure::Rectangular,
            columns,
            BlockStructure::Rectangular,
            T::one_impl(),
            Par::Seq,
        ),
    }
}

/// Adds `scale` v vᵀ on and below the diagonal.
pub(crate) fn add_outer(products: &mut [f64], vector: &[f64], scale: f64) {
    let width = vector.len();
    products.par_chunks_mut(width).enumerate().for_each(|(column, values)| {
        let factor = scale * vector[column];
        for (value, entry) in values[column..].iter_mut().zip(&vector[column..]) {
            *value += factor * entry;
        }
    });
}
