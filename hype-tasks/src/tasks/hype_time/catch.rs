//! Catch trials: exposures too short for people, at which only a machine can be better than chance.

use hype_core::Fact;
use hype_stats::proportion::binomial_test;
use hype_stats::ttest::Alternative;
use serde_json::json;

use super::settings::{CATCH_ALPHA, CatchTrials, GUESS};

mod check;
mod drawn;
mod verdict;

pub(super) use self::check::check;
pub(super) use self::drawn::CatchPlan;
pub(super) use self::verdict::verdict;

impl CatchTrials {
    /// The minimum number of right answers, of `counted` trials, with which a rater fails; `None` if even all
    /// right answers would not suffice.
    #[must_use]
    pub fn right_to_fail(&self, counted: u32) -> Option<u32> {
        (0..=counted).find(|&right| by_chance(right, counted) <= CATCH_ALPHA)
    }

    /// The probability that a rater with this accuracy fails if all trials count: an honest rater has an accuracy
    /// of 0.5, a machine a higher one.
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

/// The probability of at least this many right answers by guessing.
fn by_chance(right: u32, of: u32) -> f64 {
    at_least(right, of, GUESS)
}

/// The probability of at least this many right answers; 1 without trials.
fn at_least(right: u32, of: u32, accuracy: f64) -> f64 {
    binomial_test(u64::from(right), u64::from(of), accuracy, Alternative::Greater).unwrap_or(1.0)
}

#[cfg(test)]
mod tests;
