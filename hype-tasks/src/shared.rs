//! What several tasks or several aggregators use.

pub mod judgment;
pub(crate) mod kept;
pub(crate) mod names;
pub(crate) mod qualification;
pub(crate) mod session_plan;
pub(crate) mod side_by_side;
