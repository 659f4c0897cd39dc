//! The aggregator `contrast`: counts, win rates and strengths from votes between pairs of models.
//!
//! A vote is one row: the model shown first, the model that it was compared with, and 1 if the first was preferred,
//! 0 if the other was, 0.5 for a tie. The sums are three counts for each rater and ordered pair of models.

use hype_core::model::findings::Exclusion;
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{
    AggregateError, Aggregated, Aggregator, Diagnostics, Measure, ScoreTable, Streams, register_aggregator,
};
use hype_stats::preference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::measures::check_votes;
use super::resampling::Resampling;
use super::strengths::{RIDGE, check_ridge};

mod findings;
mod votes;

pub use self::votes::PreferenceVotes;
pub(crate) use self::votes::place_of;

/// The aggregator `contrast`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PairedPreferences {
    /// The model of preferences.
    pub model: PreferenceModel,
    /// How intervals of strengths are computed.
    pub intervals: IntervalKind,
    /// How many resamples of raters, and the level of intervals.
    pub bootstrap: Resampling,
    /// A penalty alpha on the sum of squared strengths, which keeps them finite if a model never lost; none if
    /// left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = RIDGE.schema())]
    pub ridge: Option<f64>,
    /// Whether the model has a term for the order of presentation.
    pub order_effect: bool,
}

/// The model of preferences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PreferenceModel {
    /// Davidson's if there are ties, else Bradley and Terry's.
    #[default]
    Auto,
    /// Bradley and Terry's (1952), with a tie as half a win for each.
    BradleyTerry,
    /// Bradley and Terry's with ties left out.
    BradleyTerryWithoutTies,
    /// Davidson's (1970), in which ties have a separate probability.
    Davidson,
}

/// How intervals of strengths are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalKind {
    /// From the percentiles of a bootstrap over raters.
    #[default]
    Bootstrap,
    /// From the information matrix: valid if all votes are independent.
    Information,
    /// From the sandwich estimator over raters with the factor G / (G - 1): valid if raters are independent and many.
    Clustered,
}

impl PairedPreferences {
    /// The model that fits a table of votes.
    fn fitted_model(&self, has_ties: bool) -> Result<preference::BradleyTerry, hype_stats::StatError> {
        let ties = match self.model {
            PreferenceModel::BradleyTerry => preference::Ties::Half,
            PreferenceModel::BradleyTerryWithoutTies => preference::Ties::LeftOut,
            PreferenceModel::Davidson => preference::Ties::Davidson,
            PreferenceModel::Auto if has_ties => preference::Ties::Davidson,
            PreferenceModel::Auto => preference::Ties::Half,
        };
        let model = preference::BradleyTerry::new(ties);
        let model = if self.order_effect { model.with_order_effect() } else { model };
        self.ridge.map_or(Ok(model), |alpha| model.with_ridge(alpha))
    }
}

impl Aggregator for PairedPreferences {
    type Sums = PreferenceVotes;

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        check_votes("contrast", measures, at);
        at.within("bootstrap", |at| self.bootstrap.check(at));
        check_ridge(self.ridge, at);
    }

    fn begin(&self, context: &Aggregation) -> PreferenceVotes {
        PreferenceVotes::new(context)
    }

    fn add(&self, sums: &mut PreferenceVotes, scores: &ScoreTable) -> Result<(), AggregateError> {
        sums.add(scores)
    }

    fn merge(&self, into: &mut PreferenceVotes, other: PreferenceVotes) {
        into.merge(&other);
    }

    fn findings(
        &self,
        sums: PreferenceVotes,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        self.found(&sums, exclusions, chance)
    }
}

register_aggregator!(
    PairedPreferences,
    "contrast",
    summary = "Votes between pairs: counts, win rates, Bradley-Terry or Davidson strengths with intervals",
    citation =
        "Bradley & Terry 1952, Biometrika; Davidson 1970, JASA; Ford 1957, American Mathematical Monthly",
    example =
        "{ kind: contrast, model: auto, intervals: bootstrap, bootstrap: { resamples: 2000, level: 0.95 } }",
);
