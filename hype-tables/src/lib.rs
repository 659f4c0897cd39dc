//! Records of delimited text, numbers in cells, and rows of scores.
//!
//! [`TableContent`] tells files apart by their content, and unpacks archives, workbooks and JSON to delimited text.
//! [`RecordReader`] reads CSV and TSV with exact line numbers, whatever ends the lines, and [`number_of`] reads a cell as a
//! finite number. Both are checked against the `csv` crate and the standard library. [`RecordReader::read_rows`] adds
//! records to a table of scores as long as they need no second look. [`harmless`] keeps spreadsheets from computing cells. All this is a crate of its own because it is compiled
//! for speed, and what explains the faults of tables is compiled for size.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

mod cell;
mod content;
mod latin1;
mod missing;
mod number;
mod records;
mod rows;
mod separators;

pub use self::cell::{harmless, written};
pub use self::content::{ContentError, TableContent, TableForm, UTF16_NOTE};
pub use self::missing::is_missing;
pub use self::number::number_of;
pub use self::records::{Cells, ReadRecord, RecordReader};
pub use self::rows::{AddedRows, RowCells, RowMeasure, RowRun};
