//! The rubric of contrasts: which model was preferred.

use hype_core::model::score::{Direction, Measure, Row};
use hype_core::plugin::rubric::Scoring;
use hype_core::{Reads, Rubric, ScoreError, ScoreTable, SessionRecord, SetId, register_rubric};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::votes::{PREFERENCE, Vote};
use crate::shared::side_by_side::{item_name, score_error};

/// The rubric of contrasts.
///
/// A comparison is one row of `preference`: the model on the left against the one on the right, with 1 if the left one
/// was preferred, 0 if the right one was, and 0.5 for a tie. `both_bad` has a row for each of the two models, 1 if
/// both were called bad and 0 if not, if that answer was offered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContrastRubric {
    /// How `both bad` counts for the two models.
    pub both_bad: BothBad,
}

/// A detail of tasks in which raters may call both stimuli bad.
#[derive(Debug, Clone, Copy)]
pub struct BothBadOffered;

/// How `both bad` counts for the two models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BothBad {
    /// As a tie.
    #[default]
    Tie,
    /// Not at all: the comparison is omitted from the preferences.
    Drop,
}

impl Rubric for ContrastRubric {
    fn reads(&self) -> Reads {
        Reads::answers([PREFERENCE])
    }

    fn measures(&self) -> Vec<Measure> {
        vec![
            Measure::new("preference", "preferred", "proportion", Direction::Higher),
            Measure::new("both_bad", "both called bad", "proportion", Direction::Lower),
        ]
    }

    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        let asked = context.task.get::<BothBadOffered>().is_some();
        let name = |set: SetId| context.stimuli.set(set).map_or("", |set| &*set.name);
        for answered in session.main_trials() {
            let fault = || score_error(session, answered, PREFERENCE);
            let vote = Vote::of(answered).ok_or_else(fault)?;
            let &[left, right] = answered.shown.stimuli.as_slice() else { return Err(fault()) };
            let (Some(a), Some(b)) = (context.stimuli.get(left), context.stimuli.get(right)) else {
                return Err(fault());
            };
            let item = item_name(context.stimuli, &answered.shown.stimuli);
            let row = Row {
                rater: &session.header.rater,
                model: name(a.set),
                against: name(b.set),
                item: &item,
                block: answered.shown.block,
                measure: "preference",
                value: 0.5,
            };
            let value = match vote {
                Vote::Left => Some(1.0),
                Vote::Right => Some(0.0),
                Vote::Tie => Some(0.5),
                Vote::BothBad => (self.both_bad == BothBad::Tie).then_some(0.5),
            };
            if let Some(value) = value {
                into.push(&Row { value, ..row });
            }
            if asked {
                let value = f64::from(u8::from(vote == Vote::BothBad));
                for model in [row.model, row.against] {
                    into.push(&Row { model, against: "", measure: "both_bad", value, ..row });
                }
            }
        }
        Ok(())
    }
}

register_rubric!(
    ContrastRubric,
    "contrast",
    summary = "Who was preferred to whom, with ties as half, and how often both were called bad",
    citation = "Bradley & Terry 1952, Rank analysis of incomplete block designs, Biometrika",
    example = "{ kind: contrast, both_bad: tie }",
);
