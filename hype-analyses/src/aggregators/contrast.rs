//! The aggregator `contrast`: counts, win rates and strengths from votes between pairs of models.
//!
//! A vote is one row: the model shown first, the model that it was compared with, and 1 if the first was preferred,
//! 0 if the other was, 0.5 for a tie. The sums are three counts for each rater and ordered pair of models, and for each item
//! where results generalize to other items. With `within` they are kept by level of a facet, too.

use hype_core::model::findings::{Exclusion, GeneralizeTo};
use hype_core::plugin::aggregator::{Aggregation, UsedFacet};
use hype_core::{
    AggregateError, Aggregated, Aggregator, Diagnostics, Measure, NumberBounds, ScoreTable, Streams,
    register_aggregator,
};
use hype_stats::preference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::measures::{check_votes, is_preference};
use super::resampling::{Bootstrap, Resampling, check_intervals};
use super::sides::{Sides, unless_said};
use super::strengths::RIDGE;

mod adjusted;
mod against;
mod findings;
mod levels;
mod votes;
mod win_rates;

pub use self::votes::PreferenceVotes;
pub(crate) use self::votes::place_of;

/// The aggregator `contrast`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PairedPreferences {
    /// The model of preferences.
    pub model: PreferenceModel,
    /// How intervals are computed: by default from the votes' clusters, or by a bootstrap if `bootstrap` is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<IntervalKind>,
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
    /// Whether the model has a term for the order of presentation. Unless it is said, a table of votes has one if models did not
    /// stand first equally often, and a study's has none.
    #[serde(serialize_with = "unless_said")]
    #[schemars(with = "bool")]
    pub order_effect: Option<bool>,
    /// A facet, by its name in the section `facets`: results are also given at each of its levels, with one family of pairs over
    /// all levels, and whether they depend on the level is tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// Facts of outputs, such as `words` and `headings` of texts or the `duration` of clips: strengths are also given where outputs
    /// are equal in them, with the effect of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub covariates: Vec<String>,
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

/// How intervals are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalKind {
    /// From the percentiles of a bootstrap over raters. Too narrow with fewer than 30.
    Bootstrap,
    /// From the information matrix: valid if all votes are independent.
    Information,
    /// From the sandwich estimator over what results generalize to, with Student's t.
    Clustered,
}

impl PairedPreferences {
    fn interval_kind(&self) -> IntervalKind {
        let unless_said =
            if self.bootstrap.is_some() { IntervalKind::Bootstrap } else { IntervalKind::Clustered };
        self.intervals.unwrap_or(unless_said)
    }

    fn resampling(&self) -> Resampling {
        Bootstrap::resampling(self.bootstrap, self.level)
    }

    fn confidence(&self) -> f64 {
        self.resampling().level
    }

    /// Returns the target that the settings ask for, where the study's items suggest `otherwise`. A bootstrap resamples raters.
    fn target(&self, otherwise: GeneralizeTo) -> GeneralizeTo {
        Aggregator::generalizes_to(self).unwrap_or(otherwise)
    }

    /// The model that fits a table of votes.
    fn fitted_model(
        &self,
        has_ties: bool,
        sides: Sides,
    ) -> Result<preference::BradleyTerry, hype_stats::StatError> {
        let ties = match self.model {
            PreferenceModel::BradleyTerry => preference::Ties::Half,
            PreferenceModel::BradleyTerryWithoutTies => preference::Ties::LeftOut,
            PreferenceModel::Davidson => preference::Ties::Davidson,
            PreferenceModel::Auto if has_ties => preference::Ties::Davidson,
            PreferenceModel::Auto => preference::Ties::Half,
        };
        let model = preference::BradleyTerry::new(ties);
        let model = if sides.are_allowed_for() { model.with_order_effect() } else { model };
        self.ridge.map_or(Ok(model), |alpha| model.with_ridge(alpha))
    }
}

impl Aggregator for PairedPreferences {
    type Sums = PreferenceVotes;

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        check_votes("contrast", measures, at);
        let is_resampled = self.interval_kind() == IntervalKind::Bootstrap;
        check_intervals(is_resampled, self.generalize_to, at);
        if is_resampled && !self.covariates.is_empty() {
            at.field("covariates")
                .error("no-such-interval", "strengths with covariates have no bootstrap")
                .help("leave `bootstrap` out: intervals are then by standard errors");
        }
    }

    fn generalizes_to(&self) -> Option<GeneralizeTo> {
        match self.interval_kind() {
            IntervalKind::Bootstrap => Some(GeneralizeTo::Raters),
            _ => self.generalize_to,
        }
    }

    fn reported(&self, measure: &Measure) -> Measure {
        if is_preference(measure) { findings::strength(measure) } else { measure.clone() }
    }

    fn used_facet(&self) -> Option<UsedFacet<'_>> {
        let name = self.within.as_deref()?;
        Some(UsedFacet { field: "within", name, is_number: false, levels: None })
    }

    fn covariates(&self) -> &[String] {
        &self.covariates
    }

    fn begin(&self, context: &Aggregation) -> PreferenceVotes {
        let votes = context.measures.iter().filter(|measure| is_preference(measure)).cloned().collect();
        let votes = PreferenceVotes::new(votes, self.target(context.generalize_to), context)
            .with_sides(self.order_effect, context)
            .with_covariates(&self.covariates, context);
        match &self.within {
            Some(facet) => votes.within(facet, context),
            None => votes,
        }
    }

    fn add(&self, sums: &mut PreferenceVotes, scores: &ScoreTable) -> Result<(), AggregateError> {
        sums.add(scores)
    }

    fn findings(
        &self,
        sums: PreferenceVotes,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let mut found = self.found(&sums, exclusions, chance)?;
        sums.withhold_missing(exclusions, &mut found);
        Ok(found)
    }
}

register_aggregator!(
    PairedPreferences,
    "contrast",
    summary = "Votes between pairs: counts, win rates, Bradley-Terry or Davidson strengths with intervals",
    citation = "Bradley & Terry 1952, Biometrika; Davidson 1970, JASA; Ford 1957, American Mathematical Monthly; by level: Boos 1992, The \
         American Statistician; covariates: Chiang et al. 2024, ICML",
    example = "{ kind: contrast, model: auto, intervals: clustered, generalize_to: raters }",
);
