//! The `plan` section: what the author expects, for planning the number of raters.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::{Diagnostics, nearest};
use crate::model::score::Measure;

/// The author's expectations, for `hype plan`. They change nothing about the study itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlanSpec {
    /// Means and standard deviations over raters: by measure, then by model.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub expected: BTreeMap<String, BTreeMap<String, ExpectedValues>>,
    /// The minutes that a session takes (default: the task's own estimate).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub minutes: Option<f64>,
}

/// The values of one model that an author expects, in the measure's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedValues {
    /// The mean over raters.
    pub mean: f64,
    /// The standard deviation over raters.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub sd: f64,
}

impl PlanSpec {
    /// Whether nothing is expected. Such a section is left out of specs and digests.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Checks the names of measures and models, and the numbers.
    pub(super) fn check(&self, measures: &[Measure], models: &[&str], at: &mut Diagnostics) {
        if let Some(minutes) = self.minutes
            && !(minutes > 0.0 && minutes.is_finite())
        {
            at.field("minutes").error("out-of-range", format!("a session cannot take {minutes} minutes"));
        }
        at.within("expected", |at| {
            for (name, expected) in &self.expected {
                let known = || measures.iter().map(|measure| &*measure.name);
                if !known().any(|known| known == name) {
                    at.field(name)
                        .error("unknown-measure", format!("the rubric has no measure `{name}`"))
                        .suggest(nearest(name, known()));
                }
                let is_share = measures.iter().any(|one| *one.name == **name && &*one.unit == "proportion");
                at.within(name, |at| check_models(expected, models, is_share, at));
            }
        });
    }
}

fn check_models(
    expected: &BTreeMap<String, ExpectedValues>,
    models: &[&str],
    is_share: bool,
    at: &mut Diagnostics,
) {
    for (model, values) in expected {
        if !models.contains(&&**model) {
            at.field(model)
                .error("unknown-model", format!("no set of generated stimuli is named `{model}`"))
                .suggest(nearest(model, models.iter().copied()));
        }
        at.within(model, |at| {
            if !values.mean.is_finite() {
                at.field("mean").error("out-of-range", "the mean is not finite");
            } else if is_share && !(0.0..=1.0).contains(&values.mean) {
                at.field("mean")
                    .error("out-of-range", format!("the mean of shares cannot be {}", values.mean))
                    .help("write 0.3 for 30 %");
            }
            if !(values.sd > 0.0 && values.sd.is_finite()) {
                at.field("sd")
                    .error("out-of-range", format!("raters cannot have the standard deviation {}", values.sd))
                    .help("write how much raters are expected to differ, which is more than 0");
            }
        });
    }
    for model in models.iter().filter(|model| !expected.contains_key(**model)) {
        at.error("missing-model", format!("nothing is expected of `{model}`"))
            .help(format!("add `{model}: {{ mean: …, sd: … }}`, or leave the measure out"));
    }
}
