//! The rubric of rankings: the rank of each model.

use hype_core::model::score::{Direction, Measure, Row};
use hype_core::plugin::rubric::Scoring;
use hype_core::{Reads, Rubric, ScoreError, ScoreTable, SessionRecord, register_rubric};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranks::{self, RANKING};
use crate::shared::side_by_side::{item_name, score_error};

/// The rubric of rankings.
///
/// A ranking has one row of `rank` for each image: its mid-rank among the images shown. The rows of one ranking have
/// the trial's number as their block.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RankingRubric {}

impl Rubric for RankingRubric {
    fn reads(&self) -> Reads {
        Reads::answers([RANKING])
    }

    fn measures(&self) -> Vec<Measure> {
        vec![Measure::new("rank", "mean rank", "", Direction::Lower)]
    }

    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        for answered in session.main_trials() {
            let shown = &answered.shown.stimuli;
            let given = answered.answer.get(RANKING);
            let rank_of = |letter: &str| given?.rank_of(letter).and_then(|rank| u32::try_from(rank).ok());
            let dense = ranks::by_place(shown.len(), rank_of)
                .filter(|ranks| ranks::are_dense(ranks))
                .ok_or_else(|| score_error(session, answered, RANKING))?;
            let item = item_name(context.stimuli, shown);
            for (&image, value) in shown.iter().zip(ranks::mid_ranks(&dense)) {
                let set =
                    context.stimuli.set_of(image).ok_or_else(|| score_error(session, answered, RANKING))?;
                into.push(&Row {
                    rater: &session.header.rater,
                    model: &set.name,
                    against: "",
                    item: &item,
                    block: u16::try_from(answered.trial).unwrap_or(u16::MAX),
                    measure: "rank",
                    value,
                });
            }
        }
        Ok(())
    }
}

register_rubric!(
    RankingRubric,
    "ranking",
    summary = "The rank of each model among those shown with it, tied ones sharing their places",
    citation = "Kendall & Babington Smith 1939, The problem of m rankings, Annals of Mathematical Statistics",
    example = "{ kind: ranking }",
);
