//! Traits that plugins implement, and the registry that lists them.

pub mod aggregator;
pub mod cohort;
pub mod description;
pub mod extractor;
pub(crate) mod kinds;
pub mod metric;
pub mod registry;
pub mod rubric;
pub mod schema;
pub mod stopping;
pub mod store;
pub mod surroundings;
pub mod survey;
pub mod task;
pub mod translations;
