//! RecordReader of delimited text, and numbers in cells.
//!
//! [`RecordReader`] reads CSV and TSV with exact line numbers, whatever ends the lines, and [`number_of`] reads a cell as a
//! finite number. Both are checked against the `csv` crate and the standard library. They are a crate of their own
//! because they are compiled for speed, and what interprets tables is compiled for size.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

mod number;
mod records;

pub use self::number::number_of;
pub use self::records::{Cells, ReadRecord, RecordReader};
