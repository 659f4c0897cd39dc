// A small task for tests: is an image real, or which of two is, with an exposure that follows the answers.

use std::sync::Arc;

use hype_core::Qualification;
use hype_core::model::stimulus::Use;
use hype_core::model::trial::{Candidate, ChoiceOption, Form, Part, Phase};
use hype_core::{
    AggregateError, Aggregated, Aggregation, Aggregator, Answer, Defaults, Description, Design, Diagnostics,
    Direction, Ending, Exclusion, Inputs, Measure, Millis, Next, Profile, Question, Raters, Refusal, Role,
    Rubric, ScoreError, ScoreTable, Scoring, SessionRecord, SetId, StartError, StimulusId, Streams, Task,
    Timing, Trial, Truth, Verdict, register_aggregator, register_rubric, register_task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Real or generated, for a number of trials.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TwoChoice {
    /// Trials in the main phase.
    #[schemars(range(min = 1, max = 100_000))]
    pub(crate) trials: u32,
    /// Whether the exposure is limited.
    pub(crate) timed: bool,
    /// Whether a real and a generated image are shown side by side.
    pub(crate) beside: bool,
}

impl Default for TwoChoice {
    fn default() -> Self {
        Self { trials: 12, timed: true, beside: false }
    }
}

/// The answer.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Judgment {
    pub(crate) seen: Arc<str>,
}

/// The stimuli of one trial, and the right option.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Showing {
    pub(crate) images: Vec<(StimulusId, SetId)>,
    pub(crate) right: &'static str,
}

/// The changing state.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    pub(crate) showings: Arc<[Showing]>,
    pub(crate) model: Option<SetId>,
    pub(crate) qualification: u32,
    pub(crate) answered: u32,
    pub(crate) exposure: Millis,
}

impl State {
    /// The current stimulus; images repeat if there are too few.
    pub(crate) fn showing(&self) -> &Showing {
        &self.showings[self.answered as usize % self.showings.len()]
    }
}

impl TwoChoice {
    fn total(&self, design: &Design<'_>) -> u32 {
        self.trials + design.raters.qualification.as_ref().map_or(0, |qualification| qualification.trials)
    }

    fn options(&self) -> [&'static str; 2] {
        if self.beside { ["A", "B"] } else { ["real", "generated"] }
    }

    fn question(&self) -> Question {
        let options = self.options().into_iter().zip(['j', 'f']);
        let options = options.map(|(value, key)| ChoiceOption::new(value, value, Some(key))).collect();
        let text = if self.beside { "Which is a photograph?" } else { "Is this a photograph?" };
        Question::new("seen", text, Form::Choice { options })
    }

    fn showings(
        &self,
        real: SetId,
        model: Option<SetId>,
        design: &Design<'_>,
        chance: &Streams,
    ) -> Vec<Showing> {
        let shuffled = |set: SetId, purpose: &str| {
            let mut members = design.stimuli.members(set).to_vec();
            chance.stream(purpose).shuffle(&mut members);
            members.into_iter().map(move |id| (id, set))
        };
        let reals = shuffled(real, "real");
        let generated = model.into_iter().flat_map(|model| shuffled(model, "generated"));
        if self.beside {
            let mut sides = chance.stream("sides");
            let pair = |(real, generated)| match sides.below(2) {
                0 => Showing { images: vec![real, generated], right: "A" },
                _ => Showing { images: vec![generated, real], right: "B" },
            };
            return reals.zip(generated).map(pair).collect();
        }
        let mut all: Vec<Showing> = reals
            .map(|image| Showing { images: vec![image], right: "real" })
            .chain(generated.map(|image| Showing { images: vec![image], right: "generated" }))
            .collect();
        chance.stream("order").shuffle(&mut all);
        all
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
        let design = &inputs.design;
        let real =
            design.stimuli.sets_with(Role::Real, Use::Main).next().ok_or(StartError("no reals".into()))?;
        let model = inputs.place.models.first().copied();
        let qualification = self.total(design) - self.trials;
        Ok(State {
            showings: self.showings(real, model, design, chance).into(),
            model,
            qualification,
            answered: if inputs.is_qualified { qualification } else { 0 },
            exposure: Millis(500),
        })
    }

