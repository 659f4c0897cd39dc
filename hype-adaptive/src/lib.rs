//! QUEST+, a Bayesian staircase for several parameters (Watson 2017, "QUEST+: A general multidimensional Bayesian
//! adaptive psychometric method", Journal of Vision 17(3):10).
//!
//! [`QuestPlus`] holds a posterior on a grid of parameters of a psychometric function, chooses the level whose answer is
//! expected to tell most about them, and updates the posterior by Bayes' rule.
//!
//! # Portability
//! A session's next trial has to be the same wherever its log is replayed. This crate computes with `+ - * /` and the
//! functions of [`libm`], whose exact version the workspace pins, and sums in a fixed order. It has no standard library,
//! so that the platform's transcendental functions cannot be called. Rust neither reorders nor contracts
//! floating-point operations, so every platform with IEEE 754 doubles gives the same bits.

#![no_std]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

extern crate alloc;

mod domain;
mod error;
mod form;
mod kernel;
mod quest_plus;
mod tables;

pub use domain::{Domain, equal_ratios};
pub use error::AdaptiveError;
pub use form::{FunctionForm, LevelScale, Parameters};
pub use quest_plus::{Choice, QuestPlus};
