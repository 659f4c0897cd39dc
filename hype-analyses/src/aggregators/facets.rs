//! The aggregators `by_facet` and `trend`: models over the levels of a facet, such as classes of images or epochs of
//! training.
//!
//! Scores name cells of sets as their models: a model at one level of each facet. Levels of items and of raters split the rows.
//! Estimates, their intervals, and the tests at each level are those of `by_model`. What compares levels is classical where each has
//! raters of its own; where levels have raters or items in common, it is a weighted sum of estimates with clustered errors.

mod by_facet;
mod cells;
mod contrasts;
mod levels;
mod means;
mod population;
mod trend;

pub use self::by_facet::ByFacet;
pub use self::cells::FacetSums;
pub(crate) use self::cells::{RowPart, without_level};
pub(crate) use self::levels::{FacetLevels, NO_LEVEL};
pub use self::trend::TrendAlong;
