//! A small task for tests of drivers: its next trial depends on the answers so far.

use std::sync::Arc;

use hype_core::model::trial::{ChoiceOption, Feedback, Form, Part, Phase, Rest};
use hype_core::plugin::aggregator::{AggregateError, Aggregated, Aggregation};
use hype_core::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Asks `real` or `fake` at an exposure that depends on the answers so far. The first trials are a qualification.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SmallTask {
    /// Trials of the main phase.
    pub(crate) trials: u32,
    /// Trials of the qualification.
    #[serde(default)]
    pub(crate) qualifying: u32,
    /// Right answers required to qualify.
    #[serde(default)]
    pub(crate) needed: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    answered: u32,
    correct: u32,
    exposure: u32,
    draw: Draw,
    questions: Arc<[Question]>,
}

#[derive(Debug, Clone)]
pub(crate) struct Draw(Stream, StimulusId);

impl PartialEq for Draw {
    fn eq(&self, other: &Self) -> bool {
        self.1 == other.1
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    judgment: Judgment,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Judgment {
    Real,
    Fake,
}

impl SmallTask {
    fn phase(&self, state: &State) -> Phase {
        if state.answered < self.qualifying { Phase::Qualification } else { Phase::Main }
    }
}

fn is_fake(state: &State) -> bool {
    state.draw.1.0 >= 4
}

impl Task for SmallTask {
    type State = State;
    type Answer = Answer;
    const VERSION: u32 = 1;

    fn check(&self, _: &Design<'_>, _: &mut Diagnostics) {}

    fn check_raters(&self, _: &Design<'_>, _: &mut Diagnostics) {}

    fn start(&self, _: &Inputs<'_>, chance: &Streams) -> Result<State, StartError> {
        let option = |text: &str| ChoiceOption::new(text, text, None);
        let form = Form::Choice { options: vec![option("real"), option("fake")] };
        let question = Question::new("judgment", "real or fake?", form);
        let mut stream = chance.stream("stimuli");
        let first = StimulusId(stream.below(8));
        Ok(State {
            answered: 0,
            correct: 0,
            exposure: 500,
            draw: Draw(stream, first),
            questions: [question].into(),
        })
    }

    fn next(&self, state: &State) -> Next {
        if state.answered == self.qualifying && state.correct < self.needed {
            return Next::End(Ending::Disqualified);
        }
        if state.answered == self.qualifying + self.trials {
            return Next::End(Ending::Completed);
        }
        Next::Trial(
            Trial::new(
                vec![
                    Part::Countdown { from: 3, each: Millis(500) },
                    Part::Stimulus { stimulus: state.draw.1, exposure: Some(Millis(state.exposure)) },
                    Part::Masks { count: 5, each: Millis(30) },
                ],
                Arc::clone(&state.questions),
            )
            .in_block(0, state.answered, self.trials)
            .in_phase(self.phase(state))
            .with_rest((state.answered % 10 == 9).then_some(Rest { at_most: Millis(60_000) }))
            .with_feedback((state.answered.is_multiple_of(2)).then_some(Feedback { shown: Millis(700) })),
        )
    }

    fn truth(&self, state: &State) -> Truth {
        let fake = is_fake(state);
        Truth {
            model: fake.then_some(SetId(1)),
            role: Some(if fake { Role::Generated } else { Role::Real }),
            answer: Some(hype_core::Answer::one("judgment", if fake { "fake" } else { "real" })),
            ..Truth::default()
        }
    }

    fn answer(&self, state: &mut State, answer: Answer, _: &Timing) -> Result<Verdict, Refusal> {
        let right = (answer.judgment == Judgment::Fake) == is_fake(state);
        state.exposure = if right { (state.exposure - 10).max(100) } else { state.exposure + 30 };
        state.answered += 1;
        state.correct += u32::from(right);
        let stimulus = state.draw.0.below(8);
        state.draw.1 = StimulusId(stimulus);
        Ok(Verdict { correct: Some(right) })
    }

    fn defaults(&self) -> Defaults {
        let raters =
            Raters { per_model: 8, replacements: 2, qualification: None, payment: None, ..Raters::default() };
        Defaults::new(Nothing {}, "nothing", raters)
    }

    fn profile(&self, _: &Design<'_>) -> Profile {
        Profile::new(self.qualifying + self.trials)
    }
}

register_task!(
    SmallTask,
    "toy",
    summary = "A task for tests",
    citation = "",
    example = "{ kind: toy, trials: 3 }"
);

/// Measures nothing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Nothing {}

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

    fn findings(
        &self,
        (): (),
        _: &[hype_core::model::findings::Exclusion],
        _: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        Ok(Aggregated::default())
    }
}

register_aggregator!(Nothing, "nothing", summary = "Nothing", citation = "", example = "{ kind: nothing }");

/// A study of four real images and four of a model.
pub(crate) fn study(task: impl TaskSpec, change: impl FnOnce(&mut Spec)) -> Study {
    let set = |name: &str, role| StimulusSet::new(name, role, Use::Main);
    let items = (0..8_u16).map(|n| {
        Stimulus::new(
            SetId(n / 4),
            Digest::of(&n.to_le_bytes()),
            format!("{n}.png"),
            Media::Image { width: 8, height: 8 },
        )
    });
    let sets = vec![set("real", Role::Real), set("gan", Role::Generated)];
    let stimuli = Stimuli::new(sets, items.collect()).expect("the sets exist");
    let mut spec = Spec::new("toy", 7, Box::new(task));
    change(&mut spec);
    Study::new(spec, stimuli).expect("the study has no faults")
}
