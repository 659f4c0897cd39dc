//! The `report` section: how models and measures are called in reports and in the terminal. Nothing of it enters a digest.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::Diagnostics;

/// The most characters of a label, for which figures have room.
pub const LONGEST_LABEL: usize = 24;

/// How models and measures are called where results are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Labels {
    /// Models, by the names of their sets.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<Arc<str>, ModelLabel>,
    /// Measures, by their keys such as `mode_ms`, or all measures of a criterion, by its key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub measures: BTreeMap<Arc<str>, MeasureLabel>,
}

/// How a model is called and drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ModelLabel {
    /// Its name without a unit, of at most 24 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxLength" = 24))]
    pub label: Option<Arc<str>>,
    /// Its colour, such as `#0069A8`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = "^#[0-9A-Fa-f]{6}$"))]
    pub colour: Option<Arc<str>>,
}

/// How a measure is called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MeasureLabel {
    /// Its name without a unit, of at most 24 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxLength" = 24))]
    pub label: Option<Arc<str>>,
    /// The unit of its numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<Arc<str>>,
    /// The first sentence about it, with `{model}` and `{value}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headline: Option<Arc<str>>,
}

impl Labels {
    /// Whether nothing is said. Such a section is left out of specs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Checks lengths, colours and headlines.
    pub fn check(&self, at: &mut Diagnostics) {
        at.within("models", |at| {
            for (name, model) in &self.models {
                at.within(name, |at| {
                    check_length(model.label.as_deref(), at);
                    if let Some(colour) = model.colour.as_ref().filter(|colour| !is_colour(colour)) {
                        at.field("colour")
                            .error("unusable-label", format!("`{colour}` is not a colour"))
                            .help("write it as #RRGGBB, such as '#0069A8'");
                    }
                });
            }
        });
        at.within("measures", |at| {
            for (name, measure) in &self.measures {
                at.within(name, |at| {
                    check_length(measure.label.as_deref(), at);
                    let has_places = |text: &str| text.contains("{model}") && text.contains("{value}");
                    if measure.headline.as_ref().is_some_and(|headline| !has_places(headline)) {
                        at.field("headline")
                            .error(
                                "unusable-label",
                                "the headline does not say where the model and its value stand",
                            )
                            .help("write {model} and {value} in it");
                    }
                });
            }
        });
    }
}

fn check_length(label: Option<&str>, at: &mut Diagnostics) {
    let count = label.map_or(0, |label| label.chars().count());
    if count > LONGEST_LABEL {
        at.field("label")
            .error("unusable-label", format!("the label has {count} characters"))
            .help(format!("write at most {LONGEST_LABEL}, for which figures have room"));
    }
}

fn is_colour(text: &str) -> bool {
    let hex = text.strip_prefix('#').filter(|hex| hex.len() == 6);
    hex.is_some_and(|hex| hex.bytes().all(|one| one.is_ascii_hexdigit()))
}
