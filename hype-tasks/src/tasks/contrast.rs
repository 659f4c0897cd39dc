//! Contrasts: two images side by side, and which is better.
//!
//! Every pair of models is judged on every item by several raters, or the pairs with the most uncertain outcome are
//! judged most often. Sides are balanced, so that raters who prefer a side favour no model. Bradley & Terry 1952,
//! "Rank analysis of incomplete block designs: the method of paired comparisons", Biometrika.

mod active;
mod balanced;
mod pairs;
mod scoring;
mod task;
mod votes;

pub use self::scoring::{BothBad, BothBadOffered, ContrastRubric};
pub use self::task::{Contrast, ContrastAnswer, ContrastState, PairSelection};
