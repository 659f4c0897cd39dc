//! The task `best_of`.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::model::guidance::Guidance;
use hype_core::model::trial::{Form, Question, Truth};
use hype_core::{
    Answer, AnswerValue, Answered, Bounded, ByItem, Check, Defaults, Description, Design, Diagnostics,
    Inputs, Millis, Next, Profile, Refusal, SessionRecord, StartError, Stimuli, Streams, Task, Timing, Trial,
    Verdict, register_task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BestOfRubric, criteria};
use crate::shared::attention::{Attention, GoldComparisons, RepeatedComparisons, Winners};
use crate::shared::named::NameOr;
use crate::shared::side_by_side::{
    GalleryDesign, Sequence, SessionLength, WordedCriterion, check_criteria, check_raters, check_text,
    image_options, label, place_of, raters, wording,
};

/// The time that a typical rater takes over a question.
const EACH_QUESTION: Millis = Millis(3_000);
/// The time that a typical rater takes over an image.
const EACH_IMAGE: Millis = Millis(2_000);

/// Choosing the best of all models' outputs for one item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BestOf {
    /// The question for raters.
    pub question: String,
    /// The criteria, such as `realism`; the question is asked once for each, on one page, or the question of the
    /// criterion in its place. Without criteria it is asked once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<NameOr<WordedCriterion>>,
    /// Whether real images are judged among those of the models, as if they were the images of one.
    pub real: bool,
    /// Whether raters see what the images were made from.
    pub conditions: bool,
    /// Trials of each rater; fewer if there is less to judge.
    pub per_session: Bounded<1, 10_000>,
    /// Practice trials before them, which are never scored; with feedback on each answer if right answers are known.
    pub practice: Bounded<0, 1_000>,
    /// After how many trials raters may rest; `null` for no rests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest_every: Option<Bounded<1, 10_000>>,
    /// The longest rest, in seconds, which the rater may cut short; 0 for none.
    pub rest_s: Bounded<0, 3_600>,
    /// Comparisons with a known winner among the others; none by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gold: Option<GoldComparisons>,
    /// Comparisons that come again with the images in other places; none by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<RepeatedComparisons>,
}

impl Default for BestOf {
    fn default() -> Self {
        Self {
            question: "Which image is best?".into(),
            criteria: Vec::new(),
            real: false,
            conditions: true,
            per_session: Bounded::new(30),
            practice: Bounded::new(0),
            rest_every: None,
            rest_s: Bounded::new(60),
            gold: None,
            repeats: None,
        }
    }
}

/// A rater's answer: for each question the letter beneath the best image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct BestOfAnswer(pub BTreeMap<String, String>);

impl BestOf {
    fn gallery(&self) -> GalleryDesign<'_> {
        let &Self { real, conditions, per_session, practice, rest_every, rest_s, .. } = self;
        let length = SessionLength { per_session, practice, rest_every, rest_s };
        let attention = Attention { gold: self.gold.as_ref(), repeats: self.repeats.as_ref() };
        GalleryDesign { length, real, conditions, models_per_trial: None, attention }
    }

    fn questions(&self, images: usize) -> Arc<[Question]> {
        let form = Form::Choice { options: image_options(images) };
        if self.criteria.is_empty() {
            return self.keys().iter().map(|id| Question::new(id, &self.question, form.clone())).collect();
        }
        let text = |criterion: &WordedCriterion| {
            criterion.question.clone().unwrap_or_else(|| wording(&self.question, Some(&criterion.name)))
        };
        let asked = self.keys().into_iter().zip(&self.criteria);
        asked.map(|(id, criterion)| Question::new(&id, &text(criterion), form.clone())).collect()
    }

    /// The key of the first question.
    fn leading_key(&self) -> String {
        self.keys().into_iter().next().unwrap_or_default()
    }

    /// The right answer to a gold trial with the winner in this place.
    fn right(&self, winner: usize) -> Answer {
        Answer::one(&self.leading_key(), AnswerValue::from(&*label(winner)))
    }

    fn keys(&self) -> Vec<String> {
        criteria::keys(self.criteria.iter().map(|criterion| &*criterion.name))
    }
}

impl Task for BestOf {
    type State = Sequence;
    type Answer = BestOfAnswer;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check_text(&self.question, "question", "Which image is best?", at);
        let criteria =
            self.criteria.iter().map(|criterion| (&*criterion.name, criterion.question.as_deref()));
        check_criteria(criteria, "Which image is best?", at);
        self.gallery().check(design.stimuli, at);
    }

    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check_raters(design, at);
    }

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<Sequence, StartError> {
        let questions = self.questions(self.gallery().images(inputs.design.stimuli));
        self.gallery().begin(questions, |winner| self.right(winner), inputs, chance)
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
        state.check_choices(&answer)?;
        let chosen = answer.get(&self.leading_key());
        let correct =
            state.known_winner().map(|place| chosen.is_some_and(|chosen| **chosen == *label(place)));
        state.advance();
        Ok(Verdict { correct })
    }

    fn defaults(&self) -> Defaults {
        let criteria = self.criteria.iter().map(|criterion| criterion.name.clone()).collect();
        Defaults::new(BestOfRubric { criteria }, "by_model", raters())
    }

    fn profile(&self, design: &Design<'_>) -> Profile {
        let questions = self.criteria.len().max(1) as u32;
        let page = Millis(EACH_QUESTION.0.saturating_mul(questions));
        self.gallery().profile(page, EACH_IMAGE, self.guidance(), design.stimuli)
    }

    fn checks(&self, session: &SessionRecord, stimuli: &Stimuli) -> Vec<Check> {
        self.gallery().checks(session, stimuli, self)
    }

    fn following(&self, state: &Sequence) -> Option<Trial> {
        state.following()
    }

    fn describe(&self) -> Description {
        Description::asking(self.keys())
    }

    fn by_item(&self) -> Option<&dyn ByItem> {
        Some(self)
    }
}

impl ByItem for BestOf {
    fn sessions(&self, design: &Design<'_>) -> u32 {
        self.gallery().sessions(design)
    }

    fn units(&self, inputs: &Inputs<'_>) -> Vec<u64> {
        self.gallery().units(inputs)
    }
}

impl Winners for BestOf {
    fn winner(&self, answered: &Answered) -> Option<usize> {
        place_of(answered.choice(&self.leading_key())?, answered.shown.stimuli.len())
    }
}

impl BestOf {
    fn guidance(&self) -> Guidance {
        let each = if self.criteria.len() > 1 {
            "Answer each question by itself: the same image may be best in one respect and not in another."
        } else {
            "If several seem best, choose the one that you would rather keep."
        };
        Guidance::from(
            "You will see several images at a time, A, B and so on, in random order. Look at all of them, then choose \
             the best one.",
        )
        .then(each)
        .then("Take all the time you need.")
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
