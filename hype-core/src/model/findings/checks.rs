//! Results of quality checks for the raters who completed a study.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::check::{Check, CheckState, CheckedShare, Consequence, TIMING};
use crate::model::findings::TimingQuality;

/// The results of one rule for the raters who completed the study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckFindings {
    /// The rule, such as `catch`, `gold` or `timing`.
    pub name: Arc<str>,
    /// The consequence of failing.
    pub consequence: Consequence,
    /// Raters who pass.
    pub passed: u64,
    /// Raters who fail.
    pub failed: u64,
    /// Raters with an unclear result of the check.
    pub unclear: u64,
    /// Raters who fail, or whose check is unclear, in the order of sessions.
    pub flagged: Vec<Flagged>,
    /// The share that the rule is about, of every rater, in the order of sessions; empty for rules without one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<RaterShare>,
}

/// The share of a rater's trials that a check is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RaterShare {
    /// The rater.
    pub rater: Arc<str>,
    /// The share.
    #[serde(flatten)]
    pub share: CheckedShare,
}

/// A rater who fails a check, or whose check is unclear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flagged {
    /// The rater.
    pub rater: Arc<str>,
    /// `fail` or `unclear`.
    pub state: CheckState,
    /// Why.
    pub why: Arc<str>,
}

impl CheckFindings {
    /// Adds the results of rules for one rater. Each rule has one entry, in the order of first occurrence.
    pub fn add(all: &mut Vec<Self>, rater: &Arc<str>, checks: Vec<Check>) {
        for Check { name, state, why, consequence, share } in checks {
            let place = all.iter().position(|check| check.name == name).unwrap_or_else(|| {
                all.push(Self {
                    name,
                    consequence,
                    passed: 0,
                    failed: 0,
                    unclear: 0,
                    flagged: Vec::new(),
                    shares: Vec::new(),
                });
                all.len() - 1
            });
            let check = &mut all[place];
            match state {
                CheckState::Pass => check.passed += 1,
                CheckState::Fail => check.failed += 1,
                CheckState::Unclear => check.unclear += 1,
            }
            check.shares.extend(share.map(|share| RaterShare { rater: Arc::clone(rater), share }));
            if state != CheckState::Pass {
                check.flagged.push(Flagged { rater: Arc::clone(rater), state, why });
            }
        }
    }

    /// Omits the check of display times if no page reported any, as with raters inside the program.
    pub(crate) fn reported(mut all: Vec<Self>, timing: &TimingQuality) -> Vec<Self> {
        all.retain(|one| &*one.name != TIMING || timing.displayed > 0);
        all
    }
}
