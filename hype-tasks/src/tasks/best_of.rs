//! Best of several: which of the models' outputs for one item is best, by one criterion or by several.
//!
//! Choi, Choi, Kim, Ha, Kim & Choo 2018, "StarGAN: Unified Generative Adversarial Networks for Multi-Domain
//! Image-to-Image Translation", CVPR, section 5.3: raters choose among the shuffled outputs of all models for one input.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::model::trial::{Form, Question, Truth};
use hype_core::{
    Design, Diagnostics, Effort, ErasedAggregator, ErasedRubric, Fact, Inputs, Millis, Next, Raters, Refusal,
    StartError, Streams, Task, Timing, Verdict, register_task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aggregators::by_model::ByModel;
use crate::shared::side_by_side::{
    ByItem, Pace, Sequence, check_raters, check_text, image_options, raters, wording,
};

mod criteria;
mod rubric;

pub use self::rubric::BestOfRubric;

/// The time that a typical rater takes over a question.
const EACH_QUESTION: Millis = Millis(3_000);
/// The time that a typical rater takes over an image.
const EACH_IMAGE: Millis = Millis(2_000);

/// Choosing the best of all models' outputs for one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BestOf {
    /// What raters are asked.
    pub question: String,
    /// What they judge by, such as `realism`; the question is asked once for each, on one page. None: it is asked as it
    /// is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// Whether the real image of an item stands among the models' outputs.
    pub real: bool,
    /// Whether raters see what the images were made from.
    pub conditions: bool,
    /// Trials of each rater; fewer where there are fewer items.
    #[schemars(range(min = 1, max = 10_000))]
    pub per_session: u32,
    /// Trials for practice before them, which are not scored.
    #[schemars(range(max = 1_000))]
    pub practice: u32,
    /// After how many trials raters may rest; `null` for no rests.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    pub rest_every: Option<u32>,
    /// The longest rest, in seconds, which the rater may cut short.
    #[schemars(range(max = 3_600))]
    pub rest_s: u32,
}

impl Default for BestOf {
    fn default() -> Self {
        Self {
            question: "Which image is best?".into(),
            criteria: Vec::new(),
            real: false,
            conditions: true,
            per_session: 30,
            practice: 0,
            rest_every: None,
            rest_s: 60,
        }
    }
}

/// What a rater answers: for each question the letter beneath the best image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct BestOfAnswer(pub BTreeMap<String, String>);

impl BestOf {
    fn by_item(&self) -> ByItem {
        let &Self { real, conditions, per_session, practice, rest_every, rest_s, .. } = self;
        let pace = Pace { per_session, practice, rest_every, rest_s };
        ByItem { pace, real, conditions, models_per_trial: None }
    }

    fn questions(&self, images: usize) -> Arc<[Question]> {
        let ask = |id: &str, criterion: Option<&str>| {
            let form = Form::Choice { options: image_options(images) };
            Question::new(id, &wording(&self.question, criterion), form)
        };
        let texts = self.criteria.iter().map(|criterion| Some(criterion.as_str())).chain([None]);
        criteria::keys(&self.criteria).iter().zip(texts).map(|(id, criterion)| ask(id, criterion)).collect()
    }
}

impl Task for BestOf {
    type State = Sequence;
    type Answer = BestOfAnswer;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check_text(&self.question, "question", "Which image is best?", at);
        criteria::check(&self.criteria, at);
        self.by_item().check(design.stimuli, at);
    }

    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check_raters(design, at);
    }

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<Sequence, StartError> {
        let questions = self.questions(self.by_item().images(inputs.design.stimuli));
        self.by_item().begin(questions, inputs, chance)
    }

    fn next(&self, state: &Sequence) -> Next {
        state.next()
    }

    fn truth(&self, state: &Sequence) -> Truth {
        state.truth()
    }

    fn answer(
        &self,
        state: &mut Sequence,
        BestOfAnswer(answer): BestOfAnswer,
        _: &Timing,
    ) -> Result<Verdict, Refusal> {
        let asked = state.questions();
        if answer.len() != asked.len() {
            return Err(Refusal(format!(
                "{} questions were asked and {} answered",
                asked.len(),
                answer.len()
            )));
        }
        for (question, chosen) in &answer {
            state.check_choice(question, chosen)?;
        }
        state.advance();
        Ok(Verdict::default())
    }

    fn trials_at_most(&self, design: &Design<'_>) -> u32 {
        let by_item = self.by_item();
        by_item.pace.trials(by_item.size(design.stimuli).lineups as u64)
    }

    fn rubric(&self) -> Box<dyn ErasedRubric> {
        Box::new(BestOfRubric { criteria: self.criteria.clone() })
    }

    fn aggregator(&self) -> Box<dyn ErasedAggregator> {
        Box::new(ByModel::default())
    }

    fn raters(&self) -> Raters {
        raters()
    }

    fn effort(&self, design: &Design<'_>) -> Option<Effort> {
        let questions = self.criteria.len().max(1) as u32;
        let page = Millis(EACH_QUESTION.0.saturating_mul(questions));
        Some(self.by_item().effort(page, EACH_IMAGE, design.stimuli))
    }

    fn facts(&self, design: &Design<'_>) -> Vec<Fact> {
        vec![self.by_item().fact(design.stimuli)]
    }

    fn sessions_by_item(&self, design: &Design<'_>) -> u32 {
        let by_item = self.by_item();
        by_item.pace.sessions(by_item.size(design.stimuli).lineups as u64, design)
    }

    fn units(&self, inputs: &Inputs<'_>) -> Vec<u64> {
        self.by_item().units(inputs)
    }

    fn guidance(&self, _: &Design<'_>) -> Option<Arc<str>> {
        let each = if self.criteria.len() > 1 {
            "Answer each question by itself: the same image may be best in one respect and not in another."
        } else {
            "If several seem best, choose the one that you would rather keep."
        };
        let text = format!(
            "You will see several images at a time, A, B and so on, in random order. Look at all of them, then choose \
             the best one. {each} Take all the time you need."
        );
        Some(text.into())
    }
}

register_task!(
    BestOf,
    "best_of",
    summary = "Which of the models' outputs for one item is best, by one criterion or by several",
    citation = "Choi et al. 2018, StarGAN: Unified Generative Adversarial Networks for Multi-Domain Image-to-Image \
                Translation, CVPR",
    example = "{ kind: best_of, criteria: [realism, quality of the change, identity kept] }",
);
