//! The settings of Bayesian adaptive procedures, which take the place of the staircase.

use hype_core::{Bounded, Fact, NumberBounds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Exposure;

/// The share of right answers at the threshold that adaptive procedures estimate, lapses included.
pub(in crate::tasks::hype_time) const TARGET: f64 = 0.75;
/// The number of exposures to choose from: from floor to ceiling in equal ratios, as whole milliseconds. From 100
/// to 1,000 ms neighbours differ by 8 %, less than the posterior of a block can tell apart.
pub(in crate::tasks::hype_time) const LEVELS: u32 = 31;
/// The number of thresholds, from floor to ceiling in equal ratios.
pub(in crate::tasks::hype_time) const THRESHOLDS: u32 = 31;
/// Slopes, for each unit of ln t.
pub(in crate::tasks::hype_time) const SLOPES: [f64; 8] = [1.5, 2.0, 2.75, 3.75, 5.0, 6.5, 9.0, 12.0];
/// Lapse rates. Without lapses one slip at a long exposure would be impossible; and as the threshold includes lapses,
/// they stay under a quarter.
pub(in crate::tasks::hype_time) const LAPSES: [f64; 5] = [0.005, 0.02, 0.04, 0.06, 0.08];
/// The posterior's standard deviation at which a block ends.
const WIDTH: NumberBounds = NumberBounds::positive(60_000.0, 25.0);

/// A Bayesian adaptive procedure in place of the staircase: each exposure is the one whose answer is expected to tell
/// most, given all answers of the block.
///
/// The threshold is the exposure with 75 % right answers, lapses included. A block's score is the mean of its posterior.
///
/// # Method
/// QUEST+ (Watson 2017, Journal of Vision 17(3):10) on a grid of thresholds, slopes and lapse rates with a uniform prior,
/// and a guess rate of one half. By default the expected entropy is that of the threshold's marginal posterior
/// (Prins 2013, Journal of Vision 13(7):3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Adaptive {
    /// The procedure.
    pub kind: AdaptiveKind,
    /// The form of the psychometric function in log time.
    pub function: AdaptiveFunction,
    /// The parameter that answers should inform most.
    pub of_interest: Interest,
    /// When a block ends before `trials_per_block`; never by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopRule>,
}

impl Default for Adaptive {
    fn default() -> Self {
        Self {
            kind: AdaptiveKind::QuestPlus,
            function: AdaptiveFunction::Logistic,
            of_interest: Interest::Threshold,
            stop: None,
        }
    }
}

/// The kind of an adaptive procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AdaptiveKind {
    /// QUEST+: the least expected entropy of the posterior.
    #[default]
    QuestPlus,
}

/// The form of a psychometric function with exposure t, location α and slope β.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AdaptiveFunction {
    /// F(t) = 1 / (1 + (t / α)^-β), as the estimator `fit`.
    #[default]
    Logistic,
    /// F(t) = 1 - exp(-(t / α)^β).
    Weibull,
}

/// The parameter that the answers of an adaptive procedure should inform most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interest {
    /// The threshold alone.
    #[default]
    Threshold,
    /// Threshold, slope and lapse rate equally, as Watson 2017 proposes. Half of the trials then go to long exposures,
    /// which tell about lapses.
    All,
}

/// When a block ends before all of its trials. Catch trials that would come later are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StopRule {
    /// The posterior's standard deviation of the threshold, in milliseconds, at or under which the block ends.
    #[schemars(transform = WIDTH.schema())]
    pub sd_ms: f64,
    /// The least number of trials in a block.
    pub at_least: Bounded<1, 10_000>,
}

impl Default for StopRule {
    fn default() -> Self {
        Self { sd_ms: 25.0, at_least: Bounded::new(30) }
    }
}

impl Adaptive {
    /// The share of right answers of a typical rater, measured with synthetic raters: docs/measured/quest.md.
    pub(in crate::tasks::hype_time) fn typical_accuracy(&self) -> f64 {
        match self.of_interest {
            Interest::Threshold => 0.75,
            Interest::All => 0.8,
        }
    }

    /// The settings and the grid on which the procedure works.
    fn with_grid(&self) -> Value {
        let mut value = json!(self);
        value["levels"] = json!(LEVELS);
        value["prior"] = json!({ "lapses": LAPSES, "slopes": SLOPES, "thresholds": THRESHOLDS });
        value
    }

    pub(in crate::tasks::hype_time) fn facts(&self, exposure: &Exposure) -> Vec<Fact> {
        vec![
            Fact::new("adaptive", "adaptive procedure", self.with_grid()),
            Fact::new("threshold_target", "share of right answers at the threshold", json!(TARGET)),
            Fact::new(
                "exposure",
                "exposures in ms",
                json!({ "floor_ms": exposure.floor_ms, "ceiling_ms": exposure.ceiling_ms }),
            ),
        ]
    }
}
