//! Rankings: the outputs of several models for one item, from the best to the worst.

mod ranks;
mod scoring;
mod task;

pub use self::scoring::RankingRubric;
pub use self::task::{Ranking, RankingAnswer};
