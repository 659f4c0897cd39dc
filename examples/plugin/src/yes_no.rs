//! The task `yes_no`, is this image real, and its rubric, which may ask another rubric's questions on the same page.

use std::sync::Arc;

use hype::prelude::*;
use hype::tasks::questionnaires::PageAnswers;

/// Yes-no detection: real and generated images one at a time, half of each, for a limited time, then the rubric's questions.
#[settings]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YesNo {
    /// Images of each model that a rater judges, and as many real ones.
    pub pairs: Bounded<2, 5_000>,
    /// How long each image is shown, in milliseconds; a mask of 100 ms follows it.
    pub exposure_ms: Bounded<1, 60_000>,
}

impl Default for YesNo {
    fn default() -> Self {
        Self { pairs: 20.into(), exposure_ms: 500.into() }
    }
}

/// The trials of a session (the model judged, the image, its role), the page below each, and how many are answered.
#[derive(Debug, Clone, PartialEq)]
pub struct YesNoState {
    trials: Arc<[(SetId, StimulusId, Role)]>,
    questions: Arc<[Question]>,
    answered: usize,
}

impl YesNoState {
    /// The right answer to the current trial, if the page asks whether the image is real.
    fn right(&self) -> Option<&'static str> {
        self.questions.iter().find(|question| &*question.id == REAL)?;
        Some(if self.trials.get(self.answered)?.2 == Role::Real { "yes" } else { "no" })
    }
}

impl Task for YesNo {
    type State = YesNoState;
    type Answer = PageAnswers;
    const VERSION: u32 = 1;

    // All randomness comes from the streams that are passed in, one for each purpose.
    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<YesNoState, StartError> {
        let (stimuli, pairs) = (inputs.design.stimuli, self.pairs.get() as usize);
        let reals = stimuli.real_sets(&inputs.place.models).flat_map(|set| stimuli.members(set));
        let mut real: Vec<StimulusId> = reals.copied().collect();
        chance.stream("real").shuffle(&mut real);
        let mut trials = Vec::new();
        for &model in &inputs.place.models {
            // Where models have levels, such as a class, their outputs are shown with real images of the same levels.
            let sets: Vec<SetId> = stimuli.real_sets(&[model]).collect();
            let is_of_levels =
                |image: &mut StimulusId| stimuli.get(*image).is_some_and(|it| sets.contains(&it.set));
            let own: Vec<StimulusId> = real.extract_if(.., is_of_levels).take(pairs).collect();
            let chance = chance.child("model", u64::from(model.0));
            let mut generated = stimuli.members(model).to_vec();
            chance.stream("generated").shuffle(&mut generated);
            let mut block: Vec<_> = own.iter().map(|&image| (model, image, Role::Real)).collect();
            block.extend(generated.into_iter().take(pairs).map(|image| (model, image, Role::Generated)));
            chance.stream("order").shuffle(&mut block);
            trials.extend(block);
        }
        Ok(YesNoState { trials: trials.into(), questions: inputs.design.questions(), answered: 0 })
    }

    fn next(&self, state: &YesNoState) -> Next {
        let Some(&(_, stimulus, _)) = state.trials.get(state.answered) else {
            return Next::End(Ending::Completed);
        };
        let image = Part::Stimulus { stimulus, exposure: Some(Millis(self.exposure_ms.get())) };
        let mask = Part::Masks { count: 1, each: Millis(100) };
        let (answered, in_block) = (state.answered as u32, 2 * self.pairs.get());
        let trial = Trial::new(vec![image, mask], Arc::clone(&state.questions));
        Next::Trial(trial.in_block((answered / in_block) as u16, answered % in_block, in_block))
    }

    // Synthetic raters read the right answer here; a person's page never receives it.
    fn truth(&self, state: &YesNoState) -> Truth {
        let trial = state.trials.get(state.answered);
        let answer = state.right().map(|right| Answer::one(REAL, right));
        Truth { model: trial.map(|one| one.0), role: trial.map(|one| one.2), answer, ..Truth::default() }
    }

