//! Automated metrics of generative models: the numbers that readers want to see next to human judgments.
//!
//! Arguments are images, features, embeddings, scores and detections; results are plain structs with an interval where one
//! is valid and with warnings where a number misleads. This crate runs no model, reads no file and no clock; randomness is
//! an argument.
//!
//! | metric | function |
//! |---|---|
//! | MSE, MAE, PSNR, SSIM, MS-SSIM | [`pixels`] |
//! | FID, FID∞, also from statistics | [`frechet`] |
//! | KID | [`kernel`] |
//! | IS, CIS | [`inception_score`] |
//! | precision, recall, density, coverage | [`neighbours`] |
//! | PRD | [`prd`] |
//! | LPIPS and its diversity | [`perceptual`] |
//! | CLIPScore, retrieval | [`clip`] |
//! | classification accuracy | [`classification`] |
//! | the automated metrics of HEIM | [`heim`] |
//!
//! # Features
//!
//! `linalg` brings what needs products of matrices: FID, KID, precision and recall, density and coverage, PRD of features. The
//! rest is in every build.
//!
//! # Intervals
//!
//! Means over images, pairs or inputs have bootstrap intervals, shares have Wilson's. Distances between sets of features
//! must not be bootstrapped: a resample contains duplicates, which have distance 0 to each other and reduce the rank of the
//! covariance, so the values of resamples lie to one side of the estimate instead of around it. [`subsampling`] draws without
//! replacement.
//!
//! # Numerics
//!
//! Sums are in double precision and in a fixed order: a result does not depend on the number of threads.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

pub mod classification;
pub mod clip;
mod error;
pub mod features;
#[cfg(feature = "linalg")]
pub mod frechet;
pub mod heim;
pub mod inception_score;
#[cfg(feature = "linalg")]
pub mod kernel;
#[cfg(feature = "linalg")]
mod linalg;
#[cfg(feature = "linalg")]
pub mod neighbours;
pub mod perceptual;
pub mod pixels;
pub mod prd;
pub mod subsampling;
mod summary;
mod vectors;

#[cfg(feature = "linalg")]
pub use error::sample_warnings;
pub use error::{ImageExtent, MetricError, SampleWarning};
#[cfg(feature = "linalg")]
pub use features::FeatureMoments;
pub use features::{FeatureRows, Features};
pub use summary::{SampleMean, ShareEstimate};
