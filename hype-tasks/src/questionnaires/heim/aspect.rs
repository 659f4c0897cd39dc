//! The aspects: their questions, options and scores, in HEIM's words.

use hype_core::model::score::{Direction, Measure};
use hype_core::{ChoiceOption, Form, Question};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

impl Aspect {
    /// All of them, in the order of HEIM's appendix.
    pub const ALL: [Self; 5] =
        [Self::Alignment, Self::Photorealism, Self::SubjectClarity, Self::Aesthetics, Self::Originality];

    /// The key of its question and its measure.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Alignment => "alignment",
            Self::Photorealism => "photorealism",
            Self::SubjectClarity => "subject_clarity",
            Self::Aesthetics => "aesthetics",
            Self::Originality => "originality",
        }
    }

    /// What is asked.
    #[must_use]
    pub const fn question(self) -> &'static str {
        match self {
            Self::Alignment => "How well does the image match the description?",
            Self::Photorealism => "Does the image look like an AI-generated photo or a real photo?",
            Self::SubjectClarity => {
                "Is it clear who the subject(s) of the image is? The subject can be a living being (e.g., a dog or a \
                 person) or an inanimate body or object (e.g., a mountain)."
            }
            Self::Aesthetics => "How aesthetically pleasing is the image?",
            Self::Originality => "How original is the image, given it was created with the description?",
        }
    }

    /// The answers in the order shown; the first scores 1.
    #[must_use]
    pub const fn answers(self) -> &'static [&'static str] {
        match self {
            Self::Alignment => &[
                "Does not match at all",
                "Has significant discrepancies",
                "Has several minor discrepancies",
                "Has a few minor discrepancies",
                "Matches exactly",
            ],
            Self::Photorealism => &[
                "AI-generated photo",
                "Probably an AI-generated photo, but photorealistic",
                "Neutral",
                "Probably a real photo, but with irregular textures and shapes",
                "Real photo",
            ],
            Self::SubjectClarity => {
                &["No, it's unclear.", "I don't know. It's hard to tell.", "Yes, it's clear."]
            }
            Self::Aesthetics => &[
                "I find the image ugly.",
                "The image has a lot of flaws, but it's not completely unappealing.",
                "I find the image neither ugly nor aesthetically pleasing.",
                "The image is aesthetically pleasing and nice to look at it.",
                "The image is aesthetically stunning. I can look at it all day.",
            ],
            Self::Originality => &[
                "I've seen something like this before to the point it's become tiresome.",
                "The image is not really original, but it has some originality to it.",
                "Neutral.",
                "I find the image to be fresh and original.",
                "I find the image to be extremely creative and out of this world.",
            ],
        }
    }

    /// The score of an answer in HEIM's released data, whose codes count from 0; `None` if there is no such code.
    #[must_use]
    pub fn score_of_code(self, code: u32) -> Option<u32> {
        ((code as usize) < self.answers().len()).then(|| code + 1)
    }

    /// The score of a logged answer: the answers' values are their scores.
    pub(super) fn score_of_value(self, value: &str) -> Option<u32> {
        value.parse().ok().filter(|&score| (1..=self.answers().len() as u32).contains(&score))
    }

    /// Whether the question speaks of the description that the image was made from.
    pub(super) const fn needs_prompt(self) -> bool {
        matches!(self, Self::Alignment | Self::Originality)
    }

    pub(super) fn asked(self) -> Question {
        let option = |(score, &text): (u32, &&str)| ChoiceOption::new(&score.to_string(), text, None);
        let options = (1..).zip(self.answers()).map(option).collect();
        Question::new(self.id(), self.question(), Form::Choice { options })
    }

    pub(super) fn measure(self) -> Measure {
        let label = match self {
            Self::Alignment => "image-text alignment (1 to 5)",
            Self::Photorealism => "photorealism (1 to 5)",
            Self::SubjectClarity => "subject clarity (1 to 3)",
            Self::Aesthetics => "aesthetics (1 to 5)",
            Self::Originality => "originality (1 to 5)",
        };
        Measure::new(self.id(), label, "", Direction::Higher)
    }
}

/// The score of an answer that is given as text, from 1; `None` if the aspect has no such answer.
///
/// Sources differ in their apostrophes and blanks, so these are made alike before texts are compared.
///
/// # Examples
/// ```
/// use hype_tasks::questionnaires::heim::{Aspect, answer_score};
/// assert_eq!(answer_score(Aspect::SubjectClarity, "Yes, it’s  clear."), Some(3));
/// assert_eq!(answer_score(Aspect::SubjectClarity, "Matches exactly"), None);
/// ```
#[must_use]
pub fn answer_score(aspect: Aspect, text: &str) -> Option<u32> {
    option_of(text, aspect.answers())
}

/// The place from 1 of the option that a text says, apostrophes and blanks being written in any way; `None` if there is
/// no such option.
///
/// # Examples
/// ```
/// use hype_tasks::questionnaires::heim::option_of;
/// assert_eq!(option_of(" It’s\u{a0}clear. ", &["No.", "It's clear."]), Some(2));
/// ```
#[must_use]
pub fn option_of(text: &str, options: &[impl AsRef<str>]) -> Option<u32> {
    let wanted = plain(text);
    (1..).zip(options).find(|(_, option)| plain(option.as_ref()) == wanted).map(|(place, _)| place)
}

/// A text with straight apostrophes, single blanks, and none around it.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(['\u{2018}', '\u{2019}', '\u{02bc}', '\u{00b4}', '\u{ff07}', '`'], "'")
}
