//! Regression tests for faults that were found by fuzzing.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use hype_core::model::findings::Exclusion;
use hype_core::model::trial::{ChoiceOption, Form};
use hype_core::plugin::aggregator::{AggregateError, Aggregated, Aggregation};
use hype_core::plugin::rubric::{ScoreError, Scoring};
use hype_core::study::session::{Accepted, Rejected};
use hype_core::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Asks for a side and a number repeatedly.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Sides {
    trials: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Answer {
    side: Side,
    #[serde(default)]
    sure: Option<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Side {
    Left,
    Right,
}

impl Task for Sides {
    type State = u32;
    type Answer = Answer;

    const VERSION: u32 = 1;

    fn check(&self, _: &Design<'_>, _: &mut Diagnostics) {}

    fn start(&self, _: &Inputs<'_>, _: &Streams) -> Result<u32, StartError> {
        Ok(0)
    }

    fn next(&self, &answered: &u32) -> Next {
        if answered == self.trials {
            return Next::End(Ending::Completed);
        }
        let option = |text: &str| ChoiceOption::new(text, text, None);
        let question = |id: &str, form| Question::new(id, id, form);
        let questions = [
            question("side", Form::Choice { options: vec![option("left"), option("right")] }),
            question("sure", Form::Number { minimum: 0.0, maximum: 1.0, whole: false }),
        ];
        Next::Trial(Trial::new(Vec::new(), questions).in_block(0, answered, self.trials))
    }

    fn truth(&self, _: &u32) -> Truth {
        Truth::default()
    }

    fn answer(&self, answered: &mut u32, _: Answer, _: &Timing) -> Result<Verdict, Refusal> {
        *answered += 1;
        Ok(Verdict::default())
    }

    fn defaults(&self) -> Defaults {
        Defaults::new(
            Nothing {},
            "nothing",
            Raters { per_model: 2, qualification: None, payment: None, ..Raters::default() },
        )
    }

    fn profile(&self, _: &Design<'_>) -> Profile {
        Profile::new(self.trials)
    }
}

register_task!(
    Sides,
    "sides",
    summary = "A task for tests",
    citation = "",
    example = "{ kind: sides, trials: 3 }"
);

/// Measures nothing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Nothing {}

impl Rubric for Nothing {
    fn check(&self, _: &Description, _: &mut Diagnostics) {}

    fn measures(&self) -> Vec<Measure> {
        Vec::new()
    }

    fn score(&self, _: &SessionRecord, _: &Scoring<'_>, _: &mut ScoreTable) -> Result<(), ScoreError> {
        Ok(())
    }
}

register_rubric!(Nothing, "nothing", summary = "Nothing", citation = "", example = "{ kind: nothing }");

impl Aggregator for Nothing {
    type Sums = ();

    fn check(&self, _: &[Measure], _: &mut Diagnostics) {}

    fn begin(&self, _: &Aggregation) {}

    fn add(&self, (): &mut (), _: &ScoreTable) -> Result<(), AggregateError> {
        Ok(())
    }

    fn findings(&self, (): (), _: &[Exclusion], _: &Streams) -> Result<Aggregated, AggregateError> {
        Ok(Aggregated::default())
    }
}

register_aggregator!(Nothing, "nothing", summary = "Nothing", citation = "", example = "{ kind: nothing }");

fn study() -> Study {
    let sets = vec![StimulusSet::new("gan", Role::Generated, Use::Main)];
    let stimuli = Stimuli::new(sets, Vec::new()).unwrap();
    Study::new(Spec::new("sides", 1, Box::new(Sides { trials: 2 })), stimuli).unwrap()
}

/// Answers that a rubric could not read never enter a log, even if serde accepts them. A single such report once made a
/// whole study impossible to score.
#[test]
fn answers_in_another_form_than_their_questions_are_refused() {
    let study = study();
    let (mut session, _) = Session::open(&study, "r1", 0, 0).unwrap();
    let before = format!("{session:?}");
    let misshapen = [
        json!({ "side": { "left": null } }),
        json!(["left"]),
        json!(["left", 0.5]),
        json!({ "side": "left", "sure": null }),
        json!({ "side": "left", "sure": "1" }),
        Value::Null,
    ];
    for answer in misshapen {
        let result = session.handle_answer(0, answer.clone(), Timing::default());
        assert!(matches!(result, Err(Rejected::Refused { reported: 0, .. })), "{answer} gives {result:?}");
        assert_eq!(format!("{session:?}"), before, "{answer}");
    }
    for (trial, answer) in
        [json!({ "side": "left" }), json!({ "side": "right", "sure": 1 })].into_iter().enumerate()
    {
        let result = session.handle_answer(trial as u32, answer.clone(), Timing::default());
        assert!(matches!(result, Ok(Accepted::Recorded(_))), "{answer} gives {result:?}");
    }
}

#[test]
fn logs_with_answers_in_another_form_are_not_replayed() {
    let study = study();
    let (mut session, mut log) = Session::open(&study, "r1", 0, 0).unwrap();
    let Ok(Accepted::Recorded(recorded)) =
        session.handle_answer(0, json!({ "side": "left" }), Timing::default())
    else {
        panic!("a valid answer is refused");
    };
    log.extend(recorded.into_events());
    assert!(Session::replay(&study, log.clone()).is_ok());
    let Some(Event::Answered(answered)) = log.last_mut() else { panic!("the last event is an answer") };
    answered.answer = json!({ "side": { "left": null } }).into();
    let result = Session::replay(&study, log);
    assert!(
        matches!(result, Err(hype_core::study::session::ReplayError::Rejected { index: 1, .. })),
        "{result:?}"
    );
}
