//! The rubric `two_interval`: the share of right choices, d' and the bias toward an interval.

use std::f64::consts::SQRT_2;

use hype_core::model::score::Row;
use hype_core::{
    Answered, Diagnostics, Direction, Measure, Role, Rubric, ScoreError, ScoreTable, Scoring, SessionRecord,
    SetId, TaskSpec, register_rubric,
};
use hype_stats::detection::{Answers, detection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::task::{Choice, Interval, TwoInterval};

/// The rubric of the task `two_interval`. It has no settings.
///
/// # Method
/// Choosing the first image when the first one is real is a hit, choosing it when the second one is real a false
/// alarm. With two intervals d' = (z(hits) - z(false alarms)) / sqrt 2, because the choice compares two observations
/// (Macmillan & Creelman 2005, equation 7.2), and c = -(z(hits) + z(false alarms)) / 2 is above 0 for a bias toward
/// the second image. Both rates have the log-linear correction.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TwoIntervalRubric {}

impl Rubric for TwoIntervalRubric {
    fn check(&self, task: &dyn TaskSpec, at: &mut Diagnostics) {
        if task.downcast_ref::<TwoInterval>().is_none() {
            at.error(
                "wrong-rubric",
                format!("the rubric two_interval cannot score the task {}", task.typetag_name()),
            )
            .help("leave out `rubric` to take the task's own");
        }
    }

    fn measures(&self) -> Vec<Measure> {
        vec![
            Measure::new("correct", "right choices (chance: 0.5)", "proportion", Direction::Lower),
            Measure::new("d_prime", "sensitivity d'", "d'", Direction::Lower),
            Measure::new(
                "criterion",
                "criterion c (above 0: towards the second image)",
                "c",
                Direction::Neither,
            ),
        ]
    }

    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        let mut models: Vec<(SetId, Answers)> = Vec::new();
        for answered in session.main_trials() {
            let trial = read(answered, context).map_err(|reason| ScoreError {
                rater: session.header.rater.to_string(),
                trial: answered.trial,
                reason,
            })?;
            into.push(&Row {
                rater: &session.header.rater,
                model: name(trial.model, context),
                against: "",
                item: trial.item,
                block: answered.shown.block,
                measure: "correct",
                value: f64::from(u8::from(trial.real == trial.chosen)),
            });
            let known = models.iter().position(|(model, _)| *model == trial.model);
            let index = known.unwrap_or_else(|| {
                models.push((trial.model, NO_ANSWERS));
                models.len() - 1
            });
            count(&mut models[index].1, trial.real, trial.chosen);
        }
        for (model, answers) in models {
            // Undefined for a rater who left before the real image had come in both intervals.
            let Ok(found) = detection(answers) else {
                continue;
            };
            for (measure, value) in [("d_prime", found.d_prime / SQRT_2), ("criterion", found.criterion)] {
                into.push(&Row {
                    rater: &session.header.rater,
                    model: name(model, context),
                    against: "",
                    item: "",
                    block: 0,
                    measure,
                    value,
                });
            }
        }
        Ok(())
    }
}

register_rubric!(
    TwoIntervalRubric,
    "two_interval",
    summary = "The share of right choices between two intervals, d' and the bias toward one of them",
    citation = "Macmillan & Creelman 2005, Detection Theory: A User's Guide, chapter 7",
    example = "{ kind: two_interval }",
);

const NO_ANSWERS: Answers = Answers { hits: 0, misses: 0, false_alarms: 0, correct_rejections: 0 };

/// One logged trial.
struct Judged<'a> {
    model: SetId,
    /// The path of the generated image.
    item: &'a str,
    real: Interval,
    chosen: Interval,
}

/// Reads a trial from the log, which knows the stimuli in the order shown, the model and the answer.
fn read<'a>(answered: &Answered, context: &Scoring<'a>) -> Result<Judged<'a>, String> {
    let model = answered.shown.model.ok_or("the log names no model")?;
    let Choice { real: chosen } =
        answered.answer.read().map_err(|error| format!("the log holds another answer: {error}"))?;
    let &[first, second] = &answered.shown.stimuli[..] else {
        return Err("the log holds no pair of images".to_owned());
    };
    let of = |id| {
        let item = context.stimuli.get(id)?;
        Some((item, context.stimuli.set(item.set)?.role))
    };
    match (of(first), of(second)) {
        (Some((_, Role::Real)), Some((generated, Role::Generated))) => {
            Ok(Judged { model, item: &generated.path, real: Interval::First, chosen })
        }
        (Some((generated, Role::Generated)), Some((_, Role::Real))) => {
            Ok(Judged { model, item: &generated.path, real: Interval::Second, chosen })
        }
        _ => Err("the images of the log are no real and generated one".to_owned()),
    }
}

fn name<'a>(model: SetId, context: &Scoring<'a>) -> &'a str {
    context.stimuli.set(model).map_or("", |set| &*set.name)
}

/// Counts a choice: the real image in the first interval is the signal, choosing that interval a yes.
fn count(answers: &mut Answers, real: Interval, chosen: Interval) {
    *match (real, chosen) {
        (Interval::First, Interval::First) => &mut answers.hits,
        (Interval::First, Interval::Second) => &mut answers.misses,
        (Interval::Second, Interval::First) => &mut answers.false_alarms,
        (Interval::Second, Interval::Second) => &mut answers.correct_rejections,
    } += 1;
}
