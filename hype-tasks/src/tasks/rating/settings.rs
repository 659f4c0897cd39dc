//! The settings of the task `rating`.

use hype_core::{Bounded, ConditionKind, NumberBounds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Images rated one by one. The default is ImagenHub's: each of three raters rates every image.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rating {
    /// Images for each rater, gold images and repeats not counted; `null` for all in one session.
    pub per_session: Option<Bounded<1, 1_000_000>>,
    /// Whether real images are judged among those of the models, as if they were the images of one.
    pub real: bool,
    /// Whether a rater sees at most one output for each item: the models take turns, and each rater sees them
    /// equally often.
    pub one_output_per_item: bool,
    /// The kinds of conditions that are shown; `null` for all that an item has.
    pub conditions: Option<Vec<ConditionKind>>,
    /// The position of an item's source image.
    pub reference: Reference,
    /// Images with known answers among the others; `null` for none.
    pub gold: Option<Gold>,
    /// Images that are shown twice, to measure the rater's consistency; `null` for none.
    pub repeats: Option<Repeats>,
    /// The smallest variance of a rater's numbers about the models, such as P.910's 0.15 for grades from 1 to 5; raters below it
    /// are excluded by the rule `variance`. No rater is excluded by default.
    #[schemars(range(min = 0.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance_at_least: Option<f64>,
    /// After how many trials raters may rest; `null` for no rests.
    pub rest_every: Option<Bounded<1, 10_000>>,
    /// The longest rest, in seconds, which the rater may cut short; 0 for none.
    pub rest_s: Bounded<0, 3_600>,
}

impl Default for Rating {
    fn default() -> Self {
        Self {
            per_session: None,
            real: false,
            one_output_per_item: false,
            conditions: None,
            reference: Reference::default(),
            gold: None,
            repeats: None,
            variance_at_least: None,
            rest_every: Some(Bounded::new(50)),
            rest_s: Bounded::new(60),
        }
    }
}

impl Rating {
    /// Gold images of a session.
    pub(super) fn golds(&self) -> u32 {
        self.gold.as_ref().map_or(0, |gold| gold.per_session.get())
    }

    /// The number of images in a session that are shown twice.
    pub(super) fn repeated(&self) -> u32 {
        self.repeats.as_ref().map_or(0, |repeats| repeats.per_session.get())
    }

    /// Whether raters see conditions of this kind, before the image or next to it.
    pub(super) fn is_given(&self, kind: ConditionKind) -> bool {
        self.conditions.as_ref().is_none_or(|shown| shown.contains(&kind))
    }
}

/// The position of an item's source image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Reference {
    /// Before the image, as a condition like the others; as degradation category ratings need.
    #[default]
    Before,
    /// Next to the image, as one of two images A and B in random order, half of a session each way; as comparison
    /// category ratings need.
    Beside,
}

/// Images with known right answers, inserted at random positions that are spread over the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gold {
    /// The number in each session.
    pub per_session: Bounded<1, 10_000>,
    /// The smallest share that has to be answered correctly; raters below it are excluded by the rule `gold`.
    #[schemars(transform = NumberBounds::SHARE.schema())]
    pub pass: f64,
}

impl Default for Gold {
    fn default() -> Self {
        Self { per_session: Bounded::new(5), pass: 0.7 }
    }
}

/// Images that are shown twice in the session. Their first answers are scored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Repeats {
    /// The number in each session.
    pub per_session: Bounded<1, 10_000>,
    /// The smallest number of other trials between the two presentations.
    pub apart: Bounded<1, 1_000>,
    /// The smallest share of repeated answers that has to be the same; raters below it are excluded by the rule
    /// `repeats`. No rater is excluded by default.
    #[schemars(transform = NumberBounds::SHARE.schema())]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_agreement: Option<f64>,
}

impl Default for Repeats {
    fn default() -> Self {
        Self { per_session: Bounded::new(3), apart: Bounded::new(5), min_agreement: None }
    }
}
