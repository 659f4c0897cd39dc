//! HYPE-time: how long must an image be seen to be distinguished from a real one?
//!
//! An adaptive procedure, by default a staircase, finds the exposure at which a rater distinguishes a model's images from real ones with the
//! target probability of its rule. Zhou, Gordon, Krishna, Narcomey, Fei-Fei & Bernstein 2019, "HYPE: A Benchmark
//! for Human eYe Perceptual Evaluation of Generative Models", NeurIPS, sections 2 and 3.

mod catch;
mod check;
mod procedure;
mod quest;
mod scoring;
mod settings;
mod state;
mod task;

pub use self::quest::{QuestPlusBlock, QuestPlusDesign, QuestPlusEstimate};
pub use self::scoring::{Estimator, HypeTimeRubric};
pub use self::settings::{
    Adaptive, AdaptiveFunction, AdaptiveKind, CatchTrials, Countdown, CountingRule, Exposure, HypeTime,
    Interest, Masks, StaircaseDesign, StaircasePreset, StaircaseSettings, StopRule,
};
pub use self::state::HypeTimeState;
