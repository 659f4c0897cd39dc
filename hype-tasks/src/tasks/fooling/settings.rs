//! The settings of the task `fooling` and the form of its answers.

use hype_core::{Answer, Bounded, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shared::side_by_side::label;

/// The key of the answer.
pub(super) const CHOICE: &str = "choice";

/// Which of two images is real: a two-alternative forced choice. The default is the published protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fooling {
    /// Trials for each rater and model.
    pub trials: Bounded<1, 10_000>,
    /// Practice trials before them, which are never scored; with feedback on each answer if right answers are known.
    pub practice: Bounded<0, 1_000>,
    /// Which image raters look for.
    pub ask: Ask,
    /// How long the two images are shown, in milliseconds; `null` until the answer.
    pub exposure_ms: Option<Bounded<1, 60_000>>,
    /// Whether a generated image is paired with the real image of the same item, instead of any real image.
    pub same_item: bool,
    /// How long feedback is shown after an answer, in milliseconds; 0 for no feedback.
    pub feedback_ms: Bounded<0, 10_000>,
    /// The longest rest, in seconds, which the rater may cut short; 0 for none.
    pub rest_s: Bounded<0, 3_600>,
}

impl Default for Fooling {
    fn default() -> Self {
        Self {
            trials: Bounded::new(40),
            practice: Bounded::new(10),
            ask: Ask::Real,
            exposure_ms: Some(Bounded::new(1_000)),
            same_item: false,
            feedback_ms: Bounded::new(1_000),
            rest_s: Bounded::new(60),
        }
    }
}

/// Which image raters look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    /// The real one.
    #[default]
    Real,
    /// The generated one.
    Fake,
}

impl Ask {
    /// The role of the image that raters look for.
    pub(super) const fn role(self) -> Role {
        match self {
            Self::Real => Role::Real,
            Self::Fake => Role::Generated,
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::Fake => "fake",
        }
    }
}

/// A rater's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoolingAnswer {
    /// The letter beneath the chosen image.
    pub choice: String,
}

/// The answer that names the image at a place.
pub(super) fn answer_at(place: usize) -> Answer {
    Answer::one(CHOICE, &*label(place))
}
