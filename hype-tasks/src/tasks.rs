//! Tasks: what raters are asked to do, each with the rubric that scores it.

pub mod best_of;
pub mod contrast;
pub mod fooling;
pub mod hype_infinity;
pub mod hype_time;
pub mod ranking;
pub mod rating;

pub use self::best_of::{BestOf, BestOfRubric};
pub use self::contrast::{Contrast, ContrastRubric};
pub use self::fooling::{Fooling, FoolingRubric};
pub use self::hype_infinity::{HypeInfinity, HypeInfinityRubric};
pub use self::hype_time::{HypeTime, HypeTimeRubric};
pub use self::ranking::{Ranking, RankingRubric};
pub use self::rating::Rating;
