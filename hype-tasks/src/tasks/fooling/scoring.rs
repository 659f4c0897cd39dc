//! The rubric of fooling: how often the generated image was taken for the real one.

use hype_core::model::findings::Estimate;
use hype_core::model::score::{Direction, Measure, Row};
use hype_core::plugin::rubric::Scoring;
use hype_core::words::first_few;
use hype_core::{
    MeasureFindings, Note, Reads, Role, Rubric, ScoreError, ScoreTable, SessionRecord, register_rubric,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::settings::CHOICE;
use crate::shared::side_by_side::{place_of, score_error};

/// The rubric of fooling: 1 for a trial in which the generated image was taken for the real one, 0 for others;
/// guessing gives 0.5 on average. `left` is 1 if the image on the left was chosen, whatever it was.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FoolingRubric {}

impl Rubric for FoolingRubric {
    fn reads(&self) -> Reads {
        Reads::answers([CHOICE])
    }

    fn measures(&self) -> Vec<Measure> {
        vec![
            Measure::new("fooled", "fakes taken for real", "proportion", Direction::Higher)
                .with_reference(0.5, "guessing"),
            Measure::new("left", "the left image chosen", "proportion", Direction::Neither),
        ]
    }

    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        for answered in session.main_trials() {
            let fault = || score_error(session, answered, CHOICE);
            let shown = &answered.shown.stimuli;
            let role = |place: usize| {
                shown.get(place).and_then(|&image| context.stimuli.set_of(image)).map(|set| set.role)
            };
            let chosen = answered.choice(CHOICE).and_then(|letter| place_of(letter, shown.len()));
            let chosen = chosen.ok_or_else(fault)?;
            // One of the two is real, so a wrong choice mistook the fake for the real image, whichever was the
            // target.
            let fooled = !answered.correct.ok_or_else(fault)?;
            let fake =
                (0..shown.len()).find(|&place| role(place) == Some(Role::Generated)).ok_or_else(fault)?;
            let model = answered.shown.model.and_then(|set| context.stimuli.set(set)).ok_or_else(fault)?;
            for (measure, value) in [("fooled", fooled), ("left", chosen == 0)] {
                into.push(&Row {
                    rater: &session.header.rater,
                    model: &model.name,
                    against: "",
                    item: context.stimuli.label(shown[fake]),
                    block: answered.shown.block,
                    measure,
                    value: f64::from(u8::from(value)),
                });
            }
        }
        Ok(())
    }

    fn remarks(&self, found: &[MeasureFindings], _: &Scoring<'_>) -> Vec<Note> {
        let models = |measure: &str, holds: fn(f64, f64) -> bool| -> Vec<&str> {
            let holds = |estimate: &&Estimate| {
                estimate.interval.as_ref().is_some_and(|interval| holds(interval.low, interval.high))
            };
            found
                .iter()
                .filter(|findings| &*findings.measure.name == measure)
                .flat_map(|findings| findings.estimates.iter().filter(holds).map(|estimate| &*estimate.model))
                .collect()
        };
        let mut notes = Vec::new();
        let even = models("fooled", |low, high| low <= 0.5 && high >= 0.5);
        if !even.is_empty() {
            let text = format!("not significantly different from guessing: {}", first_few(&even));
            notes.push(Note::setting("indistinguishable", text).about("fooled").on_models(even));
        }
        let beyond = models("fooled", |low, _| low > 0.5);
        if !beyond.is_empty() {
            let text = format!(
                "taken for real more often than real images are (hyper-realism): {}",
                first_few(&beyond)
            );
            notes.push(Note::setting("hyper-realism", text).about("fooled").on_models(beyond));
        }
        let biased = models("left", |low, high| low > 0.5 || high < 0.5);
        if !biased.is_empty() {
            let text = format!(
                "raters prefer a side, which draws the share of fakes taken for real towards a half: {}",
                first_few(&biased)
            );
            notes.push(Note::meaning("side-bias", text).about("fooled").on_models(biased));
        }
        notes
    }
}

register_rubric!(
    FoolingRubric,
    "fooling",
    summary = "The share of fakes preferred to a real image as the real one; guessing gives 0.5",
    citation = "Isola et al. 2017, CVPR; Zhu et al. 2017, ICCV",
    example = "{ kind: fooling }",
);
