//! The conformance suite passes a sound task and reports the faults of unsound ones.

use std::borrow::Cow;

use crate::two_choice::{Judgment, State, TwoChoice};
use hype_core::{
    Defaults, Design, Diagnostics, Inputs, Next, Profile, Raters, Refusal, StartError, Streams, Task, Timing,
    Truth, Verdict, register_task,
};
use hype_sim::conformance::{Subject, run};
use hype_sim::{fixtures, task_conformance};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

task_conformance!(
    with_qualification,
    task = TwoChoice::default(),
    stimuli = fixtures::stimuli(24, &[("wgan", 24), ("stylegan", 24)]),
);

task_conformance!(
    side_by_side,
    task = TwoChoice { beside: true, ..TwoChoice::default() },
    stimuli = fixtures::stimuli(24, &[("wgan", 24), ("stylegan", 24)]),
);

task_conformance!(
    without_qualification_and_limit,
    task = TwoChoice { timed: false, ..TwoChoice::default() },
    stimuli = fixtures::stimuli(12, &[("wgan", 12)]),
    raters = Raters { per_model: 1, qualification: None, payment: None, ..Raters::default() },
);

fn expect_reason(subject: &Subject, name: &str, reason: &str) {
    let found = run(name, subject).expect_err(name);
    assert!(found.contains(reason), "{name} says: {found}");
}

#[test]
fn refused_designs_are_reported() {
    let subject = Subject::new(&TwoChoice::default(), fixtures::sets(&[]));
    expect_reason(&subject, "repeats_are_harmless", "no set of stimuli has `role: generated`");
}

/// A task with a wrong example and a wrong schema of answers.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Misprinted {
    inner: TwoChoice,
}

/// An answer with a wrong schema.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Mislabelled(Judgment);

impl JsonSchema for Mislabelled {
    fn schema_name() -> Cow<'static, str> {
        "Mislabelled".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "properties": { "seen": { "type": "integer" } } })
    }
}

impl Task for Misprinted {
    type State = State;
    type Answer = Mislabelled;
    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        Task::check(&self.inner, design, at);
    }
    fn check_raters(&self, _: &Design<'_>, _: &mut Diagnostics) {}
    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<State, StartError> {
        Task::start(&self.inner, inputs, chance)
    }
    fn next(&self, state: &State) -> Next {
        self.inner.next(state)
    }
    fn truth(&self, state: &State) -> Truth {
        self.inner.truth(state)
    }
    fn answer(&self, state: &mut State, answer: Mislabelled, timing: &Timing) -> Result<Verdict, Refusal> {
        self.inner.answer(state, answer.0, timing)
    }
    fn defaults(&self) -> Defaults {
        Task::defaults(&self.inner)
    }
    fn profile(&self, design: &Design<'_>) -> Profile {
        Task::profile(&self.inner, design)
    }
}

register_task!(
    Misprinted,
    "misprinted",
    summary = "A task whose documents are wrong",
    citation = "",
    example = "{ kind: misprinted, inner: { trials: 0 } }"
);

#[test]
fn wrong_documents_are_found() {
    let subject = Subject::new(&Misprinted::default(), fixtures::stimuli(12, &[("wgan", 12)]));
    expect_reason(&subject, "example_fits_the_schema", "0 is less than the minimum of 1 at /inner/trials");
    expect_reason(&subject, "answers_fit_the_schema", "is not of type \"integer\" at /seen");
}
