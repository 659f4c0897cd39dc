//! Rating: items one by one, each image with its conditions and every question of the rubric on one page.
//!
//! The questions are the rubric's. Raters are counted by item: each image reaches its number of raters, and no rater
//! sees an image twice except for declared repeats. HEIM (Lee et al. 2023), ImagenHub (Ku et al. 2023) and mean
//! opinion scores (ITU-T P.800, P.910) are collected this way.

mod allocation;
mod attention;
mod check;
mod questions;
mod settings;
mod state;
mod task;

pub use self::settings::{Gold, Rating, Reference, Repeats};
pub use self::state::RatingState;
