//! Catch trials: exposures too short for people, at which only a machine can be better than chance.

use hype_core::{Bounded, Consequence, Design, Diagnostics, Fact, NumberBounds};
use hype_stats::proportion::binomial_test;
use hype_stats::ttest::Alternative;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::HypeTime;

mod check;
mod drawn;
mod verdict;

pub(super) use self::check::check;
pub(super) use self::drawn::CatchPlan;
pub(super) use self::verdict::verdict;

/// The chance of being right by guessing between real and generated.
const GUESS: f64 = 0.5;
/// The share of raters who see nothing that may fail.
const ALPHA: NumberBounds = NumberBounds::positive(0.5, 0.01);

/// Catch trials: exposures too short for people, among those of the main phase, half of them real. A rater who is better
/// than chance at them is a machine, or has a display that shows images for longer than it reports.
///
/// Raters cannot tell them: they have the countdown, masks, question, feedback and pay of any other trial, at places
/// drawn anew for each session, never first in a block and never two in a row, with images that the session shows
/// nowhere else. They move no staircase and enter no score.
///
/// # Method
/// The check `catch` is the exact one-sided binomial test against one half. Trials whose display was suspect, or longer
/// than asked by more than half a refresh interval, do not count. It fails where p is at most `alpha`, and is unclear
/// where so few trials count that even all right would not do.
///
/// # Power
/// Of raters who see nothing at most `alpha` fail, and fewer for the default, as answers are counted in whole numbers:
/// 11 of 12 right are needed, which chance gives to 0.32 %. A rater who leans to one answer fails less often yet, as
/// half of the images are real. A machine that is right on 98 % of its answers fails with a probability of 97.7 %, one
/// that is right on 90 % with 65.9 %; with 24 trials, of which 19 have to be right, more than 99.9 % and 97.2 %.
///
/// It does not detect a machine that knows of catch trials and guesses at them on purpose: the exposure can be read in
/// what the page is sent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CatchTrials {
    /// How many in a session, an even number.
    pub trials: Bounded<2, 1_000>,
    /// How long an image is shown, in milliseconds; under the floor of the staircase. One frame at 60 Hz takes 16.7 ms.
    pub exposure_ms: Bounded<1, 1_000>,
    /// The share of raters who see nothing that may fail.
    #[schemars(transform = ALPHA.schema())]
    pub alpha: f64,
    /// What follows from failing: `exclude` leaves the rater out of the estimates, which are shown with and without, and
    /// gives the place to another; `flag` only tells.
    pub failing: Consequence,
}

impl Default for CatchTrials {
    fn default() -> Self {
        Self {
            trials: Bounded::new(12),
            exposure_ms: Bounded::new(16),
            alpha: 0.01,
            failing: Consequence::Exclude,
        }
    }
}

impl CatchTrials {
    /// The least number of right answers with which a rater fails of whom so many count; `None` where even all right
    /// would not do.
    #[must_use]
    pub fn right_to_fail(&self, counted: u32) -> Option<u32> {
        (0..=counted).find(|&right| by_chance(right, counted) <= self.alpha)
    }

    /// The probability that a rater fails who is right with this probability on each trial, where all trials count: of
    /// an honest rater at 0.5, and otherwise of a machine.
    ///
    /// # Method
    /// The upper tail of the binomial distribution from [`right_to_fail`](Self::right_to_fail) on.
    #[must_use]
    pub fn failing_at(&self, accuracy: f64) -> f64 {
        let trials = self.trials.get();
        self.right_to_fail(trials).map_or(0.0, |right| at_least(right, trials, accuracy))
    }

    pub(super) fn fact(&self) -> Fact {
        Fact {
            name: "catch_trials".into(),
            label: "catch trials".into(),
            value: json!({
                "trials": self.trials,
                "exposure_ms": self.exposure_ms,
                "right_to_fail": self.right_to_fail(self.trials.get()),
                "fail_by_chance": self.failing_at(GUESS),
                "failing": self.failing,
            }),
        }
    }
}

/// The probability of at least so many right answers by guessing.
fn by_chance(right: u32, of: u32) -> f64 {
    at_least(right, of, GUESS)
}

/// The probability of at least so many right answers; 1 without trials.
fn at_least(right: u32, of: u32, accuracy: f64) -> f64 {
    binomial_test(u64::from(right), u64::from(of), accuracy, Alternative::Greater).unwrap_or(1.0)
}

#[cfg(test)]
mod tests;
