//! Aggregators: from scores to findings.

pub mod agreement;
mod by_level;
pub mod by_model;
pub mod components;
mod conclusions;
pub mod consensus;
pub mod contrast;
mod criteria;
mod differences;
pub mod elo;
mod evidence;
pub mod facets;
pub mod grades;
pub mod imagenhub;
mod inference;
mod many;
mod measures;
pub mod opinion;
mod ordering;
mod pairs;
pub mod pooled;
pub mod ranking;
mod rated;
mod resampling;
mod sides;
mod strengths;
mod without_rater;

pub use self::by_model::ByModel;
pub use self::conclusions::DeclaredMargin;
pub(crate) use self::measures::{PROPORTION, is_preference as is_vote};
pub use self::resampling::Bootstrap;
