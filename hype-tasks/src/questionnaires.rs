//! Questionnaires: rubrics that ask about stimuli one by one, and turn the answers into scores.
//!
//! Each is a preset of one engine, as data: its questions with their scales, the conditions that an item has to have,
//! the rules by which answers become measures, what raters read, and the aggregators. Every task that shows one
//! output at a time and asks the rubric's questions can be combined with each of them.
//!
//! All of them read a session's log in the same way. Gold stimuli are not scored. A stimulus that was shown twice is
//! scored by its first presentation. The model of a score is the set of its stimulus, real sets included. In addition
//! to their own measures they report `gold_correct` (whether a gold stimulus was answered correctly) and
//! `consistency` (the share of the answers to a repeated stimulus that were the same), if there are such trials.
//!
//! A questionnaire asks nothing about an item that lacks a condition that its questions need.

use hype_core::plugin::aggregator::AggregatorByKind;
use hype_core::{Asks, Description, RatedStimuli};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::questionnaire::Questionnaire;

pub mod heim;
pub mod imagenhub;
pub mod likert;
pub mod opinion;
mod page_answers;
pub(crate) mod presentations;
mod questionnaire;

pub use self::heim::{
    Aspect, HeimAesthetics, HeimAlignment, HeimImage, HeimOriginality, HeimPhotorealism, HeimSubjectClarity,
};
pub use self::likert::Likert;
pub use self::opinion::Opinion;
pub(crate) use self::page_answers::accepted;
pub use self::page_answers::{Given, PageAnswers};

/// The settings of a rubric without settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
struct NoSettings {}

/// The aggregators of graded answers: estimates for each model, and the agreement of raters.
fn graded(asked: &Questionnaire) -> Vec<AggregatorByKind> {
    let mut agreement = AggregatorByKind::new("agreement").with("over", "all");
    // Specs of ordered categories say so, as they have always done.
    if asked.measures.iter().all(|measure| measure.scale.is_none()) {
        agreement = agreement.with("coefficients", ["percent", "krippendorff-ordinal", "gwet-ordinal"]);
    }
    vec!["by_model".into(), agreement]
}

/// Returns the stimuli that a task shows if it asks the questions of the rubric; `None` if it asks its own.
fn shown(task: &Description) -> Option<RatedStimuli> {
    match task.asks() {
        Asks::RubricQuestions(shown) => Some(*shown),
        _ => None,
    }
}
