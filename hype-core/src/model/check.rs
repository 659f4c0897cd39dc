//! Quality checks: the verdict of a rule on a rater's session, in three states.
//!
//! A check flags; it never drops data. A rater who fails is excluded only if the rule says so
//! ([`Consequence::Exclude`]), and the findings then show estimates with and without the rater. An unclear check counts
//! neither for nor against a rater.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::record::SessionRecord;
use crate::words::counted;

/// The name of the check of display times.
pub const TIMING: &str = "timing";

/// The name under which an exclusion by the operator is listed among the checks.
pub const OPERATOR: &str = "operator";

/// The share of presentations with a limit that may be suspect before [`timing`] fails: one in ten.
///
/// An idle computer displays at least 98 % of presentations with frame accuracy. If every tenth presentation is
/// inaccurate, exposures differ from those that a staircase requests.
pub const SUSPECT_AT_MOST: f64 = 0.1;

/// The verdict of a rule on a session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Check {
    /// The rule, such as `gold`.
    pub name: Arc<str>,
    /// The verdict.
    pub state: CheckState,
    /// The reason, for readers of the findings.
    pub why: Arc<str>,
    /// The consequence of failing.
    pub consequence: Consequence,
    /// The share that the rule is about, if the findings list it for every rater.
    pub share: Option<CheckedShare>,
}

/// A share of a rater's trials, with an exact interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckedShare {
    /// The trials that count: right answers of `gold`, the same winner of `repeats`, the left side of `sides`.
    pub count: u32,
    /// Of so many trials.
    pub of: u32,
    /// Clopper and Pearson's exact 95 % interval, as shares; none without trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// The state of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CheckState {
    /// The session satisfies the rule.
    Pass,
    /// It does not.
    Fail,
    /// There is too little data to decide.
    Unclear,
}

/// The consequence of failing a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Consequence {
    /// The rater is flagged but counts like any other.
    #[default]
    Flag,
    /// The rater is excluded from the estimates, which are shown with and without, and another takes the place.
    Exclude,
}

impl Check {
    /// A check that flags raters who fail it.
    #[must_use]
    pub fn new(name: &str, state: CheckState, why: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), state, why: why.into(), consequence: Consequence::Flag, share: None }
    }

    /// Sets the share that the rule is about.
    #[must_use]
    pub fn with_share(self, share: CheckedShare) -> Self {
        Self { share: Some(share), ..self }
    }

    /// Sets the consequence.
    #[must_use]
    pub fn with(self, consequence: Consequence) -> Self {
        Self { consequence, ..self }
    }

    /// Whether the session's rater is excluded.
    #[must_use]
    pub fn excludes(&self) -> bool {
        (self.state, self.consequence) == (CheckState::Fail, Consequence::Exclude)
    }
}

/// Checks how accurately a session's limited exposures were displayed; `None` if it has none.
///
/// The share of answered trials whose display was suspect is at most [`SUSPECT_AT_MOST`]. The check is unclear if fewer
/// than half of them have a record of their display, as for raters inside the program. Disturbed presentations do not
/// count, as those trials were shown again.
#[must_use]
pub fn timing(session: &SessionRecord) -> Option<Check> {
    let limited = session.trials.iter().filter(|trial| trial.shown.exposure_ms.is_some()).count();
    if limited == 0 {
        return None;
    }
    let (mut displayed, mut suspect) = (0_usize, 0_usize);
    for shown in session.displays() {
        displayed += 1;
        suspect += usize::from(shown.display.suspect);
    }
    let (state, why) = if displayed == 0 {
        (CheckState::Unclear, "no display was reported".to_owned())
    } else if 2 * displayed < limited {
        let of = counted(limited, "limited trial");
        (CheckState::Unclear, format!("the display of only {displayed} of {of} was reported"))
    } else {
        let held = suspect as f64 <= SUSPECT_AT_MOST * displayed as f64;
        let state = if held { CheckState::Pass } else { CheckState::Fail };
        (state, format!("{suspect} of {} suspect", counted(displayed, "display")))
    };
    Some(Check::new(TIMING, state, why))
}

#[cfg(test)]
mod tests;
