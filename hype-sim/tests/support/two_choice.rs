// A small task for tests: real or generated, with an exposure that follows the answers. It can be told to
// misbehave.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hype_core::model::stimulus::Use;
use hype_core::model::trial::{ChoiceOption, Form, Part, Phase};
use hype_core::plugin::aggregator::Accumulator;
use hype_core::study::spec::Qualification;
use hype_core::{
    Aggregation, Design, Diagnostics, Direction, Ending, ErasedAggregator, ErasedRubric, ErasedTask, Inputs,
    Measure, Millis, Next, Question, Raters, Refusal, Role, Rubric, ScoreError, ScoreTable, Scoring,
    SessionRecord, SetId, StartError, StimulusId, Streams, Task, Timing, Trial, Truth, Verdict,
    register_rubric, register_task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// In which way the task misbehaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fault {
    /// In none.
    #[default]
    None,
    /// What comes next depends on how often that was asked.
    ImpureNext,
    /// A refused answer counts as a trial.
    MutatesOnRefusal,
    /// Options that were not offered are taken.
    TakesAnyOption,
    /// It never ends.
    NeverEnds,
    /// It ends as if the rater had left.
    EndsAsLeft,
    /// The question names the model.
    NamesTheModel,
    /// The order of stimuli does not depend on the seed.
    IgnoresTheSeed,
    /// Copies share a counter.
    SharesState,
    /// The state depends on something outside the session.
    ReadsTheWorld,
}

/// Real or generated, for a number of trials.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TwoChoice {
    /// Trials in the main phase.
    #[schemars(range(min = 1, max = 100_000))]
    pub(crate) trials: u32,
    /// Whether the exposure is limited.
    pub(crate) timed: bool,
    /// How it misbehaves.
    pub(crate) fault: Fault,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) world: Arc<AtomicU32>,
}

impl Default for TwoChoice {
    fn default() -> Self {
        Self { trials: 12, timed: true, fault: Fault::None, world: Arc::default() }
    }
}

/// The answer.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Judgment {
    seen: Arc<str>,
}

/// A counter that copies share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shared(Arc<AtomicU32>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        self.0.load(Ordering::SeqCst) == other.0.load(Ordering::SeqCst)
    }
}

/// Everything that changes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    order: Vec<(StimulusId, Role)>,
    names: Vec<Arc<str>>,
    model: Option<SetId>,
    qualification: u32,
    answered: u32,
    right: u32,
    exposure: Millis,
    shared: Shared,
}

impl TwoChoice {
    fn total(&self, design: &Design<'_>) -> u32 {
        self.trials + design.raters.qualification.as_ref().map_or(0, |qualification| qualification.trials)
    }

    fn question(&self, state: &State) -> Question {
        let text = match (self.fault, state.model) {
            (Fault::NamesTheModel, Some(model)) => {
                format!("Is this by {}?", state.names[usize::from(model.0)])
            }
            _ => "Is this a photograph?".to_owned(),
        };
        let option =
            |value: &str, label: &str, key| ChoiceOption { value: value.into(), label: label.into(), key };
        let options = vec![option("real", "yes", Some('j')), option("generated", "no", Some('f'))];
        Question::new("seen", &text, Form::Choice { options })
    }
}

