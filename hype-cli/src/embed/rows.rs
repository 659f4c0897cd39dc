//! Tables in memory.

use hype::exchange::layout::{ExportColumn, Layout};
use hype::exchange::{Format, RowWriter};
use serde_json::Value;

use super::CallError;
use crate::failure::Failure;

/// A table in memory.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ExportedRows {
    /// Its columns.
    pub columns: Vec<ExportColumn>,
    /// Its rows, with a cell for each column.
    pub rows: Vec<Vec<Value>>,
}

/// Where its rows are written.
pub(super) type RowsOut = RowWriter<Vec<u8>>;

impl ExportedRows {
    /// The rows that `write` writes.
    pub(super) fn written(
        layout: &Layout,
        write: impl FnOnce(&mut RowsOut) -> Result<(), Failure>,
    ) -> Result<Self, CallError> {
        let lines = RowWriter::begin(Vec::new(), Format::JsonLines, layout.columns);
        let mut out = lines.map_err(Failure::from)?;
        write(&mut out)?;
        let lines = out.finish().map_err(Failure::from)?;
        let row = |line: Value| -> Vec<Value> {
            layout.names().map(|name| line.get(name).cloned().unwrap_or_default()).collect()
        };
        let lines = serde_json::Deserializer::from_slice(&lines).into_iter::<Value>();
        let rows = lines.map(|line| line.map(row)).collect::<Result<_, _>>();
        let rows = rows.map_err(|error| CallError::new(error.to_string()))?;
        Ok(Self { columns: layout.columns.to_vec(), rows })
    }
}
