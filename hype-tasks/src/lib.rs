//! The tasks, rubrics and aggregators of the published protocols.
//!
//! | kind | part | source |
//! |---|---|---|
//! | `hype_time` | task, rubric | Zhou et al. 2019, HYPE-time: a perceptual threshold in milliseconds |
//! | `hype_infinity` | task, rubric | Zhou et al. 2019, HYPE-infinity: an error rate without time limit |
//! | `rating` | task | images rated one by one, with the questions of a rubric |
//! | `heim.*`, `imagenhub.*`, `opinion`, `likert` | rubrics | Lee et al. 2023; Ku et al. 2023; ITU-T P.800, P.910 |
//! | `by_model` | aggregator | estimates, intervals and tests for each model |
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
pub mod rating;
pub mod rubrics;
mod session_plan;

pub use by_model::ByModel;
pub use hype_infinity::{HypeInfinity, HypeInfinityRubric};
pub use hype_time::{HypeTime, HypeTimeRubric};
pub use rating::Rating;
