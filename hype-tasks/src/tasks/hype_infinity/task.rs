//! The task `hype_infinity`.

use std::sync::Arc;

use hype_core::model::guidance::Guidance;
use hype_core::model::trial::{Part, Question, Trial, Truth};
use hype_core::{
    Bounded, Defaults, Description, Design, Diagnostics, Effort, Ending, Fact, Inputs, Micros, Next, Profile,
    Raters, Refusal, StartError, StimulusId, Streams, Task, Timing, Verdict, register_task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::HypeInfinityRubric;
use crate::shared::UNTIMED_ANSWER;
use crate::shared::judgment::{JUDGMENT, Judgment, ask, right_answer};
use crate::shared::qualification::{self, Progress, Standing};
use crate::shared::session_plan::{self, Block, Shape};
use crate::shared::settings;

/// HYPE-infinity. The default is the published protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HypeInfinity {
    /// Generated images for each rater and model.
    pub generated: Bounded<1, 10_000>,
    /// Real images for each rater and model. The question tells raters the ratio.
    pub real: Bounded<1, 10_000>,
}

impl Default for HypeInfinity {
    fn default() -> Self {
        Self { generated: Bounded::new(50), real: Bounded::new(50) }
    }
}

/// The state of a HYPE-infinity session: the qualification, then one block for each model.
#[derive(Debug, Clone, PartialEq)]
pub struct HypeInfinityState {
    qualification: Option<Progress>,
    blocks: Arc<[Block]>,
    question: Arc<[Question]>,
    block: usize,
    in_block: usize,
}

impl HypeInfinityState {
    fn running_qualification(&self) -> Option<&Progress> {
        self.qualification.as_ref().filter(|progress| progress.standing() == Standing::Running)
    }

    /// The trial of the main phase with this position.
    fn main_trial(&self, block: usize, in_block: usize) -> Option<Trial> {
        let trials = &self.blocks.get(block)?.shown;
        let &(stimulus, _) = trials.get(in_block)?;
        Some(
            Trial::new(vec![Part::Stimulus { stimulus, exposure: None }], Arc::clone(&self.question))
                .in_block(block as u16, in_block as u32, trials.len() as u32),
        )
    }

    /// Whether the rater passes depends on the last answer of the qualification.
    fn following(&self) -> Option<Trial> {
        match self.running_qualification() {
            Some(progress) => progress.following(),
            None => {
                self.main_trial(self.block, self.in_block + 1).or_else(|| self.main_trial(self.block + 1, 0))
            }
        }
    }
}

impl HypeInfinity {
    fn shape(&self) -> Shape {
        Shape { blocks: 1, real_in_block: self.real.get(), generated_in_block: self.generated.get() }
    }
}

impl Task for HypeInfinity {
    type State = HypeInfinityState;
    type Answer = Judgment;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        session_plan::check(self.shape(), design, at);
    }

    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        at.within("qualification", |at| qualification::check(design, at));
    }

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<HypeInfinityState, StartError> {
        let qualification = inputs
            .design
            .raters
            .qualification
            .as_ref()
            .filter(|_| !inputs.is_qualified)
            .map(|qualification| Progress::draw(qualification, inputs, chance));
        let blocks = session_plan::draw(self.shape(), inputs, chance)?;
        let all = self.generated.get() + self.real.get();
        let question =
            ask(&format!("Is this image real or fake? {} of {all} images are fake.", self.generated));
        Ok(HypeInfinityState { qualification, blocks, question, block: 0, in_block: 0 })
    }

    fn next(&self, state: &HypeInfinityState) -> Next {
        match state.qualification.as_ref().map_or(Standing::Passed, Progress::standing) {
            Standing::Failed => return Next::End(Ending::Disqualified),
            Standing::Running => {
                if let Some(trial) = state.running_qualification().and_then(Progress::trial) {
                    return Next::Trial(trial);
                }
            }
            Standing::Passed => {}
        }
        state.main_trial(state.block, state.in_block).map_or(Next::End(Ending::Completed), Next::Trial)
    }

    fn truth(&self, state: &HypeInfinityState) -> Truth {
        let found = match state.running_qualification() {
            Some(progress) => progress.truth(),
            None => state.blocks.get(state.block).and_then(|block| {
                block.shown.get(state.in_block).map(|&(_, role)| (Some(block.model), role))
            }),
        };
        found.map_or(Truth::default(), |(model, role)| Truth {
            model,
            role: Some(role),
            answer: Some(right_answer(role)),
            ..Truth::default()
        })
    }

    fn answer(
        &self,
        state: &mut HypeInfinityState,
        answer: Judgment,
        _: &Timing,
    ) -> Result<Verdict, Refusal> {
        if let Some(progress) = &mut state.qualification
            && progress.standing() == Standing::Running
        {
            return Ok(Verdict { correct: progress.answer(answer.judgment) });
        }
        let shown = state
            .blocks
            .get(state.block)
            .and_then(|block| block.shown.get(state.in_block).map(|&(_, role)| (role, block.shown.len())));
        let Some((role, trials)) = shown else { return Ok(Verdict::default()) };
        state.in_block += 1;
        if state.in_block == trials {
            state.block += 1;
            state.in_block = 0;
        }
        Ok(Verdict { correct: Some(answer.judgment == role) })
    }

    fn defaults(&self) -> Defaults {
        Defaults::new(HypeInfinityRubric::default(), "by_model", Raters::default())
    }

    fn profile(&self, design: &Design<'_>) -> Profile {
        let mut profile = Profile::new(self.trials_at_most(design));
        profile.effort = self.effort(design);
        profile.passing = qualification::passing(design);
        profile.guidance = Some(self.guidance());
        profile.facts = self.facts();
        profile.settings = settings::in_words(&profile.facts);
        profile
    }

    fn following(&self, state: &HypeInfinityState) -> Option<Trial> {
        state.following()
    }

    fn describe(&self) -> Description {
        Description::asking([JUDGMENT])
    }

    fn upcoming(&self, state: &HypeInfinityState) -> Vec<StimulusId> {
        match state.running_qualification() {
            Some(progress) => progress.upcoming(),
            None => session_plan::upcoming(&state.blocks, state.block, state.in_block),
        }
    }
}

impl HypeInfinity {
    fn trials_at_most(&self, design: &Design<'_>) -> u32 {
        let qualification = design.raters.qualification.as_ref().map_or(0, |phase| phase.trials);
        session_plan::trials(self.shape(), design).saturating_add(qualification)
    }

    fn effort(&self, design: &Design<'_>) -> Option<Effort> {
        let trials = u64::from(session_plan::trials(self.shape(), design));
        let qualification = design.raters.qualification.as_ref().map_or(0, |phase| u64::from(phase.trials));
        Some(Effort {
            duration: Micros((trials + qualification) * Micros::from_millis(UNTIMED_ANSWER).0),
            correct: 0.65 * trials as f64,
        })
    }

    fn facts(&self) -> Vec<Fact> {
        vec![Fact {
            name: "ratio".into(),
            label: "generated and real images for each rater and model, as raters are told".into(),
            value: json!({ "generated": self.generated, "real": self.real }),
        }]
    }

    fn guidance(&self) -> Guidance {
        "You will see images one after the other. Some are real, the others were made by a computer. Look at each \
             for as long as you like, and say whether it is real or fake."
                .into()
    }
}

register_task!(
    HypeInfinity,
    "hype_infinity",
    summary = "HYPE-infinity: the share of real and generated images judged wrong, without time limit",
    citation = "Zhou et al. 2019, HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models, NeurIPS",
    example = "{ kind: hype_infinity, generated: 50, real: 50 }",
);
