//! The aggregator `components`: how much of the variance is due to raters, items and the residual.
//!
//! Raters and items are both treated as drawn from larger populations. Each model by itself has the components rater,
//! item and residual; models that share raters or items are analysed together as well, with the interactions that the
//! design can separate. A model's estimate is its mean with an interval for other raters and other items: from the
//! joint analysis if there is one, else from the model's own analysis, else the plain mean of its responses without
//! an interval.
//!
//! The table `generalizability` has two kinds of objects. For `items` it is the reliability of an item's mean over as
//! many raters as an item of the study typically has (the harmonic mean, rounded). For `models` it is the reliability
//! of the models' means over the raters and items of the study: with S² the variance of the means and V the mean over
//! pairs of half the squared standard error of the difference, the variance of models is S² - V (0 if negative), and V
//! the relative error; the absolute error is the mean squared standard error of a mean (Brennan 2001).

use hype_core::plugin::aggregator::Aggregation;
use hype_core::{Aggregator, Diagnostics, Measure, NumberBounds, register_aggregator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::resampling::LEVEL;
use crate::aggregators::measures::check_rated;
use crate::score_rows::{ScoreRows, aggregates_score_rows, check_measures};

mod analysis;
mod findings;
mod tables;

/// The aggregator `components`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Components {
    /// The measures to report, the study's score first; by default all that the aggregator is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Vec<String>>,
    /// The confidence level: by default 0.95.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: Option<f64>,
}

impl Components {
    fn confidence(&self) -> f64 {
        self.level.unwrap_or(LEVEL)
    }
}

impl Aggregator for Components {
    aggregates_score_rows!();

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        at.within("measures", |at| check_measures(self.measures.as_deref(), measures, at));
        let first = self.measures.as_deref().and_then(<[String]>::first);
        check_rated("components", first.map(String::as_str), measures, at);
    }

    fn begin(&self, context: &Aggregation) -> ScoreRows {
        ScoreRows::new(self.measures.as_deref(), context)
    }
}

register_aggregator!(
    Components,
    "components",
    summary = "Variance of raters, items and the rest; means, differences and reliability with both random",
    citation = "Clark 1973; Searle, Casella & McCulloch 1992; Brennan 2001; Judd, Westfall & Kenny 2012",
    example = "{ kind: components, level: 0.95 }",
);
