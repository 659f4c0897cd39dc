//! The qualification: which raters proceed to the main phase.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The qualification: untimed trials before the main phase, half of them real and half generated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Qualification {
    /// The number of trials, half of which show real stimuli.
    #[schemars(range(min = 2, max = 10_000))]
    pub trials: u32,
    /// When a rater passes.
    pub pass: PassMark,
}

impl Default for Qualification {
    fn default() -> Self {
        Self { trials: 100, pass: PassMark::default() }
    }
}

/// When a rater passes the qualification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PassMark {
    /// How right answers are counted.
    pub rule: PassRule,
    /// The minimum share of right answers.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub at_least: f64,
}

impl Default for PassMark {
    fn default() -> Self {
        Self { rule: PassRule::BothClasses, at_least: 0.65 }
    }
}

/// How the share of right answers in the qualification is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PassRule {
    /// The share has to be reached on real and on generated stimuli separately.
    #[default]
    BothClasses,
    /// The share has to be reached over all trials.
    Overall,
}

impl PassMark {
    /// The minimum number of right answers among `trials` that reaches the share.
    #[must_use]
    pub fn needed(&self, trials: u32) -> u32 {
        // The tolerance of 10^-9 absorbs the binary rounding of decimals such as 0.65.
        (self.at_least * f64::from(trials) - 1e-9).ceil().max(0.0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passing_needs_whole_answers() {
        let pass = PassMark::default();
        assert_eq!(pass.needed(50), 33);
        assert_eq!(pass.needed(100), 65);
        assert_eq!(pass.needed(20), 13);
        assert_eq!(PassMark { at_least: 0.0, ..pass }.needed(20), 0);
    }
}
