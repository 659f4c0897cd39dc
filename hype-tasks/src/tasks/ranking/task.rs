//! The task `ranking`.

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

use crate::shared::attention::{Attention, GoldComparisons, RepeatedComparisons, Winners};
use crate::shared::side_by_side::{
    GalleryDesign, Sequence, SessionLength, check_raters, check_text, image_options, label, raters, wording,
};

use super::ranks::RANKING;
use super::{RankingRubric, ranks};

/// The time that a typical rater takes over a page, without its images.
const EACH_PAGE: Millis = Millis(4_000);
/// The time that a typical rater takes over an image of it.
const EACH_IMAGE: Millis = Millis(4_000);

/// Rankings of several models' outputs for one item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ranking {
    /// The question for raters.
    pub question: String,
    /// The criterion, such as `how well it fits the description`; it follows the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    /// Whether images may share a rank.
    pub ties: bool,
    /// Whether real images are judged among those of the models, as if they were the images of one.
    pub real: bool,
    /// How many models are ranked at a time; `null` for all of them. They take turns on every item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models_per_trial: Option<Bounded<2, 26>>,
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

impl Default for Ranking {
    fn default() -> Self {
        Self {
            question: "Put the images in order, the best first.".into(),
            criterion: None,
            ties: true,
            real: false,
            models_per_trial: None,
            conditions: true,
            per_session: Bounded::new(20),
            practice: Bounded::new(0),
            rest_every: None,
            rest_s: Bounded::new(60),
            gold: None,
            repeats: None,
        }
    }
}

/// A rater's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RankingAnswer {
    /// The rank of each image by the letter beneath it, 1 for the best. Ranks are dense: those of `[1, 1, 2]`.
    pub ranking: BTreeMap<String, u32>,
}

impl Ranking {
    fn gallery(&self) -> GalleryDesign<'_> {
        let &Self { real, conditions, models_per_trial, per_session, practice, rest_every, rest_s, .. } =
            self;
        let length = SessionLength { per_session, practice, rest_every, rest_s };
        let attention = Attention { gold: self.gold.as_ref(), repeats: self.repeats.as_ref() };
        GalleryDesign { length, real, conditions, models_per_trial, attention }
    }
}

impl Task for Ranking {
    type State = Sequence;
    type Answer = RankingAnswer;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check_text(&self.question, "question", "Put the images in order, the best first.", at);
        if let Some(criterion) = &self.criterion {
            check_text(criterion, "criterion", "how well they fit the description", at);
        }
        self.gallery().check(design.stimuli, at);
    }

    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check_raters(design, at);
    }

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<Sequence, StartError> {
        let images = self.gallery().images(inputs.design.stimuli);
        let candidates = image_options(images);
        let form = Form::Ranking { candidates, ties: self.ties };
        let question = Question::new(RANKING, &wording(&self.question, self.criterion.as_deref()), form);
        let right = |winner| right(winner, images);
        self.gallery().begin(Arc::new([question]), right, inputs, chance)
    }

    fn next(&self, state: &Sequence) -> Next {
        state.next()
    }

    fn truth(&self, state: &Sequence) -> Truth {
        state.truth()
    }

    fn answer(&self, state: &mut Sequence, answer: RankingAnswer, _: &Timing) -> Result<Verdict, Refusal> {
        let images = state.current().map_or(0, |layout| layout.images.len());
        let ranks = ranks::by_place(images, |letter| answer.ranking.get(letter).copied())
            .filter(|_| answer.ranking.len() == images)
            .ok_or_else(|| {
                Refusal("the ranking has to give a rank to each image and to nothing else".into())
            })?;
        if !ranks::are_dense(&ranks) {
            return Err(Refusal("the ranks have to go from 1 up without a gap".into()));
        }
        if !self.ties && ranks::have_ties(&ranks) {
            return Err(Refusal("no two images may share a rank".into()));
        }
        let correct = state.known_winner().map(|place| ranks::winner(&ranks) == Some(place));
        state.advance();
        Ok(Verdict { correct })
    }

    fn defaults(&self) -> Defaults {
        Defaults::new(RankingRubric::default(), "ranking", raters())
    }

    fn profile(&self, design: &Design<'_>) -> Profile {
        self.gallery().profile(EACH_PAGE, EACH_IMAGE, self.guidance(), design.stimuli)
    }

    fn checks(&self, session: &SessionRecord, stimuli: &Stimuli) -> Vec<Check> {
        self.gallery().checks(session, stimuli, self)
    }

    fn following(&self, state: &Sequence) -> Option<Trial> {
        state.following()
    }

    fn describe(&self) -> Description {
        Description::asking([RANKING])
    }

    fn by_item(&self) -> Option<&dyn ByItem> {
        Some(self)
    }
}

impl ByItem for Ranking {
    fn sessions(&self, design: &Design<'_>) -> u32 {
        self.gallery().sessions(design)
    }

    fn units(&self, inputs: &Inputs<'_>) -> Vec<u64> {
        self.gallery().units(inputs)
    }
}

/// The right answer to a gold trial: its winner first, the others in the order shown.
fn right(winner: usize, images: usize) -> Answer {
    let letters: Vec<Arc<str>> = (0..images).filter(|&place| place != winner).map(label).collect();
    let first = label(winner);
    let order = std::iter::once(&first).chain(&letters);
    Answer::one(RANKING, AnswerValue::ranks(order.zip(1..).map(|(letter, rank)| (&**letter, rank))))
}

impl Winners for Ranking {
    fn winner(&self, answered: &Answered) -> Option<usize> {
        let given = answered.answer.get(RANKING)?;
        let rank_of = |letter: &str| given.rank_of(letter).and_then(|rank| u32::try_from(rank).ok());
        ranks::winner(&ranks::by_place(answered.shown.stimuli.len(), rank_of)?)
    }
}

impl Ranking {
    fn guidance(&self) -> Guidance {
        let ties = if self.ties {
            "Images that are equally good may share a rank."
        } else {
            "No two images may share a rank: where you see no difference, go by what you would rather keep."
        };
        Guidance::from(
            "You will see several images at a time, A, B and so on. Look at all of them, then put them in order: rank \
             1 is the best.",
        )
        .then(ties)
        .then(
            "Compare only the images on the page; where an image stands means nothing. Take all the time you need.",
        )
    }
}

register_task!(
    Ranking,
    "ranking",
    summary = "The outputs of several models for one item, ordered from the best to the worst",
    citation = "Plackett 1975, The analysis of permutations, Applied Statistics; Kendall & Babington Smith 1939, The \
                problem of m rankings, Annals of Mathematical Statistics",
    example =
        "{ kind: ranking, criterion: how well they fit the description, ties: true, models_per_trial: 4 }",
);
