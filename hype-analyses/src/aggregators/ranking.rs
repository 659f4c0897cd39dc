//! The aggregator `ranking`: mean ranks, Plackett-Luce strengths and concordance from orders of models.
//!
//! The rows of one ranking share rater, item and block; their values are ranks, 1 for the best, and ties share a rank. With `within`,
//! rankings of models at one level of a facet, of items or by raters of one, are looked at apart, too.

use hype_core::model::findings::{Exclusion, GeneralizeTo};
use hype_core::plugin::aggregator::{Aggregation, UsedFacet};
use hype_core::{
    AggregateError, Aggregated, Aggregator, Diagnostics, Measure, NumberBounds, ScoreTable, Streams,
    register_aggregator,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::measures::{RANK, is_rank};
use super::resampling::{Bootstrap, Resampling, check_intervals};
use super::strengths::RIDGE;
use crate::missing::Estimates;

mod findings;
mod levels;
mod orders;
mod sample;

pub use self::orders::RankRows;

/// The aggregator `ranking`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RankingOfModels {
    /// The population to which results generalize: by default other raters, and other items where items have prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generalize_to: Option<GeneralizeTo>,
    /// The confidence level: by default 0.95.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: Option<f64>,
    /// Computes intervals from percentiles of a bootstrap, which are too narrow with few units; without it they are by standard
    /// errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<Bootstrap>,
    /// A penalty alpha on the sum of squared strengths, which keeps them finite if a model always or never won; none by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = RIDGE.schema())]
    pub ridge: Option<f64>,
    /// A facet, by its name in the section `facets`: results are also given at each of its levels, with one family of pairs over
    /// all levels, and whether they depend on the level is tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

impl RankingOfModels {
    fn resampling(&self) -> Resampling {
        Bootstrap::resampling(self.bootstrap, self.level)
    }

    fn level(&self) -> f64 {
        self.resampling().level
    }

    /// Returns the target that the settings ask for, where the study's items suggest `otherwise`. A bootstrap resamples raters.
    fn target(&self, otherwise: GeneralizeTo) -> GeneralizeTo {
        Aggregator::generalizes_to(self).unwrap_or(otherwise)
    }
}

impl Aggregator for RankingOfModels {
    type Sums = RankRows;

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        if !measures.iter().any(is_rank) {
            at.error("wrong-aggregator", format!("the aggregator ranking needs orders of models, `{RANK}`"))
                .help("the task and rubric `ranking` give them; use `by_model` for other scores");
        }
        check_intervals(self.bootstrap.is_some(), self.generalize_to, at);
    }

    fn generalizes_to(&self) -> Option<GeneralizeTo> {
        match self.bootstrap {
            Some(_) => Some(GeneralizeTo::Raters),
            None => self.generalize_to,
        }
    }

    fn used_facet(&self) -> Option<UsedFacet<'_>> {
        let name = self.within.as_deref()?;
        Some(UsedFacet { field: "within", name, is_number: false, levels: None })
    }

    fn begin(&self, context: &Aggregation) -> RankRows {
        RankRows::new(self.within.as_deref(), context)
    }

    fn add(&self, sums: &mut RankRows, scores: &ScoreTable) -> Result<(), AggregateError> {
        sums.add(scores)
    }

    fn findings(
        &self,
        sums: RankRows,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let mut found = self.found(&sums, exclusions, chance)?;
        sums.rows().withhold_missing(exclusions, Estimates::Relative, &mut found);
        Ok(found)
    }
}

register_aggregator!(
    RankingOfModels,
    "ranking",
    summary = "Orders of models: mean ranks, Plackett-Luce strengths, Friedman's test, Kendall's W",
    citation = "Plackett 1975, Applied Statistics; Luce 1959; Friedman 1937; Kendall & Babington Smith 1939; by level: Boos 1992, The \
         American Statistician",
    example = "{ kind: ranking, generalize_to: raters, level: 0.95 }",
);
