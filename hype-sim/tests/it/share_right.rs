// A rubric for tests of the task `two_choice`, which can be made to misbehave.

use hype_core::{
    Description, Diagnostics, Direction, Measure, Row, Rubric, ScoreError, ScoreTable, Scoring,
    SessionRecord, register_rubric,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the rubric misbehaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Slip {
    /// In none.
    #[default]
    None,
    /// It declares a measure twice.
    DeclaresTwice,
    /// It scores a measure that it does not declare.
    ScoresAnother,
    /// It divides by the number of trials even if there are none.
    DividesByZero,
    /// It requires sessions to be complete.
    WantsTheEnd,
    /// It names a model that does not exist.
    NamesNoModel,
    /// Its scores depend on the content of the table.
    LooksIntoTheTable,
    /// It scores nothing.
    ScoresNothing,
}

/// The share of right answers in the main phase.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ShareRight {
    /// The misbehaviour.
    pub(crate) slip: Slip,
}

impl Rubric for ShareRight {
    fn check(&self, _: &Description, _: &mut Diagnostics) {}

    fn measures(&self) -> Vec<Measure> {
        let measure = Measure::new("right", "right answers", "proportion", Direction::Higher);
        vec![measure; if self.slip == Slip::DeclaresTwice { 2 } else { 1 }]
    }

    fn score(
        &self,
        session: &SessionRecord,
        _: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        if self.slip == Slip::WantsTheEnd && session.outcome.is_none() {
            return Err(ScoreError { rater: "r".into(), trial: 0, reason: "it has no end".into() });
        }
        let trials: Vec<bool> = session.main_trials().map(|trial| trial.correct == Some(true)).collect();
        let divides = self.slip == Slip::DividesByZero && session.outcome.is_some();
        if (trials.is_empty() && !divides) || self.slip == Slip::ScoresNothing {
            return Ok(());
        }
        let right = trials.iter().filter(|&&right| right).count() as f64;
        let of = if divides { 0.0 } else { trials.len() as f64 };
        into.push(&Row {
            rater: &session.header.rater,
            model: if self.slip == Slip::NamesNoModel { "nobody" } else { "" },
            against: "",
            item: "",
            block: 0,
            measure: if self.slip == Slip::ScoresAnother { "left" } else { "right" },
            value: right / of + if self.slip == Slip::LooksIntoTheTable { into.len() as f64 } else { 0.0 },
        });
        Ok(())
    }
}

register_rubric!(
    ShareRight,
    "share_right",
    summary = "The share of right answers",
    citation = "",
    example = "{ kind: share_right }"
);
