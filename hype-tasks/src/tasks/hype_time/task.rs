//! The task `hype_time`.

use hype_core::Pace;
use hype_core::model::guidance::Guidance;
use hype_core::model::trial::{Feedback, Part, Phase, Rest, Trial, Truth};
use hype_core::{
    Bounded, Check, Defaults, Description, Design, Diagnostics, Effort, Ending, Fact, Inputs, MediaKind,
    Micros, Millis, Next, Profile, Raters, Refusal, SessionRecord, StartError, Stimuli, StimulusId, Streams,
    Task, Timing, Verdict, register_task,
};
use hype_stats::staircase::Staircase;
use serde_json::Value;

use crate::shared::UNTIMED_ANSWER;
use crate::shared::judgment::{JUDGMENT, Judgment, question, right_answer};
use crate::shared::qualification;
use crate::shared::session_plan::{self, Spares, Unshown};
use crate::shared::settings;

use super::catch::{self, CatchPlan};
use super::check;
use super::procedure::Procedure;
use super::quest::QuestPlusDesign;
use super::scoring::{Estimator, HypeTimeRubric};
use super::settings::{Adaptive, CatchTrials, Countdown, HypeTime, Masks};
use super::state::HypeTimeState;

/// The time of a typical rater's answer and its feedback.
const ANSWER: Millis = Millis(1_200);

impl HypeTime {
    fn trial(&self, state: &HypeTimeState) -> Option<Trial> {
        let shown = state.current()?;
        let mut parts = Vec::with_capacity(3);
        if let Some(Countdown { from, each_ms }) = self.countdown {
            parts.push(Part::Countdown { from: small(from), each: Millis(each_ms.get()) });
        }
        parts.push(Part::Stimulus { stimulus: shown.stimulus, exposure: Some(Millis(shown.exposure_ms)) });
        if let Some(Masks { count, each_ms }) = self.masks {
            parts.push(Part::Masks { count: small(count), each: Millis(each_ms.get()) });
        }
        let rest_due = shown.in_block == 0 && shown.block > 0 && self.rest_s.get() > 0;
        Some(
            Trial::new(parts, question())
                .in_block(shown.block, shown.in_block, shown.block_trials)
                .with_rest(rest_due.then_some(Rest { at_most: Millis(self.rest_s.get() * 1_000) }))
                .with_feedback(
                    (self.feedback_ms.get() > 0)
                        .then_some(Feedback { shown: Millis(self.feedback_ms.get()) }),
                ),
        )
    }
}

/// A number within the bounds of the settings, which fit into eight bits.
fn small<const LEAST: u32, const MOST: u32>(number: Bounded<LEAST, MOST>) -> u8 {
    u8::try_from(number.get()).unwrap_or(u8::MAX)
}

impl Task for HypeTime {
    type State = HypeTimeState;
    type Answer = Judgment;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check::settings(self, design.stimuli.kind(), at);
        check::texts(design.stimuli, at);
        check::reading(self, design.stimuli, at);
        if self.has_procedure() {
            session_plan::check(self.shape(), design, at);
            catch::check(self, design, at);
        }
    }

    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        at.within("qualification", |at| qualification::check(design, at));
    }

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<HypeTimeState, StartError> {
        let procedure = self.procedure()?;
        let blocks = session_plan::draw(self.shape(), inputs, chance)?;
        let qualification = inputs
            .design
            .raters
            .qualification
            .as_ref()
            .filter(|_| !inputs.is_qualified)
            .map(|qualification| qualification::Progress::draw(qualification, inputs, chance));
        let catches =
            self.catch.as_ref().map(|catch| CatchPlan::draw(catch, inputs, &blocks, chance)).transpose()?;
        let shown = blocks.iter().chain(catches.iter().flat_map(CatchPlan::blocks));
        let spares = Spares::draw(self.shape(), &Unshown::by(inputs, shown), chance);
        Ok(HypeTimeState::new(qualification, blocks, catches, spares, procedure))
    }

    fn next(&self, state: &HypeTimeState) -> Next {
        match state.ending() {
            Some(ending) => Next::End(ending),
            None => state
                .qualification_trial()
                .or_else(|| self.trial(state))
                .map_or(Next::End(Ending::Completed), Next::Trial),
        }
    }

    fn truth(&self, state: &HypeTimeState) -> Truth {
        state.truth().map_or(Truth::default(), |(model, role)| Truth {
            model,
            role: Some(role),
            answer: Some(right_answer(role)),
            logged_as: state.is_catch().then_some(Phase::Catch),
            ..Truth::default()
        })
    }

    fn answer(&self, state: &mut HypeTimeState, answer: Judgment, _: &Timing) -> Result<Verdict, Refusal> {
        Ok(Verdict { correct: state.answer(answer.judgment) })
    }

    fn defaults(&self) -> Defaults {
        let estimator = if self.adaptive.is_some() { Estimator::PosteriorMean } else { Estimator::default() };
        Defaults::new(HypeTimeRubric { estimator }, "by_model", Raters::default())
    }

    fn fit(&mut self, kind: MediaKind, written: &Value) {
        self.fill(kind, written);
    }

    fn profile(&self, design: &Design<'_>) -> Profile {
        let mut profile = Profile::new(self.trials_at_most(design));
        profile.effort = self.effort(design);
        profile.passing = qualification::passing(design);
        profile.pace = self.pace();
        profile.exposes_texts = true;
        profile.guidance = Some(self.guidance());
        profile.facts = self.facts();
        profile.settings = settings::in_words(&profile.facts);
        profile
    }

    fn disturb(&self, state: &mut HypeTimeState) {
        state.disturb();
    }

    fn following(&self, state: &HypeTimeState) -> Option<Trial> {
        state.following()
    }

    fn describe(&self) -> Description {
        let description = Description::asking([JUDGMENT]);
        if let Some(design) = QuestPlusDesign::of(self) {
            return description.with(design);
        }
        // Invalid settings give no design. `check` reports them; with the default design instead the rubric does not
        // report them again.
        let default =
            Self { adaptive: self.adaptive.as_ref().map(|_| Adaptive::default()), ..Self::default() };
        match (QuestPlusDesign::of(&default), self.staircase_design().or_else(|| default.staircase_design()))
        {
            (Some(design), _) => description.with(design),
            (None, Some(design)) => description.with(design),
            (None, None) => description,
        }
    }

    fn upcoming(&self, state: &HypeTimeState) -> Vec<StimulusId> {
        state.upcoming()
    }

    fn checks(&self, session: &SessionRecord, _: &Stimuli) -> Vec<Check> {
        catch::verdict(self, session).into_iter().collect()
    }
}

