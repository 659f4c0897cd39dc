//! The aspects: their questions, options and scores, in HEIM's words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::questionnaires::questionnaire::{
    Formula, MeasureTemplate, QuestionTemplate, ResponseScale, ScoreRule,
};
use hype_core::model::score::Direction;

/// What HEIM asks people about an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// How well the image matches its description.
    Alignment,
    /// Whether it looks AI-generated or real.
    Photorealism,
    /// Whether it is clear who or what it shows.
    SubjectClarity,
    /// How pleasing it is.
    Aesthetics,
    /// How original it is, given its description.
    Originality,
}

/// The question about one aspect.
struct Wording {
    id: &'static str,
    label: &'static str,
    question: &'static str,
    /// In the order shown; the first scores 1.
    answers: &'static [&'static str],
    /// Whether the question refers to the description from which the image was made.
    needs_prompt: bool,
}

const ALIGNMENT: Wording = Wording {
    id: "alignment",
    label: "image-text alignment (1 to 5)",
    question: "How well does the image match the description?",
    answers: &[
        "Does not match at all",
        "Has significant discrepancies",
        "Has several minor discrepancies",
        "Has a few minor discrepancies",
        "Matches exactly",
    ],
    needs_prompt: true,
};

const PHOTOREALISM: Wording = Wording {
    id: "photorealism",
    label: "photorealism (1 to 5)",
    question: "Does the image look like an AI-generated photo or a real photo?",
    answers: &[
        "AI-generated photo",
        "Probably an AI-generated photo, but photorealistic",
        "Neutral",
        "Probably a real photo, but with irregular textures and shapes",
        "Real photo",
    ],
    needs_prompt: false,
};

const SUBJECT_CLARITY: Wording = Wording {
    id: "subject_clarity",
    label: "subject clarity (1 to 3)",
    question: "Is it clear who the subject(s) of the image is? The subject can be a living being (e.g., a dog or a \
               person) or an inanimate body or object (e.g., a mountain).",
    answers: &["No, it's unclear.", "I don't know. It's hard to tell.", "Yes, it's clear."],
    needs_prompt: false,
};

const AESTHETICS: Wording = Wording {
    id: "aesthetics",
    label: "aesthetics (1 to 5)",
    question: "How aesthetically pleasing is the image?",
    answers: &[
        "I find the image ugly.",
        "The image has a lot of flaws, but it's not completely unappealing.",
        "I find the image neither ugly nor aesthetically pleasing.",
        "The image is aesthetically pleasing and nice to look at it.",
        "The image is aesthetically stunning. I can look at it all day.",
    ],
    needs_prompt: false,
};

const ORIGINALITY: Wording = Wording {
    id: "originality",
    label: "originality (1 to 5)",
    question: "How original is the image, given it was created with the description?",
    answers: &[
        "I've seen something like this before to the point it's become tiresome.",
        "The image is not really original, but it has some originality to it.",
        "Neutral.",
        "I find the image to be fresh and original.",
        "I find the image to be extremely creative and out of this world.",
    ],
    needs_prompt: true,
};

impl Aspect {
    /// All aspects, in the order of HEIM's appendix.
    pub const ALL: [Self; 5] =
        [Self::Alignment, Self::Photorealism, Self::SubjectClarity, Self::Aesthetics, Self::Originality];

    const fn wording(self) -> &'static Wording {
        match self {
            Self::Alignment => &ALIGNMENT,
            Self::Photorealism => &PHOTOREALISM,
            Self::SubjectClarity => &SUBJECT_CLARITY,
            Self::Aesthetics => &AESTHETICS,
            Self::Originality => &ORIGINALITY,
        }
    }

    /// The key of its question and its measure.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.wording().id
    }

    /// The answers in the order shown; the first scores 1.
    #[must_use]
    pub const fn answers(self) -> &'static [&'static str] {
        self.wording().answers
    }

    /// Whether the question refers to the description from which the image was made.
    pub(super) const fn needs_prompt(self) -> bool {
        self.wording().needs_prompt
    }

    pub(super) const fn question(self) -> QuestionTemplate {
        let Wording { id, question, answers, .. } = *self.wording();
        QuestionTemplate::new(id, question, ResponseScale::Places(answers))
    }

    pub(super) const fn measure(self) -> MeasureTemplate {
        MeasureTemplate::new(self.id(), self.wording().label, "", Direction::Higher)
    }

    pub(super) const fn score(self) -> ScoreRule {
        ScoreRule::new(self.id(), Formula::Answer)
    }
}

/// The position, from 1, of the option with a given text; `None` if there is no such option.
///
/// Sources differ in their apostrophes and spaces, so these are normalized before texts are compared.
///
/// # Examples
/// ```
/// use hype_tasks::questionnaires::heim::{Aspect, option_of};
/// assert_eq!(option_of(" It’s\u{a0}clear. ", &["No.", "It's clear."]), Some(2));
/// assert_eq!(option_of("Yes, it’s  clear.", Aspect::SubjectClarity.answers()), Some(3));
/// assert_eq!(option_of("Matches exactly", Aspect::SubjectClarity.answers()), None);
/// ```
#[must_use]
pub fn option_of(text: &str, options: &[impl AsRef<str>]) -> Option<u32> {
    let wanted = normalized(text);
    (1..).zip(options).find(|(_, option)| normalized(option.as_ref()) == wanted).map(|(place, _)| place)
}

/// A text with straight apostrophes and single spaces, trimmed.
fn normalized(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(['\u{2018}', '\u{2019}', '\u{02bc}', '\u{00b4}', '\u{ff07}', '`'], "'")
}
