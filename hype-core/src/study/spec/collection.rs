//! How sessions are collected.

use crate::plugin::cohort::CohortSpec;
use crate::protocol::raters::RaterCounts;
use crate::study::backend::BackendSpec;
use crate::study::spec::StoreSpec;

/// How sessions are collected. May change while a study runs.
#[derive(Debug, Clone)]
pub struct CollectionSpec {
    /// How many raters there are.
    pub raters: RaterCounts,
    /// How raters are reached; `None` if the linked crates have no `local` backend.
    pub backend: Option<Box<dyn BackendSpec>>,
    /// The database that keeps people's answers; `None` for a file in the study's folder.
    pub store: Option<StoreSpec>,
    /// The synthetic raters of a simulation.
    pub simulate: Option<Box<dyn CohortSpec>>,
}