impl HypeTime {
    /// Whether the settings of exposures are valid.
    fn has_procedure(&self) -> bool {
        match &self.adaptive {
            Some(_) => QuestPlusDesign::of(self).is_some(),
            None => self.staircase.rule().is_ok(),
        }
    }

    /// The procedure at the beginning of a block.
    fn procedure(&self) -> Result<Procedure, StartError> {
        if self.adaptive.is_some() {
            let design = QuestPlusDesign::of(self);
            let invalid = || StartError("the settings of the adaptive procedure are not valid".into());
            return design.map(|design| Procedure::QuestPlus(design.block())).ok_or_else(invalid);
        }
        let rule = self.staircase.rule().map_err(StartError)?;
        let range = self.exposure.range().map_err(StartError)?;
        Ok(Procedure::Staircase(Staircase::new(rule, range)))
    }

    /// The exposure of a typical rater's trial, in milliseconds, and the share of right answers.
    fn typical_trial(&self) -> Option<(u32, f64)> {
        if let Some(adaptive) = &self.adaptive {
            let design = QuestPlusDesign::of(self)?;
            let levels = design.levels_ms();
            return Some((*levels.get(levels.len() / 2)?, adaptive.typical_accuracy()));
        }
        let rule = self.staircase.rule().ok()?;
        Some((self.exposure.start_ms.get().midpoint(self.exposure.floor_ms.get()), rule.target()))
    }

    fn trials_at_most(&self, design: &Design<'_>) -> u32 {
        let qualification = design.raters.qualification.as_ref().map_or(0, |phase| phase.trials);
        session_plan::trials(self.shape(), design)
            .saturating_add(qualification)
            .saturating_add(self.catch.map_or(0, |catch| catch.trials.get()))
    }

    fn effort(&self, design: &Design<'_>) -> Option<Effort> {
        let (exposure, accuracy) = self.typical_trial()?;
        let trials = u64::from(session_plan::trials(self.shape(), design));
        let each =
            |part: Option<(u32, u32)>| part.map_or(0, |(times, each)| u64::from(times) * u64::from(each));
        let beside = each(self.countdown.map(|countdown| (countdown.from.get(), countdown.each_ms.get())))
            + each(self.masks.map(|masks| (masks.count.get(), masks.each_ms.get())))
            + u64::from(ANSWER.0)
            + u64::from(self.feedback_ms.get());
        let (catches, glimpse) = self
            .catch
            .map_or((0, 0), |catch| (u64::from(catch.trials.get()), u64::from(catch.exposure_ms.get())));
        let qualification = design.raters.qualification.as_ref().map_or(0, |phase| u64::from(phase.trials));
        Some(Effort {
            duration: Micros(
                trials
                    .saturating_mul(u64::from(exposure) + beside)
                    .saturating_add(catches * (glimpse + beside))
                    .saturating_add(qualification * u64::from(UNTIMED_ANSWER.0))
                    .saturating_mul(1_000),
            ),
            // At catch trials a typical rater guesses between two answers.
            correct: accuracy * trials as f64 + 0.5 * catches as f64,
        })
    }

    fn facts(&self) -> Vec<Fact> {
        let mut facts = match &self.adaptive {
            Some(adaptive) => adaptive.facts(&self.exposure),
            None => self.staircase.facts(&self.exposure),
        };
        facts.extend(self.catch.as_ref().map(CatchTrials::fact));
        facts
    }

    fn guidance(&self) -> Guidance {
        "You will see images one after the other, each for a moment. Some are real, the others were made by a \
             computer. Say of each whether it is real or fake; if you cannot tell, guess."
                .into()
    }

    fn pace(&self) -> Pace {
        Pace { limits_exposure: true, masks: self.masks.is_some() }
    }
}

register_task!(
    HypeTime,
    "hype_time",
    summary = "HYPE-time: the exposure in milliseconds at which a rater distinguishes a model's images from real ones",
    citation = "Zhou et al. 2019, HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models, NeurIPS",
    example = "{ kind: hype_time, blocks: 3, trials_per_block: 150, staircase: { preset: weighted } }",
);
