//! Aggregators: from scores to findings.

pub mod agreement;
pub mod by_model;
pub mod components;
pub mod consensus;
pub mod contrast;
pub mod elo;
pub mod imagenhub;
mod inference;
mod measures;
pub mod opinion;
mod ordering;
pub mod pooled;
pub mod ranking;
mod rated;
mod resampling;
mod strengths;

pub use self::by_model::ByModel;
pub use self::resampling::Resampling;
