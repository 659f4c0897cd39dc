//! HYPE-time: how long must an image be seen to be told from a real one?
//!
//! An adaptive staircase finds the exposure at which a rater tells a model's images from real ones with the target
//! probability of its rule. Zhou, Gordon, Krishna, Narcomey, Fei-Fei & Bernstein 2019, "HYPE: A Benchmark for Human
//! eYe Perceptual Evaluation of Generative Models", NeurIPS, sections 2 and 3.

use std::sync::Arc;

use hype_core::model::trial::{Feedback, Part, Phase, Rest, Trial, Truth};
use hype_core::plugin::task::{Pace, refuse_per_item};
use hype_core::{
    Check, Design, Diagnostics, Effort, Ending, ErasedAggregator, ErasedRubric, Fact, Inputs, Micros, Millis,
    Next, Raters, Refusal, SessionRecord, StartError, Stimuli, StimulusId, Streams, Task, Timing, Verdict,
    register_task,
};
use hype_stats::staircase::Staircase;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aggregators::by_model::ByModel;
use crate::shared::judgment::{Judgment, question, right_answer};
use crate::shared::qualification;
use crate::shared::session_plan::{self, Shape, Spares, Unshown};

mod catch;
mod rubric;
mod settings;
mod state;

pub use self::catch::CatchTrials;
pub use self::rubric::{Estimator, HypeTimeRubric};
pub(crate) use self::settings::range;
pub use self::settings::{Countdown, Counting, Exposure, Masks, Preset, StaircaseSettings};
pub use self::state::HypeTimeState;

use self::catch::Catches;

/// The time that a typical rater takes to answer and to be told whether it was right.
const ANSWER: Millis = Millis(1_200);
/// The time that a typical rater takes over an image without time limit (HYPE-infinity: about ten minutes for 100
/// images, instructions included).
pub(crate) const UNTIMED_ANSWER: Millis = Millis(5_000);

/// HYPE-time. The default is the published protocol with the `weighted` staircase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HypeTime {
    /// Blocks for each model, each a staircase of its own on different images.
    #[schemars(range(min = 1, max = 100))]
    pub blocks: u32,
    /// Trials in a block, half of them real; an even number.
    #[schemars(range(min = 2, max = 10_000))]
    pub trials_per_block: u32,
    /// The range of exposures and the first one of each block.
    pub exposure: Exposure,
    /// The rule by which exposures change.
    pub staircase: StaircaseSettings,
    /// The countdown before each image; `null` for none.
    pub countdown: Option<Countdown>,
    /// The masks right after each image; `null` for none.
    pub masks: Option<Masks>,
    /// How long the rater is told whether the answer was right, in milliseconds; 0 to tell nothing.
    #[schemars(range(max = 10_000))]
    pub feedback_ms: u32,
    /// The longest rest between blocks, in seconds, which the rater may cut short; 0 for none. The paper is silent
    /// on rests.
    #[schemars(range(max = 3_600))]
    pub rest_s: u32,
    /// Trials at an exposure too short for people, at which only a machine can be better than chance; none if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catch: Option<CatchTrials>,
}

impl Default for HypeTime {
    fn default() -> Self {
        Self {
            blocks: 3,
            trials_per_block: 150,
            exposure: Exposure::default(),
            staircase: StaircaseSettings::default(),
            countdown: Some(Countdown::default()),
            masks: Some(Masks::default()),
            feedback_ms: 500,
            rest_s: 60,
            catch: None,
        }
    }
}

impl HypeTime {
    pub(crate) fn shape(&self) -> Shape {
        Shape {
            blocks: self.blocks,
            real_in_block: self.trials_per_block / 2,
            generated_in_block: self.trials_per_block / 2,
        }
    }

    fn trial(&self, state: &HypeTimeState) -> Option<Trial> {
        let shown = state.current()?;
        let mut parts = Vec::with_capacity(3);
        if let Some(Countdown { from, each_ms }) = self.countdown {
            parts.push(Part::Countdown { from, each: Millis(each_ms) });
        }
        parts.push(Part::Image { stimulus: shown.stimulus, exposure: Some(Millis(shown.exposure_ms)) });
        if let Some(Masks { count, each_ms }) = self.masks {
            parts.push(Part::Masks { count, each: Millis(each_ms) });
        }
        let rest_due = shown.in_block == 0 && shown.block > 0 && self.rest_s > 0;
        Some(Trial {
            number: 0,
            phase: Phase::Main,
            block: shown.block,
            block_trials: shown.block_trials,
            in_block: shown.in_block,
            rest: rest_due.then_some(Rest { at_most: Millis(self.rest_s.saturating_mul(1_000)) }),
            parts,
            questions: question(),
            feedback: (self.feedback_ms > 0).then_some(Feedback { shown: Millis(self.feedback_ms) }),
        })
    }
}

