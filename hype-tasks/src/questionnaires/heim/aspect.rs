//! The aspects: their questions, options and scores, in HEIM's words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::questionnaires::questionnaire::{
    Formula, MeasureTemplate, QuestionTemplate, ResponseScale, ScoreRule,
};
use hype_core::model::score::Direction;

/// A question of HEIM about an image.
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
    /// The answer column of HEIM's Mechanical Turk batches.
    column: &'static str,
    /// The name in file names of HEIM's release.
    file: &'static str,
    label: &'static str,
    question: &'static str,
    /// In the order shown; the first scores 1.
    answers: &'static [&'static str],
    /// Whether the question refers to the description from which the image was made.
    needs_prompt: bool,
}

const ALIGNMENT: Wording = Wording {
    id: "alignment",
    column: "image_text_alignment_human",
    file: "alignment",
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
    column: "photorealism_human",
    file: "photorealism",
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
    column: "clear_subject_human",
    file: "clear_subject",
    label: "subject clarity (1 to 3)",
    question: "Is it clear who the subject(s) of the image is? The subject can be a living being (e.g., a dog or a \
               person) or an inanimate body or object (e.g., a mountain).",
    answers: &["No, it's unclear.", "I don't know. It's hard to tell.", "Yes, it's clear."],
    needs_prompt: false,
};

const AESTHETICS: Wording = Wording {
    id: "aesthetics",
    column: "aesthetics_human",
    file: "aesthetics",
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
    column: "originality_human",
    file: "originality",
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

    /// The answer column of HEIM's Mechanical Turk batches.
    #[must_use]
    pub const fn column(self) -> &'static str {
        self.wording().column
    }

    /// The aspect with a name; `-` and `_` are the same.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().replace('-', "_");
        Self::ALL.into_iter().find(|aspect| aspect.id() == name || aspect.wording().file == name)
    }

    /// The aspect in the name of a released file, such as `clear_subject_train.jsonl`.
    #[must_use]
    pub fn of_file(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|aspect| {
            name.strip_prefix(aspect.wording().file)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '-', '.']))
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn released_files_name_their_aspect() {
        for (file, want) in [
            ("clear_subject_train.jsonl", Some(Aspect::SubjectClarity)),
            ("alignment.jsonl", Some(Aspect::Alignment)),
            ("alignments.jsonl", None),
        ] {
            assert_eq!(Aspect::of_file(file), want);
        }
        assert_eq!(Aspect::named("subject-clarity"), Some(Aspect::SubjectClarity));
        assert_eq!(Aspect::named("beauty"), None);
    }
}
