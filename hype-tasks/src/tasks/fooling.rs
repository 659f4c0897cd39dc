//! Fooling: which of two images is real?
//!
//! A two-alternative forced choice between a real and a generated image side by side. Isola, Zhu, Zhou & Efros 2017,
//! "Image-to-Image Translation with Conditional Adversarial Networks", CVPR, section 4.1, and Zhu, Park, Isola & Efros
//! 2017, "Unpaired Image-to-Image Translation using Cycle-Consistent Adversarial Networks", ICCV, section 5.1: ten
//! trials of practice with feedback, then forty without, each pair shown for one second, one model for each rater.

mod allocation;
mod scoring;
mod settings;
mod task;

pub use self::scoring::FoolingRubric;
pub use self::settings::{Ask, Fooling, FoolingAnswer};