impl Task for TwoChoice {
    type State = State;
    type Answer = Judgment;
    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        if design.stimuli.sets_with(Role::Real, Use::Main).next().is_none() {
            at.error("no-real-stimuli", "there are no real stimuli");
        }
    }

    fn check_raters(&self, _: &Design<'_>, _: &mut Diagnostics) {}

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<State, StartError> {
        let stimuli = inputs.design.stimuli;
        let real = stimuli.sets_with(Role::Real, Use::Main).next().ok_or(StartError("no reals".into()))?;
        let model = inputs.place.models.first().copied();
        let mut order: Vec<(StimulusId, Role)> =
            stimuli.members(real).iter().map(|&id| (id, Role::Real)).collect();
        order.extend(model.iter().flat_map(|&model| stimuli.members(model)).map(|&id| (id, Role::Generated)));
        let chance = if self.fault == Fault::IgnoresTheSeed { Streams::new(0) } else { chance.clone() };
        chance.stream("order").shuffle(&mut order);
        Ok(State {
            order,
            names: stimuli.sets().iter().map(|set| Arc::clone(&set.name)).collect(),
            model,
            qualification: self.total(&inputs.design) - self.trials,
            answered: 0,
            right: 0,
            exposure: Millis(500),
            shared: Shared::default(),
        })
    }

    fn next(&self, state: &State) -> Next {
        let total = state.qualification + self.trials;
        if state.answered >= total && self.fault != Fault::NeverEnds {
            let left = self.fault == Fault::EndsAsLeft;
            return Next::End(if left { Ending::Left } else { Ending::Completed });
        }
        let main = state.answered >= state.qualification;
        let mut exposure = state.exposure;
        if self.fault == Fault::ImpureNext {
            exposure.0 += self.world.fetch_add(1, Ordering::SeqCst);
        }
        let (stimulus, _) = state.order[state.answered as usize % state.order.len()];
        Next::Trial(Trial {
            number: 0,
            phase: if main { Phase::Main } else { Phase::Qualification },
            block: 0,
            block_trials: total,
            in_block: state.answered,
            rest: None,
            parts: vec![Part::Image { stimulus, exposure: (self.timed && main).then_some(exposure) }],
            questions: Arc::new([self.question(state)]),
            feedback: None,
        })
    }

    fn truth(&self, state: &State) -> Truth {
        let (_, role) = state.order[state.answered as usize % state.order.len()];
        let value = if role == Role::Real { "real" } else { "generated" };
        Truth {
            model: state.model,
            role: Some(role),
            answer: Some(Arc::new(json!({ "seen": value }))),
            ..Truth::default()
        }
    }

    fn answer(&self, state: &mut State, answer: Judgment, _: &Timing) -> Result<Verdict, Refusal> {
        let known = ["real", "generated"].contains(&&*answer.seen);
        if !known && self.fault == Fault::MutatesOnRefusal {
            state.answered += 1;
        }
        if !known && self.fault != Fault::TakesAnyOption {
            return Err(Refusal("there is no such option".into()));
        }
        let (_, role) = state.order[state.answered as usize % state.order.len()];
        let correct = (&*answer.seen == "real") == (role == Role::Real);
        state.right += u32::from(correct);
        state.answered += 1;
        let change: i32 = if correct { -10 } else { 30 };
        state.exposure = Millis(state.exposure.0.saturating_add_signed(change).clamp(100, 1000));
        if self.fault == Fault::SharesState {
            state.shared.0.fetch_add(1, Ordering::SeqCst);
        }
        if self.fault == Fault::ReadsTheWorld {
            state.exposure.0 += self.world.fetch_add(1, Ordering::SeqCst);
        }
        Ok(Verdict { correct: Some(correct) })
    }

    fn trials_at_most(&self, design: &Design<'_>) -> u32 {
        self.total(design)
    }

    fn rubric(&self) -> Box<dyn ErasedRubric> {
        Box::new(NoRubric {})
    }

    fn aggregator(&self) -> Box<dyn ErasedAggregator> {
        Box::new(NoAggregator {})
    }

    fn raters(&self) -> Raters {
        Raters {
            per_model: 4,
            qualification: Some(Qualification { trials: 6, ..Qualification::default() }),
            ..Raters::default()
        }
    }
}

register_task!(
    TwoChoice,
    "two_choice",
    summary = "Real or generated",
    citation = "",
    example = "{ kind: two_choice, trials: 20 }"
);

/// A rubric of tests that score nothing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct NoRubric {}

impl Rubric for NoRubric {
    fn check(&self, _: &dyn ErasedTask, _: &mut Diagnostics) {}

    fn measures(&self) -> Vec<Measure> {
        vec![Measure::new("nothing", "nothing", "", Direction::Neither)]
    }

    fn score(&self, _: &SessionRecord, _: &Scoring<'_>, _: &mut ScoreTable) -> Result<(), ScoreError> {
        Ok(())
    }
}

register_rubric!(
    NoRubric,
    "no_rubric",
    summary = "Scores nothing",
    citation = "",
    example = "{ kind: no_rubric }"
);

/// An aggregator of tests that aggregate nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct NoAggregator {}

#[typetag::serde(name = "no_aggregator")]
impl ErasedAggregator for NoAggregator {
    fn check(&self, _: &[Measure], _: &mut Diagnostics) {}

    fn begin(&self, _: &Aggregation) -> Box<dyn Accumulator> {
        unreachable!("these tests aggregate nothing")
    }

    fn boxed_clone(&self) -> Box<dyn ErasedAggregator> {
        Box::new(self.clone())
    }
}
