//! The tasks, rubrics and aggregators of the published protocols.
//!
//! | kind | part | source |
//! |---|---|---|
//! | `hype_time` | task, rubric | Zhou et al. 2019, HYPE-time: a perceptual threshold in milliseconds |
//! | `hype_infinity` | task, rubric | Zhou et al. 2019, HYPE-infinity: an error rate without time limit |
//! | `by_model` | aggregator | estimates, intervals and tests for each model |
//! | `components` | aggregator | variance of raters, items and the rest; means with both random |
//! | `consensus` | aggregator | Dawid & Skene 1979, GLAD, MACE: one label for each item |
//! | `opinion` | aggregator | ITU-T P.800, P.910, P.913, ITU-R BT.500: opinion scores and the raters behind them |
//!
//! Nothing in this crate reads a clock, an environment variable, a file or ambient randomness. How raters are
//! reached is no concern of it.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

pub mod aggregators;
pub mod by_model;
pub mod hype_infinity;
pub mod hype_time;
pub mod judgment;
mod kept;
mod names;
mod qualification;
mod session_plan;

pub use aggregators::components::Components;
pub use aggregators::consensus::Consensus;
pub use aggregators::opinion::Opinion;
pub use by_model::ByModel;
pub use hype_infinity::{HypeInfinity, HypeInfinityRubric};
pub use hype_time::{HypeTime, HypeTimeRubric};
