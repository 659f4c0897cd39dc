//! Estimators, intervals, tests, psychometric functions and staircases.
//!
//! Arguments are slices of numbers, results are plain structs. This crate does not depend on
//! evaluations or raters; it never reads a clock, an environment variable or ambient randomness:
//! randomness is an argument.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

pub mod agreement;
pub mod anova;
pub mod bootstrap;
pub mod bounded;
pub mod categorical;
pub mod clustered;
pub mod components;
pub mod confidence_sequence;
pub mod consensus;
pub mod correlation;
pub mod describe;
pub mod detection;
pub mod distributions;
pub mod equivalence;
mod error;
pub mod facets;
pub mod letters;
pub mod link;
mod minimum;
pub mod multiple;
pub mod nonparametric;
pub mod opinion;
pub mod ordering;
pub mod orthant;
pub mod pairwise;
mod parallel;
pub mod positive;
pub mod power;
pub mod preference;
#[cfg(test)]
#[path = "../../tests/it/support/proof.rs"]
mod proof;
pub mod proportion;
pub mod psychometric;
mod quadrature;
pub mod repeated;
pub mod sequential;
pub mod shrinkage;
pub mod staircase;
pub mod stratified;
pub mod studentized_range;
pub mod ttest;

pub use error::StatError;
