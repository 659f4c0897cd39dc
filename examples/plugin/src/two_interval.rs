//! The task `two_interval`, which of two images is real, and its rubric.

use std::sync::Arc;

use hype::prelude::*;

use crate::median::MedianByModel;

/// Two-interval forced choice: a real and a generated image one after the other, in either order.
///
/// The fields are the settings in YAML. What a spec leaves out is taken from [`Default`]; unknown fields are refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "hype::serde", default, deny_unknown_fields)]
#[schemars(crate = "hype::schemars")]
pub struct TwoInterval {
    /// Pairs for each model that a rater judges.
    pub trials: Bounded<2, 10_000>,
    /// How long each image is shown, in milliseconds; a mask of 100 ms follows it.
    pub exposure_ms: Bounded<1, 60_000>,
}

impl Default for TwoInterval {
    fn default() -> Self {
        Self { trials: 40.into(), exposure_ms: 500.into() }
    }
}

/// A rater's answer. Its fields are the questions of a trial by their keys.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "hype::serde", deny_unknown_fields)]
#[schemars(crate = "hype::schemars")]
pub struct Choice {
    /// The image taken for the real one.
    pub real: Order,
}

/// One of the two images, by when it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "hype::serde", rename_all = "lowercase")]
#[schemars(crate = "hype::schemars")]
pub enum Order {
    /// The first image.
    First,
    /// The second image.
    Second,
}

/// The trials of a session (model, images in the order shown, which is real), and how many are answered.
#[derive(Debug, Clone, PartialEq)]
pub struct TwoIntervalState {
    trials: Arc<[(SetId, [StimulusId; 2], Order)]>,
    answered: usize,
}

impl Task for TwoInterval {
    type State = TwoIntervalState;
    type Answer = Choice;
    const VERSION: u32 = 1;

    // All chance comes from the streams that are passed in, one for each purpose.
    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<TwoIntervalState, StartError> {
        let stimuli = inputs.design.stimuli;
        let mut real: Vec<StimulusId> = stimuli.real().collect();
        chance.stream("real").shuffle(&mut real);
        let mut trials = Vec::new();
        for &model in &inputs.place.models {
            let chance = chance.child("model", u64::from(model.0));
            let mut generated = stimuli.members(model).to_vec();
            chance.stream("generated").shuffle(&mut generated);
            let orders = [Order::First, Order::Second].into_iter().cycle();
            let mut orders: Vec<Order> = orders.take(self.trials.get() as usize).collect();
            chance.stream("orders").shuffle(&mut orders);
            for (order, generated) in orders.into_iter().zip(generated) {
                let real = real.pop().ok_or(StartError("there are too few real images".into()))?;
                let shown = if order == Order::First { [real, generated] } else { [generated, real] };
                trials.push((model, shown, order));
            }
        }
        Ok(TwoIntervalState { trials: trials.into(), answered: 0 })
    }

    fn next(&self, state: &TwoIntervalState) -> Next {
        let Some((_, shown, _)) = state.trials.get(state.answered) else {
            return Next::End(Ending::Completed);
        };
        let exposure = Some(Millis(self.exposure_ms.get()));
        let [first, second] = shown.map(|stimulus| Part::Stimulus { stimulus, exposure });
        let mask = Part::Masks { count: 1, each: Millis(100) };
        let options = [("first", "The first", '1'), ("second", "The second", '2')];
        let options = options.map(|(value, label, key)| ChoiceOption::new(value, label, Some(key))).into();
        let question = Question::new("real", "Which of the two images is real?", Form::Choice { options });
        let (answered, trials) = (state.answered as u32, self.trials.get());
        let trial = Trial::new(vec![first, mask.clone(), second, mask], [question]);
        Next::Trial(trial.in_block((answered / trials) as u16, answered % trials, trials))
    }

    // Synthetic raters read the right answer here; a person's page never receives it.
    fn truth(&self, state: &TwoIntervalState) -> Truth {
        let trial = state.trials.get(state.answered);
        let answer = trial.and_then(|&(_, _, real)| Answer::of(&Choice { real }));
        Truth { model: trial.map(|&(model, ..)| model), answer, ..Truth::default() }
    }

    fn answer(&self, state: &mut TwoIntervalState, answer: Choice, _: &Timing) -> Result<Verdict, Refusal> {
        let correct = state.trials.get(state.answered).map(|&(_, _, real)| real == answer.real);
        state.answered += 1;
        Ok(Verdict { correct })
    }

    // The default of `Raters` is HYPE's protocol, whose qualification this task does not have.
    fn defaults(&self) -> Defaults {
        let raters = Raters { qualification: None, ..Raters::default() };
        Defaults::new(TwoIntervalRubric::default(), MedianByModel::default(), raters)
    }

    fn profile(&self, design: &Design<'_>) -> Profile {
        let trials = self.trials.get().saturating_mul(design.models_of_a_rater());
        let chance_level = Fact::new("chance_level", "share of right choices by guessing", 0.5);
        Profile::new(trials).pace(Pace { limits_exposure: true, masks: true }).facts(vec![chance_level])
    }

    // By this a rubric knows whether it can score the task.
    fn describe(&self) -> Description {
        Description::asking(["real"])
    }

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        self.trials.check("trials", at);
        self.exposure_ms.check("exposure_ms", at);
        design.check_stimuli(self.trials.get(), self.profile(design).trials_at_most, at);
    }
}

register_task!(
    TwoInterval,
    "two_interval",
    summary = "Two images, one real and one generated, one after the other: which one is real?",
    citation = "Green & Swets 1966, Signal Detection Theory and Psychophysics, chapter 2",
    example = "{ kind: two_interval, trials: 40, exposure_ms: 500 }",
);

/// The rubric of the task `two_interval`: the share of right choices, by image. It has no settings.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "hype::serde", default, deny_unknown_fields)]
#[schemars(crate = "hype::schemars")]
pub struct TwoIntervalRubric {}

impl Rubric for TwoIntervalRubric {
    // A spec whose task does not ask this question is refused.
    fn reads(&self) -> Reads {
        Reads::answers(["real"])
    }

    fn measures(&self) -> Vec<Measure> {
        vec![Measure::new("correct", "right choices (chance: 0.5)", "proportion", Direction::Lower)]
    }

    // A log has the stimuli in the order shown, the model, the answer, and whether it was right.
    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        for answered in session.main_trials() {
            let (Some(model), Some(correct)) = (answered.shown.model, answered.correct) else {
                return Err(ScoreError::new(session, answered, "the log lacks the model or the verdict"));
            };
            let is_generated = |id: &&StimulusId| context.role(**id) == Some(Role::Generated);
            let generated = answered.shown.stimuli.iter().find(is_generated);
            let value = f64::from(u8::from(correct));
            let row = Row::new(&session.header.rater, context.name(model), "correct", value);
            into.push(&row.of_item(generated.map_or("", |&id| context.stimuli.label(id))));
        }
        Ok(())
    }
}

register_rubric!(
    TwoIntervalRubric,
    "two_interval",
    summary = "The share of right choices between two images",
    citation = "Macmillan & Creelman 2005, Detection Theory: A User's Guide, chapter 7",
    example = "{ kind: two_interval }",
);
