//! Answers that come faster than images can be seen.

use hype_core::protocol::speed::ANSWERS_FOR_SPEED;
use hype_core::{Micros, Study};

/// Which answers are too fast, and how many of them a rater may give: as the study's rule on speed says, or the usual limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpeedLimit {
    /// Answers that took less are too fast.
    pub(crate) at_least: Micros,
    /// The share of answers that may be too fast.
    at_most: f64,
}

impl SpeedLimit {
    /// In a study without a rule. A choice about an image takes longer than this (Luce 1986, *Response Times*).
    const USUAL: Self = Self { at_least: Micros(250_000), at_most: 0.5 };

    pub(crate) fn of(study: &Study) -> Self {
        study.raters().speed.map_or(Self::USUAL, |rule| Self {
            at_least: Micros(u64::from(rule.at_least_ms) * 1_000),
            at_most: rule.too_fast_at_most,
        })
    }

    /// Whether too many of a rater's answers were too fast, once there are enough to tell.
    pub(crate) fn is_exceeded_by(self, fast: u32, answers: u32) -> bool {
        answers as usize >= ANSWERS_FOR_SPEED && f64::from(fast) > self.at_most * f64::from(answers)
    }
}
