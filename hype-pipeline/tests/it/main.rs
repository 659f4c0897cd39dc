//! Integration tests of metrics in studies.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")]

mod clips_are_compared_frame_by_frame;
mod metrics_conform;
mod stored_rows_are_read_in_blocks;
