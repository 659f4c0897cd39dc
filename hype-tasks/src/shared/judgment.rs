//! The judgment that both HYPE tasks ask for: real or generated.

use std::sync::{Arc, LazyLock};

use hype_core::model::score::{Direction, Measure, Row};
use hype_core::model::trial::{ChoiceOption, Form, Question};
use hype_core::plugin::rubric::Scoring;
use hype_core::{Answer, Answered, Basis, Role, ScoreTable, SessionRecord, SetId};
use hype_stats::detection::{Answers, detection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The key of the answer.
pub const JUDGMENT: &str = "judgment";

/// The name of the share judged wrong.
pub(crate) const ERROR: &str = "error";
/// The name of the share of fakes judged real.
pub(crate) const FAKES_ERROR: &str = "fakes_error";

/// A rater's answer: the class that the rater assigns to the stimulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judgment {
    /// `real` or `generated`.
    pub judgment: Role,
}

/// The question with its two options.
pub(crate) fn question() -> Arc<[Question]> {
    static QUESTION: LazyLock<Arc<[Question]>> = LazyLock::new(|| ask("Is this image real or fake?"));
    Arc::clone(&QUESTION)
}

/// A question with this text and the two options.
pub(crate) fn ask(text: &str) -> Arc<[Question]> {
    let options =
        vec![ChoiceOption::new("real", "Real", Some('r')), ChoiceOption::new("generated", "Fake", Some('f'))];
    Arc::new([Question::new(JUDGMENT, text, Form::Choice { options })])
}

/// The right answer for a stimulus of this role.
pub(crate) fn right_answer(role: Role) -> Answer {
    static RIGHT: LazyLock<[Answer; 2]> =
        LazyLock::new(|| ["real", "generated"].map(|value| Answer::one(JUDGMENT, value)));
    RIGHT[usize::from(role == Role::Generated)].clone()
}

/// The class that a logged answer gave the stimulus, whatever else it answers; `None` if the log contains another kind of
/// answer.
pub(crate) fn judged(answered: &Answered) -> Option<Role> {
    match answered.answer.text(JUDGMENT)? {
        "real" => Some(Role::Real),
        "generated" => Some(Role::Generated),
        _ => None,
    }
}

/// The measures of errors that both HYPE rubrics report.
pub(crate) struct Errors;

impl Errors {
    /// Errors by class, and d' and the criterion.
    pub(crate) fn measures() -> Vec<Measure> {
        vec![
            Measure::new(ERROR, "judged wrong", "proportion", Direction::Higher),
            Measure::new(FAKES_ERROR, "fakes judged real", "proportion", Direction::Higher),
            Measure::new("reals_error", "reals judged fake", "proportion", Direction::Higher),
            Measure::new("d_prime", "sensitivity d'", "d'", Direction::Lower)
                .based_on(Basis::Errors { misses: "fakes_error".into(), false_alarms: "reals_error".into() }),
            Measure::new("criterion", "criterion c (above 0: towards \"real\")", "c", Direction::Neither),
        ]
    }

    /// Adds the errors of a session: shares by item, d' and c for each model. Fails with the number of a trial whose
    /// log is incomplete.
    ///
    /// A hit is a fake judged fake, a false alarm a real judged fake.
    pub(crate) fn score(
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), u32> {
        let mut counts: Vec<(SetId, Counts)> = Vec::new();
        for answered in session.main_trials() {
            let missing = answered.trial;
            let model = answered.shown.model.ok_or(missing)?;
            let &stimulus = answered.shown.stimuli.first().ok_or(missing)?;
            let role = context.stimuli.set_of(stimulus).ok_or(missing)?.role;
            let judged = judged(answered).ok_or(missing)?;
            let wrong = judged != role;
            let by_class = if role == Role::Generated { FAKES_ERROR } else { "reals_error" };
            for measure in [ERROR, by_class] {
                into.push(&Row {
                    rater: &session.header.rater,
                    model: context.stimuli.set(model).map_or("", |set| &*set.name),
                    against: "",
                    item: context.stimuli.label(stimulus),
                    block: answered.shown.block,
                    measure,
                    value: f64::from(u8::from(wrong)),
                });
            }
            let index = counts.iter().position(|(counted, _)| *counted == model).unwrap_or_else(|| {
                counts.push((model, Counts::default()));
                counts.len() - 1
            });
            counts[index].1.count(role, judged);
        }
        for (model, counts) in counts {
            let Some((d_prime, criterion)) = counts.detection() else { continue };
            for (measure, value) in [("d_prime", d_prime), ("criterion", criterion)] {
                into.push(&Row {
                    rater: &session.header.rater,
                    model: context.stimuli.set(model).map_or("", |set| &*set.name),
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

/// Answers of one rater for one model, as signal detection counts them.
#[derive(Default)]
struct Counts {
    hits: u64,
    misses: u64,
    false_alarms: u64,
    correct_rejections: u64,
}

impl Counts {
    fn count(&mut self, role: Role, judged: Role) {
        *match (role, judged) {
            (Role::Generated, Role::Generated) => &mut self.hits,
            (Role::Generated, Role::Real) => &mut self.misses,
            (Role::Real, Role::Generated) => &mut self.false_alarms,
            (Role::Real, Role::Real) => &mut self.correct_rejections,
        } += 1;
    }

    /// d' and the criterion; `None` unless both classes were shown.
    fn detection(&self) -> Option<(f64, f64)> {
        let found = detection(Answers {
            hits: self.hits,
            misses: self.misses,
            false_alarms: self.false_alarms,
            correct_rejections: self.correct_rejections,
        })
        .ok()?;
        Some((found.d_prime, found.criterion))
    }
}
