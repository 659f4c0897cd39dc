//! The target to which results generalize.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The population to which results generalize: the part that would differ if the study were run again.
///
/// Intervals and tests account for the variation of just that. Raters and items that stay the same are not a source of
/// error, and are not a sample of others either.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GeneralizeTo {
    /// Other raters, the same items.
    Raters,
    /// Other raters and other items; those of the study are a sample of them.
    RatersAndItems,
    /// Other items, the same raters.
    Items,
}

impl GeneralizeTo {
    /// Describes what results are about, such as `other raters, these items`.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Raters => "other raters, these items",
            Self::RatersAndItems => "other raters, other items",
            Self::Items => "these raters, other items",
        }
    }

    /// Its name in specs, such as `raters-and-items`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Raters => "raters",
            Self::RatersAndItems => "raters-and-items",
            Self::Items => "items",
        }
    }

    /// The units that vary, such as `raters and items`.
    #[must_use]
    pub const fn units(self) -> &'static str {
        match self {
            Self::Raters => "raters",
            Self::RatersAndItems => "raters and items",
            Self::Items => "items",
        }
    }
}

/// The units that have equal weight in an estimate that is a mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "raters and answers are all there is")]
pub enum MeanOver {
    /// Each rater, however many answers the rater gave.
    Raters,
    /// Each answer: raters who gave more answers weigh more.
    Answers,
}

impl MeanOver {
    /// Describes what estimates are, such as `mean over raters`.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Raters => "mean over raters",
            Self::Answers => "mean over answers",
        }
    }
}
