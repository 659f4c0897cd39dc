//! Response times: a rule on fast answers, and what the server's clock says of slow ones.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::check::{Check, CheckState, Consequence};
use crate::model::note::{Overrun, SessionNote};
use crate::model::record::SessionRecord;
use crate::model::units::Micros;
use crate::words::counted;

#[cfg(test)]
pub(super) mod tests;

/// The name of the check of response times against the server's clock.
pub const CLOCK: &str = "clock";

/// The name of the check of speed.
pub const SPEED: &str = "speed";

/// The share of response times that the server's clock may contradict before [`clock`] fails: one in twenty.
pub const OVERRUNS_AT_MOST: f64 = 0.05;

/// The number of answers below which [`SpeedRule::check`] is unclear.
pub const ANSWERS_FOR_SPEED: usize = 10;

/// A rule on response times, declared before a study begins: how many answers of a session may come so fast that the rater
/// cannot have looked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpeedRule {
    /// The response time in milliseconds below which an answer is too fast. A simple reaction to a stimulus takes at least
    /// 100 ms (Luce 1986, *Response Times*), and a choice about it longer.
    #[schemars(range(min = 1, max = 60_000))]
    pub at_least_ms: u32,
    /// The share of answers in the main phase that may be too fast.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub too_fast_at_most: f64,
    /// The consequence for raters who fail: `exclude` removes them from the estimates, which are shown with and without them, and
    /// gives their places to others; `flag` only reports it.
    pub failing: Consequence,
}

impl Default for SpeedRule {
    fn default() -> Self {
        Self { at_least_ms: 300, too_fast_at_most: 0.1, failing: Consequence::Flag }
    }
}

impl SpeedRule {
    /// Checks how many answers of a session's main phase came too fast.
    ///
    /// Where the server's clock contradicts a response time, the longest that it allows is used. The check is unclear if there
    /// are fewer than [`ANSWERS_FOR_SPEED`] answers.
    #[must_use]
    pub fn check(&self, session: &SessionRecord) -> Check {
        let seen: HashMap<u32, Micros> =
            overruns(session).map(|overrun| (overrun.trial, overrun.seen)).collect();
        let shortest = Micros(u64::from(self.at_least_ms) * 1_000);
        let (mut answers, mut fast) = (0_usize, 0_usize);
        for trial in session.main_trials() {
            let rt = seen.get(&trial.trial).map_or(trial.timing.rt, |seen| trial.timing.rt.min(*seen));
            answers += 1;
            fast += usize::from(rt < shortest);
        }
        let state = if answers < ANSWERS_FOR_SPEED {
            CheckState::Unclear
        } else if fast as f64 <= self.too_fast_at_most * answers as f64 {
            CheckState::Pass
        } else {
            CheckState::Fail
        };
        let why = format!("{fast} of {} in less than {} ms", counted(answers, "answer"), self.at_least_ms);
        Check::new(SPEED, state, why).with(self.failing)
    }
}

/// Checks a session's response times against the server's clock; `None` if it contradicts none of them.
///
/// A single contradiction can come from a clock that was set, so the check is inconclusive until they are at least two and more
/// than [`OVERRUNS_AT_MOST`] of the answers.
#[must_use]
pub fn clock(session: &SessionRecord) -> Option<Check> {
    let overruns = overruns(session).count();
    if overruns == 0 {
        return None;
    }
    let answers = session.trials.len();
    let fails = overruns >= 2 && overruns as f64 > OVERRUNS_AT_MOST * answers as f64;
    let state = if fails { CheckState::Fail } else { CheckState::Unclear };
    let why = format!("{overruns} of {} longer than the server saw", counted(answers, "response time"));
    Some(Check::new(CLOCK, state, why))
}

/// The response times that the server's clock contradicts.
fn overruns(session: &SessionRecord) -> impl Iterator<Item = &Overrun> {
    session.notes.iter().filter_map(|noted| match &noted.note {
        SessionNote::Overrun(overrun) => Some(overrun),
        _ => None,
    })
}
