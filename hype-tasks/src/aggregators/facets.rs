//! The aggregators `by_facet` and `trend`: models over the levels of a facet, such as classes of images or epochs of
//! training.
//!
//! Scores name cells of sets as their models: a model at one level of each facet. Levels of items and of raters split the rows.
//! Estimates, their intervals, and the tests at each level are those of `by_model`. What compares levels takes the raters of
//! each as other people than those of the others.

mod by_facet;
mod cells;
mod trend;

pub use self::by_facet::{ByFacet, LevelAdjustment};
pub use self::cells::FacetSums;
pub use self::trend::TrendAlong;
