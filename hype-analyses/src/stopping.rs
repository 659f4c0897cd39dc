//! Stopping rules: how a study may end before all places are filled and still keep its level.
//!
//! All of them look at one value for each rater, the mean of the rater's values for a model, as the answers of one rater are not
//! independent. Looks are by place, not by finish.

mod betting;
mod looks;
mod pairs;
mod spending;
mod width;

use hype_core::Diagnostics;
use hype_core::plugin::stopping::StoppingPlan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::betting::BettingRule;
pub use self::spending::{SpendingKind, SpendingRule};
pub use self::width::WidthRule;
use crate::aggregators::is_vote;

/// The decisions that end the collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// Every pair of models is shown to differ (Holm's correction).
    #[default]
    AllPairs,
    /// Some pair of models is shown to differ (Holm's correction).
    Pair,
    /// The models are shown to differ, whichever they are.
    Omnibus,
}

impl Until {
    fn words(self) -> &'static str {
        match self {
            Self::AllPairs => "every pair of models is shown to differ",
            Self::Pair => "some pair of models is shown to differ",
            Self::Omnibus => "the models are shown to differ",
        }
    }
}

/// Checks that raters have a value of the measure for each model.
fn check_measure(plan: &StoppingPlan, at: &mut Diagnostics) {
    if is_vote(&plan.measure) {
        at.error(
            "no-rater-score",
            format!(
                "`{}` compares two models at a time; raters have no value for each model",
                plan.measure.name
            ),
        )
        .help("name another measure with `measure`, or remove the section `stopping`");
    }
}

/// Checks that there are pairs of models to compare.
fn check_pairs(plan: &StoppingPlan, at: &mut Diagnostics) {
    if plan.models.len() < 2 {
        at.error("too-few-models", "the rule compares models, and the study has only one")
            .help("use `kind: width`, which is about the mean of each model, or add a model");
    }
    if !plan.measure.is_compared() {
        at.error(
            "not-compared",
            format!("models are not compared by `{}`: neither direction of it is better", plan.measure.name),
        )
        .help("name another measure with `measure`");
    }
}