    fn answer(&self, state: &mut YesNoState, answer: PageAnswers, _: &Timing) -> Result<Verdict, Refusal> {
        answer.check(&state.questions)?;
        let correct = state.right().map(|right| answer.0.get(REAL).is_some_and(|given| given.is(right)));
        state.answered += 1;
        Ok(Verdict { correct })
    }

    // The default of `Raters` is HYPE's protocol, whose qualification this task does not have.
    fn defaults(&self) -> Defaults {
        let raters = Raters { qualification: None, ..Raters::default() };
        Defaults::new(YesNoRubric::default(), "median_by_model", raters)
    }

    fn profile(&self, design: &Design<'_>) -> Profile {
        let trials = self.pairs.get().saturating_mul(2 * design.models_of_a_rater());
        let chance_level = Fact::new("chance_level", "share of right answers by guessing", 0.5);
        Profile::new(trials)
            .pace(Pace { limits_exposure: true, masks: true })
            .facts(vec![chance_level])
            .settings(vec!["Half of the answers are right by chance.".into()])
    }

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        design.check_stimuli(self.pairs.get(), self.profile(design).trials_at_most / 2, at);
        design.check_questions(at);
    }

    fn describe(&self) -> Description {
        Description::asking_the_rubric(RatedStimuli { reals: true, ..RatedStimuli::default() })
    }
}

register_task!(
    YesNo,
    "yes_no",
    summary = "One image at a time, real or generated, for a limited time: is it real?",
    citation = "Green & Swets 1966, Signal Detection Theory and Psychophysics, chapter 2",
    example = "{ kind: yes_no, pairs: 20, exposure_ms: 500 }",
);

/// The question whether the image is real.
const REAL: &str = "real";

/// The rubric `yes_no`: whether the image is real, and the questions of another rubric below that one.
#[settings]
#[derive(Debug, Clone, Default)]
pub struct YesNoRubric {
    /// A questionnaire that follows on the same page, such as `{ kind: heim.photorealism }`; none if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<Box<dyn RubricSpec>>,
}

impl Rubric for YesNoRubric {
    fn reads(&self) -> Reads {
        Reads::OwnQuestions
    }

    fn check(&self, task: &Description, at: &mut Diagnostics) {
        self.then.iter().for_each(|then| at.within("then", |at| then.check(task, at)));
    }

    fn questions(&self, asked: &Asked<'_>) -> Arc<[Question]> {
        let options = [("no", "No", 'n'), ("yes", "Yes", 'y')];
        let options = options.map(|(value, label, key)| ChoiceOption::new(value, label, Some(key))).into();
        let own = Question::new(REAL, "Is this image real?", Form::Choice { options });
        let then = self.then.iter().flat_map(|then| then.questions(asked).to_vec());
        std::iter::once(own).chain(then).collect()
    }

    fn measures(&self) -> Vec<Measure> {
        let own = Measure::new("correct", "right answers (chance: 0.5)", "proportion", Direction::Lower);
        std::iter::once(own).chain(self.then.iter().flat_map(|then| then.measures())).collect()
    }

    // A log has the image, the model that it was judged for, the answers, and whether `real` was
    // answered correctly.
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
            let value = f64::from(u8::from(correct));
            let row = Row::new(&session.header.rater, context.name(model), "correct", value);
            into.push(
                &row.of_item(answered.shown.stimuli.first().map_or("", |&id| context.stimuli.label(id))),
            );
        }
        self.then.iter().try_for_each(|then| then.score(session, context, into))
    }
}

register_rubric!(
    YesNoRubric,
    "yes_no",
    summary =
        "The share of right answers to whether an image is real, together with another rubric's questions",
    citation = "Macmillan & Creelman 2005, Detection Theory: A User's Guide, chapter 1",
    example = "{ kind: yes_no }",
);
