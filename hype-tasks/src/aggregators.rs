//! Aggregators: from scores to findings. [`by_model`](crate::by_model) stands by itself.

pub mod agreement;
pub mod contrast;
pub mod elo;
pub mod imagenhub;
pub mod ranking;
mod resampling;

pub use self::resampling::Resampling;
