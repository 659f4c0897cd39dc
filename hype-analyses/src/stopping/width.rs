//! The rule `width`: until the means of all models are known well enough.

use std::sync::Arc;

use hype_core::model::findings::{Interval, StoppingLook, StoppingTest};
use hype_core::plugin::stopping::{StoppingPlan, StoppingRule};
use hype_core::{Diagnostics, NumberBounds, register_stopping_rule};
use hype_stats::confidence_sequence::NormalMixture;
use hype_stats::describe::Moments;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check_measure;
use super::looks::Regular;
use super::pairs::{Values, first};

/// The fewest raters of an asymptotic interval, whose standard deviation is taken as known.
const FEWEST: u32 = 20;

/// The number of raters near which the intervals are narrowest.
const NARROWEST_AT: f64 = 30.0;

/// Ends the collection when the intervals of all models' means are narrow enough. The intervals hold at all looks and for all
/// models together, however often one looks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WidthRule {
    /// The widest interval of a mean at which the collection ends, from its lower end to its upper end, in the unit of the
    /// measure.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub at_most: f64,
    /// The first look, in raters: of each model if each rater judges one.
    #[serde(default = "from")]
    pub from: u32,
    /// The number of raters between looks.
    #[serde(default = "every")]
    #[schemars(range(min = 1))]
    pub every: u32,
    /// The confidence level of all looks and comparisons together.
    #[serde(default = "level")]
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: f64,
    /// The measure, by its name in findings; by default the study's score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
}

const fn from() -> u32 {
    FEWEST
}

const fn every() -> u32 {
    10
}

const fn level() -> f64 {
    0.95
}

impl WidthRule {
    /// A rule that ends the collection at intervals of this width, with the default looks and level.
    #[must_use]
    pub const fn new(at_most: f64) -> Self {
        Self { at_most, from: from(), every: every(), level: level(), measure: None }
    }

    const fn regular(&self) -> Regular {
        Regular { from: self.from, every: self.every }
    }

    /// The interval of each model's mean, at an equal share of the error.
    fn sequence(&self, models: usize) -> Result<NormalMixture, hype_stats::StatError> {
        let level = 1.0 - (1.0 - self.level) / models.max(1) as f64;
        NormalMixture::new(NARROWEST_AT, level)
    }

    fn test(&self, model: &Arc<str>, sequence: NormalMixture, values: &[f64]) -> StoppingTest {
        let mut moments = Moments::new();
        values.iter().for_each(|&value| moments.push(value));
        let bare = StoppingTest { models: vec![Arc::clone(model)], ..StoppingTest::default() };
        match sequence.interval(&moments) {
            // Raters may be missing at places that were given up.
            Ok(_) if values.len() < FEWEST as usize => StoppingTest {
                undefined: Some(
                    format!("an interval needs {FEWEST} raters, and there are {}", values.len()).into(),
                ),
                ..bare
            },
            Ok(found) => {
                let method = "asymptotic confidence sequence, all looks and models together";
                let width = found.upper - found.lower;
                StoppingTest {
                    estimate: moments.mean().ok(),
                    interval: Some(Interval::new(found.lower, found.upper, self.level, method)),
                    statistic: Some(width),
                    boundary: Some(self.at_most),
                    decided: width <= self.at_most,
                    ..bare
                }
            }
            Err(error) => StoppingTest { undefined: Some(error.to_string().into()), ..bare },
        }
    }
}

register_stopping_rule!(
    WidthRule,
    "width",
    summary = "Until the interval of each model's mean is narrow enough, at looks without limit",
    citation = "Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024",
    example = "{ kind: width, at_most: 0.1, from: 20, every: 10 }",
);

impl StoppingRule for WidthRule {
    fn measure(&self) -> Option<&str> {
        self.measure.as_deref()
    }

    fn check(&self, plan: &StoppingPlan, at: &mut Diagnostics) {
        check_measure(plan, at);
        self.regular().check(FEWEST, plan, at);
    }

    fn method(&self, _: &StoppingPlan) -> String {
        "asymptotic confidence sequences of means (Waudby-Smith et al. 2024), which hold at all looks and for all models \
         together; ends when none is wider than declared"
            .into()
    }

    fn statistic(&self) -> &'static str {
        "width"
    }

    fn looks(&self, plan: &StoppingPlan) -> Vec<u32> {
        self.regular().looks(plan.planned)
    }

    fn decide(&self, plan: &StoppingPlan, values: &[Values], reached: u32) -> Vec<StoppingLook> {
        // The check refuses levels and numbers without a sequence.
        let Ok(sequence) = self.sequence(plan.models.len()) else { return Vec::new() };
        let mut stopped = false;
        let look = |raters: u32| {
            let look = StoppingLook::ahead(raters, Some(self.at_most), None);
            if stopped || raters > reached {
                return look;
            }
            let models = plan.models.iter().zip(values);
            let tests: Vec<StoppingTest> =
                models.map(|(model, values)| self.test(model, sequence, &first(values, raters))).collect();
            stopped = tests.iter().all(|test| test.decided);
            look.found(tests, stopped)
        };
        self.looks(plan).into_iter().map(look).collect()
    }
}