impl Task for HypeTime {
    type State = HypeTimeState;
    type Answer = Judgment;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        settings::check_task(self, at);
        if self.staircase.rule().is_ok() && self.trials_per_block >= 2 && self.blocks >= 1 {
            session_plan::check(self.shape(), design, at);
            catch::check(self, design, at);
        }
    }

    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        at.within("qualification", |at| qualification::check(design, at));
        refuse_per_item(design, at);
    }

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<HypeTimeState, StartError> {
        let rule = self.staircase.rule().map_err(StartError)?;
        let range = self.exposure.range().map_err(StartError)?;
        let blocks = session_plan::draw(self.shape(), inputs, chance)?;
        let qualification = inputs
            .design
            .raters
            .qualification
            .as_ref()
            .map(|qualification| qualification::Progress::draw(qualification, inputs, chance));
        let catches =
            self.catch.as_ref().map(|catch| Catches::draw(catch, inputs, &blocks, chance)).transpose()?;
        let shown = blocks.iter().chain(catches.iter().flat_map(Catches::blocks));
        let spares = Spares::draw(self.shape(), &Unshown::by(inputs, shown), chance);
        Ok(HypeTimeState::new(qualification, blocks, catches, spares, Staircase::new(rule, range)))
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
            catch: state.is_catch(),
            ..Truth::default()
        })
    }

    fn answer(&self, state: &mut HypeTimeState, answer: Judgment, _: &Timing) -> Result<Verdict, Refusal> {
        Ok(Verdict { correct: state.answer(answer.judgment) })
    }

    fn disturb(&self, state: &mut HypeTimeState) {
        state.disturb();
    }

    fn upcoming(&self, state: &HypeTimeState) -> Vec<StimulusId> {
        state.upcoming()
    }

    fn trials_at_most(&self, design: &Design<'_>) -> u32 {
        let qualification = design.raters.qualification.as_ref().map_or(0, |phase| phase.trials);
        session_plan::trials(self.shape(), design)
            .saturating_add(qualification)
            .saturating_add(self.catch.map_or(0, |catch| catch.trials))
    }

    fn rubric(&self) -> Box<dyn ErasedRubric> {
        Box::new(HypeTimeRubric::default())
    }

    fn aggregator(&self) -> Box<dyn ErasedAggregator> {
        Box::new(ByModel::default())
    }

    fn raters(&self) -> Raters {
        Raters::default()
    }

    fn effort(&self, design: &Design<'_>) -> Option<Effort> {
        let rule = self.staircase.rule().ok()?;
        let trials = u64::from(session_plan::trials(self.shape(), design));
        let each =
            |part: Option<(u8, u32)>| part.map_or(0, |(times, each)| u64::from(times) * u64::from(each));
        let exposure = u64::from(self.exposure.start_ms.midpoint(self.exposure.floor_ms));
        let beside = each(self.countdown.map(|countdown| (countdown.from, countdown.each_ms)))
            + each(self.masks.map(|masks| (masks.count, masks.each_ms)))
            + u64::from(ANSWER.0)
            + u64::from(self.feedback_ms);
        let (catches, glimpse) =
            self.catch.map_or((0, 0), |catch| (u64::from(catch.trials), u64::from(catch.exposure_ms)));
        let qualification = design.raters.qualification.as_ref().map_or(0, |phase| u64::from(phase.trials));
        Some(Effort {
            duration: Micros(
                trials
                    .saturating_mul(exposure + beside)
                    .saturating_add(catches * (glimpse + beside))
                    .saturating_add(qualification * u64::from(UNTIMED_ANSWER.0))
                    .saturating_mul(1_000),
            ),
            // At catch trials a typical rater guesses between two answers.
            correct: rule.target() * trials as f64 + 0.5 * catches as f64,
        })
    }

    fn pace(&self) -> Pace {
        Pace { limits_exposure: true, masks: self.masks.is_some_and(|masks| masks.count > 0) }
    }

    fn guidance(&self, _: &Design<'_>) -> Option<Arc<str>> {
        Some(
            "You will see images one after the other, each for a moment. Some are real, the others were made by a \
             computer. Say of each whether it is real or fake; if you cannot tell, guess."
                .into(),
        )
    }

    fn facts(&self, _: &Design<'_>) -> Vec<Fact> {
        let mut facts = self.staircase.facts(&self.exposure);
        facts.extend(self.catch.as_ref().map(CatchTrials::fact));
        facts
    }

    fn checks(&self, session: &SessionRecord, _: &Stimuli) -> Vec<Check> {
        catch::verdict(self, session).into_iter().collect()
    }
}

register_task!(
    HypeTime,
    "hype_time",
    summary =
        "HYPE-time: the exposure in milliseconds at which a rater tells a model's images from real ones",
    citation = "Zhou et al. 2019, HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models, NeurIPS",
    example = "{ kind: hype_time, blocks: 3, trials_per_block: 150, staircase: { preset: weighted } }",
);
