//! HYPE-infinity: how often is an image misclassified, without a time limit?
//!
//! Zhou et al. 2019, "HYPE", section 2.2: 50 generated and 50 real images for each rater, unlimited time; the score
//! is the share judged wrong. 50 % is chance, more is hyper-realism.

mod scoring;
mod task;

pub use self::scoring::HypeInfinityRubric;
pub use self::task::{HypeInfinity, HypeInfinityState};
