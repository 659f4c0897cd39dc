//! Aggregators: from scores to findings.

pub mod agreement;
pub mod by_model;
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

pub use self::by_model::ByModel;
pub use self::resampling::Resampling;
