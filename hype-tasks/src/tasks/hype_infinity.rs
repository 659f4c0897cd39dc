//! HYPE-infinity: how often is an image taken for what it is not, with all the time in the world?
//!
//! Zhou et al. 2019, "HYPE", section 2.2: 50 generated and 50 real images for each rater, unlimited time; the score
//! is the share judged wrong. 50 % is chance, more is hyper-realism.

use std::sync::Arc;

use hype_core::model::trial::{Part, Phase, Question, Trial, Truth};
use hype_core::plugin::task::refuse_per_item;
use hype_core::{
    Design, Diagnostics, Effort, Ending, ErasedAggregator, ErasedRubric, Fact, Inputs, Micros, Next, Raters,
    Refusal, StartError, StimulusId, Streams, Task, Timing, Verdict, register_task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::aggregators::by_model::ByModel;
use crate::shared::judgment::{Judgment, ask, right_answer};
use crate::shared::qualification::{self, Progress, Standing};
use crate::shared::session_plan::{self, Block, Shape};
use crate::tasks::hype_time::UNTIMED_ANSWER;

mod rubric;

pub use self::rubric::HypeInfinityRubric;

/// HYPE-infinity. The default is the published protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HypeInfinity {
    /// Generated images for each rater and model.
    #[schemars(range(min = 1, max = 10_000))]
    pub generated: u32,
    /// Real images for each rater and model. The ratio is told to raters, in the question.
    #[schemars(range(min = 1, max = 10_000))]
    pub real: u32,
}

impl Default for HypeInfinity {
    fn default() -> Self {
        Self { generated: 50, real: 50 }
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
}

impl HypeInfinity {
    fn shape(&self) -> Shape {
        Shape { blocks: 1, real_in_block: self.real, generated_in_block: self.generated }
    }
}

impl Task for HypeInfinity {
    type State = HypeInfinityState;
    type Answer = Judgment;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        for (field, count) in [("generated", self.generated), ("real", self.real)] {
            if !(1..=10_000).contains(&count) {
                at.field(field)
                    .error("out-of-range", format!("{field} is {count}"))
                    .help("use a number from 1 to 10000; the published protocol has 50 of each");
            }
        }
        session_plan::check(self.shape(), design, at);
    }

    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        at.within("qualification", |at| qualification::check(design, at));
        refuse_per_item(design, at);
    }

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<HypeInfinityState, StartError> {
        let qualification = inputs
            .design
            .raters
            .qualification
            .as_ref()
            .map(|qualification| Progress::draw(qualification, inputs, chance));
        let blocks = session_plan::draw(self.shape(), inputs, chance)?;
        let all = u64::from(self.generated) + u64::from(self.real);
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
        let Some(block) = state.blocks.get(state.block) else { return Next::End(Ending::Completed) };
        let Some(&(stimulus, _)) = block.shown.get(state.in_block) else {
            return Next::End(Ending::Completed);
        };
        Next::Trial(Trial {
            number: 0,
            phase: Phase::Main,
            block: state.block as u16,
            block_trials: block.shown.len() as u32,
            in_block: state.in_block as u32,
            rest: None,
            parts: vec![Part::Image { stimulus, exposure: None }],
            questions: Arc::clone(&state.question),
            feedback: None,
        })
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

    fn upcoming(&self, state: &HypeInfinityState) -> Vec<StimulusId> {
        match state.running_qualification() {
            Some(progress) => progress.upcoming(),
            None => session_plan::upcoming(&state.blocks, state.block, state.in_block),
        }
    }

    fn trials_at_most(&self, design: &Design<'_>) -> u32 {
        let qualification = design.raters.qualification.as_ref().map_or(0, |phase| phase.trials);
        session_plan::trials(self.shape(), design).saturating_add(qualification)
    }

    fn rubric(&self) -> Box<dyn ErasedRubric> {
        Box::new(HypeInfinityRubric::default())
    }

    fn aggregator(&self) -> Box<dyn ErasedAggregator> {
        Box::new(ByModel::default())
    }

    fn raters(&self) -> Raters {
        Raters::default()
    }

    fn effort(&self, design: &Design<'_>) -> Option<Effort> {
        let trials = u64::from(session_plan::trials(self.shape(), design));
        let qualification = design.raters.qualification.as_ref().map_or(0, |phase| u64::from(phase.trials));
        Some(Effort {
            duration: Micros((trials + qualification) * Micros::from_millis(UNTIMED_ANSWER).0),
            correct: 0.65 * trials as f64,
        })
    }

    fn guidance(&self, _: &Design<'_>) -> Option<Arc<str>> {
        Some(
            "You will see images one after the other. Some are real, the others were made by a computer. Look at each \
             for as long as you like, and say whether it is real or fake."
                .into(),
        )
    }

    fn facts(&self, _: &Design<'_>) -> Vec<Fact> {
        vec![Fact {
            name: "ratio".into(),
            label: "generated and real images for each rater and model, as raters are told".into(),
            value: json!({ "generated": self.generated, "real": self.real }),
        }]
    }
}

register_task!(
    HypeInfinity,
    "hype_infinity",
    summary = "HYPE-infinity: the share of real and generated images judged wrong, without time limit",
    citation = "Zhou et al. 2019, HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models, NeurIPS",
    example = "{ kind: hype_infinity, generated: 50, real: 50 }",
);
