//! Aggregators: from scores to findings. [`by_model`](crate::by_model) stands by itself.

pub mod agreement;
pub mod components;
pub mod consensus;
pub mod contrast;
pub mod elo;
pub mod imagenhub;
pub mod opinion;
pub mod pooled;
pub mod ranking;
mod rated;
mod resampling;

pub use self::resampling::Resampling;