    fn next(&self, state: &State) -> Next {
        let main = state.answered.checked_sub(state.qualification);
        if main.is_some_and(|answered| answered >= self.trials) {
            return Next::End(Ending::Completed);
        }
        let exposure = (self.timed && main.is_some()).then_some(state.exposure);
        let images = &state.showing().images;
        let part = if self.beside {
            let label = |(label, &(stimulus, _)): (&str, &(StimulusId, SetId))| Candidate {
                label: label.into(),
                stimulus,
            };
            Part::Gallery {
                candidates: self.options().into_iter().zip(images).map(label).collect(),
                exposure,
            }
        } else {
            Part::Stimulus { stimulus: images[0].0, exposure }
        };
        Next::Trial(
            Trial::new(vec![part], [self.question()])
                .in_block(
                    0,
                    main.unwrap_or(state.answered),
                    if main.is_some() { self.trials } else { state.qualification },
                )
                .in_phase(if main.is_some() { Phase::Main } else { Phase::Qualification }),
        )
    }

    fn truth(&self, state: &State) -> Truth {
        let Showing { images, right } = state.showing();
        let role = match *right {
            "real" => Some(Role::Real),
            "generated" => Some(Role::Generated),
            _ => None,
        };
        Truth {
            model: state.model,
            role,
            answer: Some(Answer::one("seen", *right)),
            shown: if self.beside { images.iter().map(|&(_, set)| set).collect() } else { Vec::new() },
            ..Truth::default()
        }
    }

    fn answer(&self, state: &mut State, answer: Judgment, _: &Timing) -> Result<Verdict, Refusal> {
        if !self.options().contains(&&*answer.seen) {
            return Err(Refusal("there is no such option".into()));
        }
        let correct = *answer.seen == *state.showing().right;
        // Raters who have qualified elsewhere begin with the same exposure.
        if state.answered >= state.qualification {
            let change: i32 = if correct { -10 } else { 30 };
            state.exposure = Millis(state.exposure.0.saturating_add_signed(change).clamp(100, 1000));
        }
        state.answered += 1;
        Ok(Verdict { correct: Some(correct) })
    }

    fn defaults(&self) -> Defaults {
        let qualification = Some(Qualification { trials: 6, ..Qualification::default() });
        Defaults::new(
            NoRubric {},
            "no_aggregator",
            Raters { per_model: 4, qualification, ..Raters::default() },
        )
    }

    fn profile(&self, design: &Design<'_>) -> Profile {
        Profile::new(self.total(design))
    }
}

register_task!(
    TwoChoice,
    "two_choice",
    summary = "Real or generated",
    citation = "",
    example = "{ kind: two_choice, trials: 20 }"
);

/// A rubric that scores nothing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct NoRubric {}

impl Rubric for NoRubric {
    fn check(&self, _: &Description, _: &mut Diagnostics) {}

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

/// An aggregator that aggregates nothing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct NoAggregator {}

impl Aggregator for NoAggregator {
    type Sums = ();

    fn begin(&self, _: &Aggregation) {}

    fn add(&self, (): &mut (), _: &ScoreTable) -> Result<(), AggregateError> {
        unreachable!("these tests aggregate nothing")
    }

    fn findings(&self, (): (), _: &[Exclusion], _: &Streams) -> Result<Aggregated, AggregateError> {
        unreachable!("these tests aggregate nothing")
    }
}

register_aggregator!(
    NoAggregator,
    "no_aggregator",
    summary = "Aggregates nothing",
    citation = "",
    example = "{ kind: no_aggregator }"
);
