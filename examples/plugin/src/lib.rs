//! An example of a plugin: a task, a rubric and an aggregator that hype does not know.
//!
//! | kind | part | what it does |
//! |---|---|---|
//! | `two_interval` | task | two images, one after the other: which one is real? |
//! | `two_interval` | rubric | the share of right choices, d' and the bias toward an interval |
//! | `median_by_model` | aggregator | the median over raters with its bootstrap interval |
//! | `first_option` | backend | raters who take the first option without looking |
//!
//! A plugin is an ordinary library crate. It depends on `hype-core` for the traits and implements one of them for
//! each part; a `register_*!` macro makes the type known under the `kind` that specs name it by. Everything else
//! follows from the type: its fields are the settings in YAML, `serde` gives their defaults, `schemars` their schema,
//! and the doc comments become the descriptions that editors show.
//!
//! A program uses the plugin by linking it. A crate that is only listed in `Cargo.toml` is left out by the linker, so
//! the program names it once: `use hype_example_plugin as _;`.

mod aggregator;
mod backend;
mod rubric;
mod task;

pub use aggregator::{MedianByModel, Sums};
pub use backend::FirstOption;
pub use rubric::TwoIntervalRubric;
pub use task::{Choice, Interval, TwoInterval, TwoIntervalState};
