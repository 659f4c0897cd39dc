//! Standard errors, tests and intervals of estimates from responses that raters, items or both have in common.
//!
//! A response counts for a rater and an item. Responses of one rater resemble each other, as do responses to one item, so
//! that they are not independent. What a result generalizes to decides which of the two vary: see [`Target`].
//!
//! An estimate enters by its [`Contributions`]: the change of the estimate that each response stands for. For a mean of n
//! responses that is (y - ȳ) / n; for an estimate by maximum likelihood it is the inverse information times the score.
//! Their sums over raters and over items are the material of all variances here.

mod contributions;
mod estimate;
mod expected;
mod variance;

pub use self::contributions::{Clustered, Contributions};
pub use self::estimate::ClusteredEstimate;
pub use self::variance::ClusteredVariance;

/// The target that a result generalizes to: what would differ if the study were run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Target {
    /// Other raters, the same items.
    #[default]
    Raters,
    /// Other items, the same raters.
    Items,
    /// Other raters and other items.
    RatersAndItems,
}

#[cfg(test)]
mod tests;
