//! Facets: attributes of stimulus sets, such as the class that images show or the epoch of training, of items, and of raters.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of raters who do not say to which level they belong. It is a level in results, and none of a population.
pub const NOT_SAID: &str = "not-said";

/// The levels of a cell or a set, by facet.
pub type Levels = BTreeMap<Arc<str>, Arc<str>>;

/// The levels of items or of raters, by their names.
pub type LevelsByName = BTreeMap<Arc<str>, Levels>;

/// The scale on which a numeric facet is expected to act linearly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FacetScale {
    /// The numbers themselves.
    #[default]
    Linear,
    /// Their natural logarithms.
    Log,
}

impl FacetScale {
    /// Its name in specs, such as `log`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Log => "log",
        }
    }
}

/// A facet of a study with its levels.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "aggregators are tested with facets of their own")]
pub struct Facet {
    /// Its name, such as `class`.
    pub name: Arc<str>,
    /// Its levels, in their order.
    pub levels: Vec<Arc<str>>,
    /// The scale of levels that are numbers; `None` for categories.
    pub scale: Option<FacetScale>,
}

impl Facet {
    /// Where a level stands among the others.
    #[must_use]
    pub fn position(&self, level: &str) -> Option<usize> {
        self.levels.iter().position(|known| **known == *level)
    }
}

/// A model at one level of each of its facets. Scores and estimates name it as their model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FacetCell {
    /// Its name: the model and its levels in the order of the study's facets, such as `BigGAN/lemon`.
    pub name: Arc<str>,
    /// The model.
    pub model: Arc<str>,
    /// The levels, by facet.
    pub levels: Levels,
}

/// The number that a level stands for; `None` if it is not a finite decimal number.
#[must_use]
pub fn level_number(level: &str) -> Option<f64> {
    let is_decimal = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let number: f64 = level.bytes().all(is_decimal).then(|| level.parse().ok())??;
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_numbers_if_they_are_decimal() {
        for (level, number) in [("9000", Some(9000.0)), ("0.5", Some(0.5)), ("-1e3", Some(-1000.0))] {
            assert_eq!(level_number(level), number);
        }
        for level in ["", "nan", "inf", "1e999", "9k", "lemon", " 1"] {
            assert_eq!(level_number(level), None, "{level}");
        }
    }
}
