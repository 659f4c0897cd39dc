//! Stored rows, read in blocks.

use hype_core::plugin::metric::{MetricFault, StoredRows, order_of_stored};
use hype_metrics::{FeatureRows, MetricError};

use super::numbers::no_width;

/// Stored rows of one width in a certain order, as the features that they are.
pub(super) struct BlockRows<'a> {
    stored: &'a dyn StoredRows,
    order: Vec<usize>,
    width: usize,
}

impl<'a> BlockRows<'a> {
    /// The rows in the order in which they are given.
    pub(super) fn as_given(stored: &'a dyn StoredRows) -> Result<Self, MetricFault> {
        Self::in_order(stored, |stored| Ok((0..stored.len()).collect()))
    }

    /// The rows in an order that follows from their content alone.
    pub(super) fn by_content(stored: &'a dyn StoredRows) -> Result<Self, MetricFault> {
        Self::in_order(stored, order_of_stored)
    }

    fn in_order(
        stored: &'a dyn StoredRows,
        order: impl FnOnce(&dyn StoredRows) -> Result<Vec<usize>, MetricFault>,
    ) -> Result<Self, MetricFault> {
        let width = stored.width().ok_or_else(|| no_width(stored.is_empty()))?;
        Ok(Self { stored, order: order(stored)?, width })
    }
}

impl FeatureRows for BlockRows<'_> {
    fn rows(&self) -> usize {
        self.order.len()
    }

    fn width(&self) -> usize {
        self.width
    }

    fn read(&self, first: usize, target: &mut [f64]) -> Result<(), MetricError> {
        let chosen = &self.order[first..first + target.len() / self.width];
        let unread = |fault: MetricFault| MetricError::Unread { reason: fault.to_string() };
        let found = self.stored.read(chosen).map_err(unread)?;
        for (place, to) in target.chunks_exact_mut(self.width).enumerate() {
            let row = found.row(place);
            if let Some(column) = row.iter().position(|value| !value.is_finite()) {
                return Err(MetricError::NotFinite { row: chosen[place], column, got: row[column] });
            }
            to.copy_from_slice(&row);
        }
        Ok(())
    }
}
