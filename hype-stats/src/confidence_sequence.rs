//! Confidence sequences: intervals that hold at all numbers of values together. One may look at any time and
//! stop whenever one likes.
//!
//! - [`NormalMixture`]: means, asymptotically; the narrowest.
//! - [`Betting`]: means of values between 0 and 1, exactly, from the first value on; about three times as wide at 30
//!   values.
//!
//! # Which values
//!
//! Values have to be independent, such as one for each rater. Answers of the same rater are not.

mod betting;
mod normal;

pub use betting::Betting;
pub use normal::NormalMixture;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests;
