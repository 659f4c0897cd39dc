//! The rubric `opinion`: mean opinion scores by the three methods of ITU-T P.800 and P.910.

use std::sync::Arc;

use hype_core::model::score::{Direction, Measure};
use hype_core::{
    Asked, ChoiceOption, ConditionKind, Diagnostics, ErasedAggregator, ErasedTask, Form, MeasureFindings,
    Note, Question, Rubric, ScoreError, ScoreTable, Scoring, SessionRecord, register_rubric,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::engine;
use super::showings::Showing;
use crate::aggregators::opinion::Opinion as OpinionScores;
use crate::tasks::rating::{Rating, Reference};

const OPINION: &str = "opinion";

/// Opinion scores.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Opinion {
    /// How opinions are asked.
    pub method: Method,
    /// What the ends of the scale look like, for raters to calibrate on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchors: Option<Anchors>,
}

/// How opinions are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Absolute category rating: each image by itself, 1 Bad to 5 Excellent.
    #[default]
    Acr,
    /// Degradation category rating: after the source image, 1 Very annoying to 5 Imperceptible.
    Dcr,
    /// Comparison category rating: beside the source image, -3 Much worse to 3 Much better than it. Needs
    /// `reference: beside` in the task.
    Ccr,
}

/// What the ends of the scale look like, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Anchors {
    /// What deserves the lowest score, such as `an image enlarged without smoothing`.
    pub worst: Arc<str>,
    /// What deserves the highest score, such as `the original photograph`.
    pub best: Arc<str>,
}

impl Method {
    /// The categories from the lowest score to the highest.
    #[must_use]
    pub const fn categories(self) -> &'static [(i8, &'static str)] {
        match self {
            Self::Acr => &[(1, "Bad"), (2, "Poor"), (3, "Fair"), (4, "Good"), (5, "Excellent")],
            Self::Dcr => &[
                (1, "Very annoying"),
                (2, "Annoying"),
                (3, "Slightly annoying"),
                (4, "Perceptible but not annoying"),
                (5, "Imperceptible"),
            ],
            Self::Ccr => &[
                (-3, "Much worse"),
                (-2, "Worse"),
                (-1, "Slightly worse"),
                (0, "About the same"),
                (1, "Slightly better"),
                (2, "Better"),
                (3, "Much better"),
            ],
        }
    }

    /// The lowest and the highest score.
    fn scale(self) -> [f64; 2] {
        let categories = self.categories();
        [categories.first(), categories.last()]
            .map(|category| category.map_or(0.0, |&(score, _)| f64::from(score)))
    }

    const fn question(self) -> &'static str {
        match self {
            Self::Acr => "How good is the quality of this image?",
            Self::Dcr => {
                "How annoying is what was lost or changed in this image, compared with the source image?"
            }
            Self::Ccr => "How good is the quality of image B, compared with image A?",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Acr => "acr",
            Self::Dcr => "dcr",
            Self::Ccr => "ccr",
        }
    }
}

impl Opinion {
    /// What an answer says of the image under judgment: of a pair, B is compared with A, so that the sign is that of
    /// the answer where the image stood second.
    fn score(&self, showing: &Showing<'_>) -> Option<f64> {
        let given = showing.answered.choice(OPINION)?;
        let categories = self.method.categories().iter();
        let category = categories.map(|&(score, _)| score).find(|score| score.to_string() == given)?;
        let flips = self.method == Method::Ccr && showing.before_another;
        Some(f64::from(if flips { -category } else { category }))
    }
}

impl Rubric for Opinion {
    fn check(&self, task: &dyn ErasedTask, at: &mut Diagnostics) {
        engine::check_task("opinion", task, at);
        let Some(rating) = task.downcast_ref::<Rating>() else { return };
        let (beside, wanted) = (rating.reference == Reference::Beside, self.method == Method::Ccr);
        let name = self.method.name();
        if wanted && !beside {
            at.field("method")
                .error("no-pairs", format!("{name} compares two images, but the task shows one"))
                .help("write `reference: beside` in the task");
        } else if beside && !wanted {
            at.field("method")
                .error("pairs", format!("{name} is about one image, but the task shows two side by side"))
                .help("write `method: ccr`, or leave `reference` out of the task");
        }
    }

    fn questions(&self, asked: &Asked<'_>) -> Arc<[Question]> {
        let has_source = || asked.item.is_some_and(|item| item.image(ConditionKind::Source).is_some());
        if self.method != Method::Acr && !has_source() {
            return Arc::new([]);
        }
        let option = |(score, label): &(i8, &str)| ChoiceOption::new(&score.to_string(), label, None);
        let options = self.method.categories().iter().map(option).collect();
        let question = Question::new(OPINION, self.method.question(), Form::Choice { options });
        Arc::new([if self.method == Method::Ccr { question.of_difference() } else { question }])
    }

    fn guidance(&self) -> Option<Arc<str>> {
        let mut text = String::from(match self.method {
            Method::Acr => {
                "Give your opinion of the quality of each image, by itself. Use the whole scale: Excellent is for \
                 images that could not be better, Bad for images that could hardly be worse."
            }
            Method::Dcr => {
                "You see a source image and then what has become of it. Give your opinion of how annoying the \
                 difference is; where you see none, answer Imperceptible."
            }
            Method::Ccr => {
                "You see two images, A and B, in an order that means nothing. Give your opinion of how much better or \
                 worse B is than A."
            }
        });
        if let (Some(Anchors { worst, best }), [(_, lowest), .., (_, highest)]) =
            (&self.anchors, self.method.categories())
        {
            text += &format!(" For orientation: {worst} deserves {lowest}, and {best} deserves {highest}.");
        }
        Some(text.into())
    }

    fn aggregators(&self) -> Vec<Box<dyn ErasedAggregator>> {
        let scores = OpinionScores { scale: self.method.scale(), ..OpinionScores::default() };
        let mut all: Vec<Box<dyn ErasedAggregator>> = vec![Box::new(scores)];
        all.extend(engine::graded());
        all
    }

    fn measures(&self) -> Vec<Measure> {
        let label = match self.method {
            Method::Acr => "mean opinion score (1 to 5)",
            Method::Dcr => "degradation mean opinion score (1 to 5)",
            Method::Ccr => "comparison mean opinion score (-3 to 3)",
        };
        let own = Measure::new(OPINION, label, "", Direction::Higher);
        [own].into_iter().chain(engine::measures_of_raters()).collect()
    }

    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        engine::score(session, context, into, |showing| {
            let score = self.score(showing);
            let score = score.ok_or("the log has no answer to `opinion` that the rubric knows")?;
            Ok(vec![(OPINION.to_owned(), score)])
        })
    }

    fn remarks(&self, found: &[MeasureFindings], context: &Scoring<'_>) -> Vec<Note> {
        engine::real_rows(found, context).into_iter().collect()
    }
}

register_rubric!(
    Opinion,
    "opinion",
    summary = "Opinion scores: of one image, of its degradation, or compared with its source",
    citation = "ITU-T P.800 (1996), P.910 (2023); Ledig et al. 2017, SRGAN, CVPR",
    example = "{ kind: opinion, method: acr, anchors: { worst: an image enlarged without smoothing, best: the original \
               photograph } }",
);
