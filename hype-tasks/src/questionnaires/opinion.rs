//! The rubric `opinion`: mean opinion scores by the methods of ITU-T P.800 and P.910.

use std::borrow::Cow;
use std::sync::Arc;

use hype_core::model::guidance::Guidance;
use hype_core::model::score::Direction;
use hype_core::plugin::aggregator::AggregatorByKind;
use hype_core::{ConditionKind, Description, Diagnostics, RatedStimuli};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::graded;
use super::questionnaire::{
    Category, Formula, MeasureTemplate, QuestionTemplate, Questionnaire, ResponseScale, ScoreRule, Wording,
    questionnaire_rubric,
};

const OPINION: &str = "opinion";
/// The measure of scores relative to a hidden reference.
const DMOS: &str = "dmos";
/// The best score of ACR, which an output as good as its source has.
const BEST: f64 = 5.0;

/// Opinion scores.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Opinion {
    /// How opinions are asked for.
    pub method: RatingMethod,
    /// Examples of the ends of the scale, by which raters calibrate themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchors: Option<Anchors>,
}

/// How opinions are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RatingMethod {
    /// Absolute category rating: each image by itself, 1 Bad to 5 Excellent.
    #[default]
    Acr,
    /// Absolute category rating with hidden reference: the source is one of the images, in a real set with the items of the
    /// models. Scores are the rater's differences from it, plus 5. Needs `real: true` in the task.
    #[serde(rename = "acr-hr")]
    AcrHr,
    /// Degradation category rating: after the source image, 1 Very annoying to 5 Imperceptible.
    Dcr,
    /// Comparison category rating: next to the source image, -3 Much worse to 3 Much better than it. Needs
    /// `reference: beside` in the task.
    Ccr,
}

/// Examples of the ends of the scale, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Anchors {
    /// An example of the lowest score, such as `an image enlarged without smoothing`.
    pub worst: Arc<str>,
    /// An example of the highest score, such as `the original photograph`.
    pub best: Arc<str>,
}

/// The texts of one method.
struct MethodText {
    name: &'static str,
    label: &'static str,
    question: &'static str,
    guidance: &'static str,
    /// From the lowest score to the highest.
    categories: &'static [(i8, &'static str)],
}

const ACR: MethodText = MethodText {
    name: "acr",
    label: "mean opinion score (1 to 5)",
    question: "How good is the quality of this image?",
    guidance: "Give your opinion of the quality of each image, by itself. Use the whole scale: Excellent is for images \
               that could not be better, Bad for images that could hardly be worse.",
    categories: &[(1, "Bad"), (2, "Poor"), (3, "Fair"), (4, "Good"), (5, "Excellent")],
};

const ACR_HR: MethodText =
    MethodText { name: "acr-hr", label: "differential mean opinion score (1 to 9)", ..ACR };

const DCR: MethodText = MethodText {
    name: "dcr",
    label: "degradation mean opinion score (1 to 5)",
    question: "How annoying is what was lost or changed in this image, compared with the source image?",
    guidance: "You see a source image and then what has become of it. Give your opinion of how annoying the difference \
               is; where you see none, answer Imperceptible.",
    categories: &[
        (1, "Very annoying"),
        (2, "Annoying"),
        (3, "Slightly annoying"),
        (4, "Perceptible but not annoying"),
        (5, "Imperceptible"),
    ],
};

const CCR: MethodText = MethodText {
    name: "ccr",
    label: "comparison mean opinion score (-3 to 3)",
    question: "How good is the quality of image B, compared with image A?",
    guidance: "You see two images, A and B, in an order that means nothing. Give your opinion of how much better or \
               worse B is than A.",
    categories: &[
        (-3, "Much worse"),
        (-2, "Worse"),
        (-1, "Slightly worse"),
        (0, "About the same"),
        (1, "Slightly better"),
        (2, "Better"),
        (3, "Much better"),
    ],
};

impl RatingMethod {
    /// The categories from the lowest score to the highest.
    #[must_use]
    pub const fn categories(self) -> &'static [(i8, &'static str)] {
        self.text().categories
    }

    const fn text(self) -> &'static MethodText {
        match self {
            Self::Acr => &ACR,
            Self::AcrHr => &ACR_HR,
            Self::Dcr => &DCR,
            Self::Ccr => &CCR,
        }
    }
}

