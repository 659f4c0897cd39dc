//! The aggregators `by_facet` and `trend`: models over the levels of a facet, such as classes of images or epochs of
//! training.
//!
//! Scores name cells as their models: a model at one level of each facet. Estimates, their intervals, and the tests at each
//! level are those of `by_model`. What compares levels takes the raters of each cell as other people than those of the
//! others, as in designs between raters.

mod by_facet;
mod cells;
mod trend;

pub use self::by_facet::{ByFacet, LevelAdjustment};
pub use self::cells::FacetSums;
pub use self::trend::TrendAlong;
