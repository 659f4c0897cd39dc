//! The aggregator `ranking`: mean ranks, Plackett-Luce strengths and concordance from orders of models.
//!
//! The rows of one ranking share rater, item and block; their values are ranks, 1 for the best, and ties share a rank.

use hype_core::plugin::aggregator::Aggregation;
use hype_core::{Aggregator, Diagnostics, Measure, register_aggregator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::measures::{RANK, is_rank};
use super::resampling::Resampling;
use super::strengths::{RIDGE, check_ridge};
use crate::shared::score_rows::{ScoreRows, aggregates_score_rows};

mod findings;
mod orders;

/// The aggregator `ranking`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RankingOfModels {
    /// How many resamples of raters, and the level of intervals.
    pub bootstrap: Resampling,
    /// A penalty alpha on the sum of squared strengths, which keeps them finite if a model was always first; none by
    /// default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = RIDGE.schema())]
    pub ridge: Option<f64>,
}

impl Aggregator for RankingOfModels {
    aggregates_score_rows!();

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        if !measures.iter().any(is_rank) {
            at.error("wrong-aggregator", format!("the aggregator ranking needs orders of models, `{RANK}`"))
                .help("the task and rubric `ranking` give them; use `by_model` for other scores");
        }
        at.within("bootstrap", |at| self.bootstrap.check(at));
        check_ridge(self.ridge, at);
    }

    fn begin(&self, context: &Aggregation) -> ScoreRows {
        let ranks = context.measures.iter().filter(|measure| is_rank(measure));
        let wanted: Vec<String> = ranks.map(|measure| measure.name.to_string()).collect();
        ScoreRows::new(Some(&wanted), context)
    }
}

register_aggregator!(
    RankingOfModels,
    "ranking",
    summary = "Orders of models: mean ranks, Plackett-Luce strengths, Friedman's test, Kendall's W",
    citation = "Plackett 1975, Applied Statistics; Luce 1959; Friedman 1937; Kendall & Babington Smith 1939",
    example = "{ kind: ranking, bootstrap: { resamples: 2000, level: 0.95 } }",
);