impl Opinion {
    fn questionnaire(&self) -> Questionnaire {
        let text = self.method.text();
        let category = |&(score, label): &(i8, &'static str)| Category {
            value: score.to_string().into(),
            label: label.into(),
            score: f64::from(score),
        };
        let question = QuestionTemplate {
            id: OPINION.into(),
            wording: Wording::Once(text.question.into()),
            help: None,
            scale: ResponseScale::Categories(text.categories.iter().map(category).collect()),
            of_difference: self.method == RatingMethod::Ccr,
        };
        let needs: &[ConditionKind] = match self.method {
            RatingMethod::Acr | RatingMethod::AcrHr => &[],
            RatingMethod::Dcr | RatingMethod::Ccr => &[ConditionKind::Source],
        };
        let (mut measures, mut scores) = (Vec::new(), vec![ScoreRule::new(OPINION, Formula::Answer)]);
        if self.method == RatingMethod::AcrHr {
            measures.push(MeasureTemplate::new(DMOS, text.label, "", Direction::Higher));
            scores.push(ScoreRule::new(DMOS, Formula::FromReal { question: OPINION, plus: BEST }));
        }
        let label = if measures.is_empty() { text.label } else { ACR.label };
        measures.push(MeasureTemplate::new(OPINION, label, "", Direction::Higher));
        Questionnaire {
            questions: vec![question].into(),
            needs: Cow::Borrowed(needs),
            guidance: Some(self.guidance_text()),
            measures: measures.into(),
            scores: scores.into(),
            aggregators,
            recommended: None,
            remark: None,
            remark_without_reals: None,
        }
    }

    fn guidance_text(&self) -> Guidance {
        let MethodText { guidance, categories, .. } = self.method.text();
        match (&self.anchors, categories) {
            (Some(Anchors { worst, best }), [(_, lowest), .., (_, highest)]) => Guidance::from(*guidance)
                .then(format!("For orientation: {worst} deserves {lowest}, and {best} deserves {highest}.")),
            _ => Guidance::from(*guidance),
        }
    }

    fn check_settings(&self, task: &Description, at: &mut Diagnostics) {
        let Some(RatedStimuli { beside_source: pairs, reals }) = super::shown(task) else { return };
        let (wanted, name) = (self.method == RatingMethod::Ccr, self.method.text().name);
        if wanted && !pairs {
            at.field("method")
                .error("no-pairs", format!("{name} compares two images, but the task shows one"))
                .help("write `reference: beside` in the task");
        } else if pairs && !wanted {
            at.field("method")
                .error("pairs", format!("{name} is about one image, but the task shows two side by side"))
                .help("write `method: ccr`, or leave `reference` out of the task");
        }
        if self.method == RatingMethod::AcrHr && !reals {
            at.field("method")
                .error("no-reference", "acr-hr rates sources among the outputs, but the task does not")
                .help("write `real: true` in the task, and name the sources as a set with `role: real`");
        }
    }
}

/// Opinion scores on the scale of the question, and the aggregators of graded answers.
fn aggregators(questionnaire: &Questionnaire) -> Vec<AggregatorByKind> {
    let mut opinions = AggregatorByKind::new("opinion");
    let is_difference = questionnaire.measures.first().is_some_and(|measure| measure.name == DMOS);
    // From the worst output of the best source to the best of the worst.
    let whole = |[low, high]: [f64; 2]| if is_difference { [low, high + high - low] } else { [low, high] };
    if let Some(scale) = questionnaire.range().map(whole) {
        opinions = opinions.with("scale", scale);
    }
    let mut all = vec![opinions];
    all.extend(graded(questionnaire));
    all
}

questionnaire_rubric!(
    Opinion,
    "opinion",
    summary = "Opinion scores: of one image, of its degradation, or compared with its source",
    citation = "ITU-T P.800 (1996), P.910 (2023); Ledig et al. 2017, SRGAN, CVPR",
    example = "{ kind: opinion, method: acr, anchors: { worst: an image enlarged without smoothing, best: the original \
               photograph } }"
);
