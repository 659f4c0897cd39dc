//! The settings of the staircase: a preset, or the free form.

use hype_core::{Bounded, Fact};
use hype_stats::staircase::{self, Range, Reach, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Exposure;

/// The lapse rate that `check` assumes when it computes whether a target can be reached.
pub(in crate::tasks::hype_time) const LAPSE: f64 = 0.0;
/// The probability of guessing right between real and generated.
pub(in crate::tasks::hype_time) const GUESS: f64 = 0.5;

/// A detail of tasks whose blocks are staircases of exposures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StaircaseDesign {
    /// The rule by which exposures change.
    pub rule: Rule,
    /// The range of exposures.
    pub range: Range,
    /// Trials in a block; shorter blocks are incomplete and have no threshold.
    pub trials_per_block: u32,
    /// The thresholds that blocks reach; `None` if there are none, or they cannot be computed.
    pub reach: Option<Reach>,
}

/// A named staircase rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StaircasePreset {
    /// Each correct answer 10 ms harder, each wrong one 30 ms easier: target 0.75.
    #[default]
    Weighted,
    /// As the paper prints it: target 0.25, which cannot be reached.
    PaperLiteral,
    /// Three consecutive correct answers 30 ms harder, each wrong one 10 ms easier: target 0.630.
    ThreeCorrect,
    /// Three consecutive correct answers 10 ms harder, each wrong one 10 ms easier: target 0.794.
    #[serde(rename = "transformed-3-1")]
    Transformed31,
    /// Three correct answers in all 10 ms harder, each wrong one 10 ms easier: target 0.75.
    #[serde(rename = "cumulative-3-1")]
    Cumulative31,
    /// Two consecutive correct answers 10 ms harder, each wrong one 10 ms easier: target 0.707.
    TwoDownOneUp,
    /// Three consecutive correct answers 17 ms harder, each wrong one 23 ms easier: target 0.8315.
    #[serde(rename = "garcia-perez-3")]
    GarciaPerez3,
}

impl StaircasePreset {
    fn rule(self) -> Rule {
        match self {
            Self::Weighted => staircase::Preset::Weighted,
            Self::PaperLiteral => staircase::Preset::PaperLiteral,
            Self::ThreeCorrect => staircase::Preset::ThreeCorrect,
            Self::Transformed31 => staircase::Preset::Transformed31,
            Self::Cumulative31 => staircase::Preset::Cumulative31,
            Self::TwoDownOneUp => staircase::Preset::TwoDownOneUp,
            Self::GarciaPerez3 => staircase::Preset::GarciaPerez3,
        }
        .rule()
    }
}

/// How correct answers are counted toward a harder trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CountingRule {
    /// A wrong answer sets the count back to zero.
    #[default]
    Consecutive,
    /// A wrong answer does not change the count.
    Cumulative,
}

/// The staircase: a preset by its name, or the free form by its numbers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StaircaseSettings {
    /// A named rule; `weighted` unless the free form is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<StaircasePreset>,
    /// Free form: how many correct answers make the next trial harder (1 if left out).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correct_to_harder: Option<Bounded<1, 1_000>>,
    /// Free form: by how much a harder trial is shorter, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_harder_ms: Option<Bounded<1, 60_000>>,
    /// Free form: by how much the trial after a wrong answer is longer, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_easier_ms: Option<Bounded<1, 60_000>>,
    /// Free form: whether a wrong answer sets the count of correct ones back (`consecutive` if left out).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counting: Option<CountingRule>,
    /// Whether a rule is accepted whose target no rater can reach.
    pub allow_unreachable_target: bool,
}

impl StaircaseSettings {
    /// A preset.
    #[must_use]
    pub fn preset(preset: StaircasePreset) -> Self {
        Self { preset: Some(preset), ..Self::default() }
    }

    pub(in crate::tasks::hype_time) fn is_free(&self) -> bool {
        self.correct_to_harder.is_some()
            || self.step_harder_ms.is_some()
            || self.step_easier_ms.is_some()
            || self.counting.is_some()
    }

    /// The rule.
    ///
    /// # Errors
    /// A message that describes the fault.
    pub fn rule(&self) -> Result<Rule, String> {
        if !self.is_free() {
            return Ok(self.preset.unwrap_or_default().rule());
        }
        if self.preset.is_some() {
            return Err("a staircase is either a preset or the free form, not both".into());
        }
        let (Some(harder), Some(easier)) = (self.step_harder_ms, self.step_easier_ms) else {
            return Err("the free form needs both step_harder_ms and step_easier_ms".into());
        };
        let counting = match self.counting.unwrap_or_default() {
            CountingRule::Consecutive => staircase::Counting::Consecutive,
            CountingRule::Cumulative => staircase::Counting::Cumulative,
        };
        Rule::new(self.correct_to_harder.map_or(1, Bounded::get), harder.get(), easier.get(), counting)
            .map_err(|error| error.to_string())
    }

    pub(in crate::tasks::hype_time) fn facts(&self, exposure: &Exposure) -> Vec<Fact> {
        let Ok(rule) = self.rule() else { return Vec::new() };
        let reachable = rule.reachability(GUESS, LAPSE).is_ok_and(|reach| reach.is_reachable());
        let fact = |name: &str, label: &str, value| Fact { name: name.into(), label: label.into(), value };
        vec![
            fact(
                "staircase_rule",
                "staircase",
                json!({
                    "correct_to_harder": rule.correct_to_harder(),
                    "step_harder_ms": rule.step_harder_ms(),
                    "step_easier_ms": rule.step_easier_ms(),
                    "counting": rule.counting().name(),
                }),
            ),
            fact(
                "staircase_target",
                "target of the staircase (share of right answers)",
                json!(rule.target()),
            ),
            fact("staircase_target_reachable", "the target can be reached", json!(reachable)),
            fact("exposure", "exposures in ms", json!(exposure)),
        ]
    }
}
