//! Shared by several tasks.

pub(crate) mod attention;
pub mod judgment;
pub(crate) mod named;
pub(crate) mod qualification;
pub(crate) mod reals;
pub(crate) mod session_plan;
pub(crate) mod settings;
pub(crate) mod side_by_side;

use hype_core::Millis;

/// The time that a typical rater takes over a stimulus without time limit (HYPE-infinity: about ten minutes for 100
/// images, instructions included).
pub(crate) const UNTIMED_ANSWER: Millis = Millis(5_000);
