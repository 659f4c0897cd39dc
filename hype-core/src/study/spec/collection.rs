//! How sessions are collected.

use crate::model::units::Amount;
use crate::plugin::cohort::CohortSpec;
use crate::plugin::stopping::StoppingSpec;
use crate::protocol::raters::RaterCounts;
use crate::protocol::recruitment::Recruitment;
use crate::study::backend::BackendSpec;
use crate::study::spec::StoreSpec;

/// How sessions are collected. May change while a study runs.
#[derive(Debug, Clone)]
pub struct CollectionSpec {
    /// The number of raters.
    pub raters: RaterCounts,
    /// The people that the study recruits, where that depends on other studies.
    pub recruitment: Recruitment,
    /// The most that may be spent on raters, with the fees of the panel; `None` for no limit.
    pub limit: Option<Amount>,
    /// How raters are reached; `None` if no crate with the `local` backend is linked.
    pub backend: Option<Box<dyn BackendSpec>>,
    /// The database for people's answers; `None` for a file in the study's folder.
    pub store: Option<StoreSpec>,
    /// The synthetic raters of a simulation.
    pub simulate: Option<Box<dyn CohortSpec>>,
    /// When the collection ends before all places are filled; `None` if it never does.
    pub stopping: Option<Box<dyn StoppingSpec>>,
}
