//! Automated metrics in studies: the numbers that stand beside human judgments.
//!
//! [`metrics`] registers the metrics of `hype-metrics` under their kinds in specs.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

pub mod metrics;
