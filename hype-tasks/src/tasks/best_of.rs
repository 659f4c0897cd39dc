//! Best of several: which of the models' outputs for one item is best, by one criterion or by several.
//!
//! Choi, Choi, Kim, Ha, Kim & Choo 2018, "StarGAN: Unified Generative Adversarial Networks for Multi-Domain
//! Image-to-Image Translation", CVPR, section 5.3: raters choose among the shuffled outputs of all models for one input.

mod criteria;
mod scoring;
mod task;

pub use self::scoring::BestOfRubric;
pub use self::task::{BestOf, BestOfAnswer};
