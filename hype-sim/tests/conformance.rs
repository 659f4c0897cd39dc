//! The conformance suite passes a sound task, and says what is wrong with unsound ones.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "support/two_choice.rs"]
mod two_choice;

use std::borrow::Cow;

use hype_core::{
    Defaults, Design, Diagnostics, Inputs, Next, Profile, Refusal, StartError, Streams, Task, Timing, Truth,
    Verdict, register_task,
};
use hype_sim::conformance::{CHECKS, Subject};
use hype_sim::{fixtures, task_conformance};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use two_choice::{Fault, Judgment, State, TwoChoice};

task_conformance!(
    with_qualification,
    task = TwoChoice::default(),
    stimuli = fixtures::stimuli(12, &[("wgan", 12), ("stylegan", 12)]),
);

task_conformance!(
    without_qualification_and_limit,
    task = TwoChoice { timed: false, ..TwoChoice::default() },
    stimuli = fixtures::stimuli(12, &[("wgan", 12)]),
    raters = Raters { per_model: 1, qualification: None, payment: None, ..Raters::default() },
);

/// Runs one check on a task with a fault, and looks for the reason.
fn check(fault: Fault, name: &str, reason: &str) {
    let task = TwoChoice { fault, ..TwoChoice::default() };
    expect_reason(&Subject::new(&task, fixtures::stimuli(12, &[("wgan", 12)])), name, reason);
}

fn expect_reason(subject: &Subject, name: &str, reason: &str) {
    let (_, check) = CHECKS.iter().find(|(known, _)| *known == name).unwrap();
    let found = check(subject).expect_err(name);
    assert!(found.contains(reason), "{name} says: {found}");
}

#[test]
fn an_impure_next_is_found() {
    check(Fault::ImpureNext, "next_changes_nothing", "asked twice what comes next");
    check(Fault::ImpureNext, "replays_from_every_cut", "or the trials differ");
}

#[test]
fn a_refusal_that_changes_the_state_is_found() {
    check(Fault::MutatesOnRefusal, "rejections_change_nothing", "changes the state");
}

#[test]
fn an_answer_that_should_be_refused_is_found() {
    check(Fault::TakesAnyOption, "rejections_change_nothing", "is accepted, although `seen` is \"\"");
}

#[test]
fn a_session_without_an_end_is_found() {
    check(Fault::NeverEnds, "every_rater_comes_to_an_end", "more than its bound of 18 trials");
    check(Fault::EndsAsLeft, "every_rater_comes_to_an_end", "although nobody left");
}

#[test]
fn a_text_that_names_the_model_is_found() {
    check(Fault::NamesTheModel, "pages_see_no_secrets", "tells the secret `qzx-set-1-xzq`");
}

#[test]
fn an_order_that_ignores_the_seed_is_found() {
    check(Fault::IgnoresTheSeed, "seeds_decide_sessions", "two seeds give the same trials");
}

#[test]
fn copies_that_share_their_state_are_found() {
    check(Fault::SharesState, "forks_are_independent", "changes the original");
}

#[test]
fn a_state_that_depends_on_the_world_is_found() {
    check(Fault::ReadsTheWorld, "replays_from_every_cut", "");
    check(Fault::ReadsTheWorld, "seeds_decide_sessions", "the same seed gives different logs");
}

#[test]
fn a_design_that_the_task_refuses_is_said() {
    let subject = Subject::new(&TwoChoice::default(), fixtures::sets(&[]));
    expect_reason(&subject, "repeats_are_harmless", "no set of stimuli has `role: generated`");
}

/// A task whose example and whose answers' schema are wrong.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Misprinted {
    inner: TwoChoice,
}

/// An answer whose schema says something else.
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
