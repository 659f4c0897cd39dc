//! The rubric of choices of the best: the share of votes.

use hype_core::model::score::{Direction, Measure, Row};
use hype_core::plugin::rubric::Scoring;
use hype_core::{
    Asks, Description, Diagnostics, Reads, Rubric, ScoreError, ScoreTable, SessionRecord, register_rubric,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::criteria;
use crate::shared::side_by_side::{item_name, place_of, score_error};

/// The rubric of choices of the best.
///
/// A choice has one row of `votes` for each image: 1 for the one chosen, 0 for the others. A model's mean is its share
/// of the votes, and the shares of all models sum to 1. With several criteria the measures are `votes.` and the
/// criterion, such as `votes.realism`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BestOfRubric {
    /// The task's criteria.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
}

impl BestOfRubric {
    fn keys(&self) -> Vec<String> {
        criteria::keys(self.criteria.iter().map(String::as_str))
    }
}

impl Rubric for BestOfRubric {
    fn reads(&self) -> Reads {
        Reads::answers(self.keys())
    }

    fn check(&self, task: &Description, at: &mut Diagnostics) {
        let own = self.keys();
        let more = match task.asks() {
            Asks::Own(asked) => asked.len() > own.len(),
            _ => false,
        };
        if more && own.iter().all(|key| task.asks().has(key)) {
            at.field("criteria")
                .error("other-criteria", "the criteria are not those that the task asks about")
                .help("omit `rubric` to use the task's");
        }
    }

    fn measures(&self) -> Vec<Measure> {
        let labels = self.criteria.iter().map(|criterion| format!("share of votes: {criterion}"));
        let labels = labels.chain(["share of votes".to_owned()]);
        criteria::measures(&self.keys())
            .iter()
            .zip(labels)
            .map(|(name, label)| Measure::new(name, &label, "proportion", Direction::Higher))
            .collect()
    }

    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        let questions: Vec<(String, String)> =
            self.keys().into_iter().zip(criteria::measures(&self.keys())).collect();
        for answered in session.main_trials() {
            let shown = &answered.shown.stimuli;
            let item = item_name(context.stimuli, shown);
            for (question, measure) in &questions {
                let fault = || score_error(session, answered, question);
                let chosen = answered.choice(question).and_then(|letter| place_of(letter, shown.len()));
                let chosen = chosen.ok_or_else(fault)?;
                for (place, &image) in shown.iter().enumerate() {
                    into.push(&Row {
                        rater: &session.header.rater,
                        model: &context.stimuli.set_of(image).ok_or_else(fault)?.name,
                        against: "",
                        item: &item,
                        block: answered.shown.block,
                        measure,
                        value: f64::from(u8::from(place == chosen)),
                    });
                }
            }
        }
        Ok(())
    }
}

register_rubric!(
    BestOfRubric,
    "best_of",
    summary = "Each model's share of the votes, by criterion",
    citation = "Choi et al. 2018, StarGAN, CVPR",
    example = "{ kind: best_of, criteria: [realism, quality of the change, identity kept] }",
);
