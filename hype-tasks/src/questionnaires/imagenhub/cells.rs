//! From the answers about one image to its scores: ImagenHub's tables.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far an image follows a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Follows {
    /// Not at all; of minimal edits: the background is completely changed.
    None,
    /// In some part; of minimal edits: a few overedits.
    Some,
    /// For the most part; of minimal edits: mostly minimal.
    Most,
}

impl Follows {
    /// All levels, the lowest first.
    pub const ALL: [Self; 3] = [Self::None, Self::Some, Self::Most];

    /// 0, 0.5 or 1.
    #[must_use]
    pub const fn value(self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Some => 0.5,
            Self::Most => 1.0,
        }
    }
}

/// Whether the objects in an image can be recognized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Objects {
    /// They cannot.
    Unrecognizable,
    /// They can.
    Recognizable,
}

impl Objects {
    /// Both, the worse first.
    pub const ALL: [Self; 2] = [Self::Unrecognizable, Self::Recognizable];
}

/// Distortions, watermarks, scratches, blurred faces, odd body parts, subjects that do not go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Artifacts {
    /// Serious ones.
    Serious,
    /// Some.
    Some,
    /// None or little.
    None,
}

impl Artifacts {
    /// All levels, the worst first.
    pub const ALL: [Self; 3] = [Self::Serious, Self::Some, Self::None];
}

/// A sense of something unusual: wrong distances, shadows, lighting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unusual {
    /// Some.
    Some,
    /// Little or none.
    None,
}

impl Unusual {
    /// Both, the worse first.
    pub const ALL: [Self; 2] = [Self::Some, Self::None];
}

/// How the three questions about perceptual quality become one score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PqTable {
    /// Table 1 of the paper, read from the top.
    #[default]
    Paper,
    /// The table of the project's guideline for raters, taken literally; it has no row for 5 of the 12 combinations.
    Guideline,
}

/// The semantic consistency of an image: the least of what the conditions reach (equation 1 of the paper); `None`
/// without conditions.
///
/// # Examples
/// ```
/// use hype_tasks::questionnaires::imagenhub::{Follows, semantic_consistency};
/// assert_eq!(semantic_consistency(&[Follows::Most, Follows::Some]), Some(0.5));
/// assert_eq!(semantic_consistency(&[]), None);
/// ```
#[must_use]
pub fn semantic_consistency(conditions: &[Follows]) -> Option<f64> {
    conditions.iter().min().map(|least| least.value())
}

/// The perceptual quality of an image; `None` where the table has no row for the combination.
///
/// # Examples
/// ```
/// use hype_tasks::questionnaires::imagenhub::{Artifacts, Objects, PqTable, Unusual, perceptual_quality};
/// let (objects, artifacts, unusual) = (Objects::Recognizable, Artifacts::Serious, Unusual::Some);
/// assert_eq!(perceptual_quality(PqTable::Paper, objects, artifacts, unusual), Some(0.0));
/// assert_eq!(perceptual_quality(PqTable::Guideline, objects, artifacts, unusual), Some(0.5));
/// ```
#[must_use]
pub const fn perceptual_quality(
    table: PqTable,
    objects: Objects,
    artifacts: Artifacts,
    unusual: Unusual,
) -> Option<f64> {
    match table {
        PqTable::Paper => Some(match (objects, artifacts, unusual) {
            (Objects::Unrecognizable, ..) | (_, Artifacts::Serious, _) => 0.0,
            (_, Artifacts::Some, _) | (.., Unusual::Some) => 0.5,
            (Objects::Recognizable, Artifacts::None, Unusual::None) => 1.0,
        }),
        PqTable::Guideline => match (objects, artifacts, unusual) {
            (Objects::Unrecognizable, Artifacts::Serious, _) => Some(0.0),
            (Objects::Recognizable, Artifacts::Some, _) | (Objects::Recognizable, _, Unusual::Some) => {
                Some(0.5)
            }
            (Objects::Recognizable, Artifacts::None, Unusual::None) => Some(1.0),
            _ => None,
        },
    }
}
