//! Contrasts: two images side by side, and which is better.
//!
//! Every pair of models is judged on every item by several raters, or the pairs with the most uncertain outcome are
//! judged most often. Several criteria can be asked on one screen, each with votes or with grades. Sides are balanced, so raters who prefer a side favour no model. Bradley & Terry 1952,
//! "Rank analysis of incomplete block designs: the method of paired comparisons", Biometrika.

mod active;
mod balanced;
mod criteria;
mod pairs;
mod scoring;
mod task;
mod votes;

pub use self::criteria::{ContrastCriterion, Grades};
pub use self::scoring::{BothBad, BothBadOffered, ContrastRubric, ScoredCriterion};
pub use self::task::{Contrast, ContrastAnswer, ContrastState, PairSelection};
