//! HYPE-time: how long must an image be seen to be distinguished from a real one?
//!
//! An adaptive staircase finds the exposure at which a rater distinguishes a model's images from real ones with the
//! target probability of its rule. Zhou, Gordon, Krishna, Narcomey, Fei-Fei & Bernstein 2019, "HYPE: A Benchmark
//! for Human eYe Perceptual Evaluation of Generative Models", NeurIPS, sections 2 and 3.

mod catch;
mod check;
mod scoring;
mod settings;
mod state;
mod task;

pub use self::scoring::{Estimator, HypeTimeRubric};
pub use self::settings::{
    CatchTrials, Countdown, CountingRule, Exposure, HypeTime, Masks, StaircaseDesign, StaircasePreset,
    StaircaseSettings,
};
pub use self::state::HypeTimeState;
