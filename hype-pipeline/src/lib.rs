//! Automated metrics in studies: the numbers that accompany human judgments.
//!
//! [`metrics`] registers the metrics of `hype-metrics` under their kinds in specs, and [`extractors`] what features come from.
//! [`study`] computes the metrics of a study, with a cache, in shards; [`features`] those of files of features without a study.
//!
//! # Features
//! `linalg`: FID, KID and others of features. `onnx`: features from models. `parquet`: features from Parquet files.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

mod cache;
pub mod extractors;
pub mod features;
pub mod files;
mod frames;
pub mod metrics;
pub mod study;
mod values;
