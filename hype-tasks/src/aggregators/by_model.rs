//! The aggregator `by_model`: for each model an estimate with its interval, tests over models, and pairs.
//!
//! The unit of analysis is the rater: a rater's values for a model are averaged first, and those means are the
//! sample. Values stream in; the state is one sum and one count for each rater, model and measure (and item, if items
//! are resampled too).
//!
//! If raters and items are resampled together, the estimate is the mean of all responses, with equal weights.
//! Differences, tests and standard deviations average each rater first; a note says where the two differ.

use hype_core::model::findings::Exclusion;
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{
    AggregateError, Aggregated, Aggregator, Bounded, Diagnostics, Measure, NumberBounds, ScoreTable, Streams,
    register_aggregator,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aggregators::Resampling;
use crate::aggregators::measures::is_preference;
use crate::shared::score_rows::check_measures;

mod comparisons;
mod estimates;
mod sums;
mod untested;
mod within;

pub use self::sums::Sums;

/// The aggregator `by_model`. The default is that of HYPE: a percentile bootstrap over raters with 10,000 resamples.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ByModel {
    /// The measures to report, the study's score first; by default all measures of the rubric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Vec<String>>,
    /// How intervals are computed.
    pub bootstrap: Bootstrap,
    /// How pairs of models are compared.
    pub pairs: Pairs,
}

/// How intervals are computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Bootstrap {
    /// How many resamples.
    pub resamples: Bounded<100, 1_000_000>,
    /// The confidence level.
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: f64,
    /// What is resampled.
    pub unit: Unit,
    /// How the interval is computed from the resamples.
    pub interval: IntervalMethod,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self {
            resamples: Bounded::new(10_000),
            level: 0.95,
            unit: Unit::Rater,
            interval: IntervalMethod::Percentile,
        }
    }
}

/// What a bootstrap resamples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Whole raters.
    #[default]
    Rater,
    /// Raters and items, each independently (Owen 2007), if the same items are judged by several raters.
    RaterItem,
}

/// How an interval is computed from the bootstrap distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IntervalMethod {
    /// Its percentiles.
    #[default]
    Percentile,
    /// Bias-corrected and accelerated (Efron 1987).
    Bca,
}

/// How pairs of models are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pairs {
    /// Between raters: Tukey-Kramer, or Welch's t for two models. Within raters: paired t with Holm's correction.
    #[default]
    Auto,
    /// Tukey-Kramer with simultaneous intervals; equal variances.
    TukeyKramer,
    /// Games-Howell with simultaneous intervals; unequal variances.
    GamesHowell,
    /// Welch's t with Holm's correction; unequal variances.
    Welch,
    /// Student's t with Holm's correction; equal variances.
    Student,
    /// Within raters: Wilcoxon's signed ranks with Holm's correction, after Friedman's test. Between raters as `auto`.
    Wilcoxon,
}

impl Aggregator for ByModel {
    type Sums = Sums;

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        at.within("bootstrap", |at| {
            let Bootstrap { resamples, level, .. } = self.bootstrap;
            Resampling { resamples, level }.check(at);
        });
        if self.bootstrap.unit == Unit::RaterItem && self.bootstrap.interval == IntervalMethod::Bca {
            at.within("bootstrap", |at| {
                at.field("interval")
                    .error("no-such-interval", "a bootstrap over raters and items has no BCa interval")
                    .help("use `interval: percentile`, or `unit: rater`");
            });
        }
        at.within("measures", |at| check_measures(self.measures.as_deref(), measures, at));
        if measures.iter().any(is_preference) {
            at.error(
                "wrong-aggregator",
                "the rubric gives votes between two models, which `by_model` cannot analyse",
            )
            .help("use `contrast`, or leave `aggregate` out");
        }
    }

    fn begin(&self, context: &Aggregation) -> Sums {
        let wanted = match &self.measures {
            None => context.measures.clone(),
            Some(names) => names
                .iter()
                .filter_map(|name| context.measures.iter().find(|measure| &*measure.name == name).cloned())
                .collect(),
        };
        Sums::new(wanted, context, self.bootstrap.unit == Unit::RaterItem)
    }

    fn add(&self, sums: &mut Sums, scores: &ScoreTable) -> Result<(), AggregateError> {
        sums.add(scores)
    }

    fn merge(&self, into: &mut Sums, other: Sums) {
        into.merge(&other);
    }

    fn findings(
        &self,
        sums: Sums,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let mut found = Aggregated::default();
        let samples = sums.samples(exclusions);
        for sample in &samples {
            if sample.models.is_empty() {
                continue;
            }
            found.measures.push(self.measure_findings(sample, sums.design(), chance, &mut found.notes));
            found.notes.extend(self.design_notes(sample, sums.design()));
        }
        match samples.first() {
            Some(score) if score.models.is_empty() => Err(AggregateError::NoScores {
                measure: score.measure.name.to_string(),
                known: sums.measured(),
            }),
            _ => Ok(found),
        }
    }
}

register_aggregator!(
    ByModel,
    "by_model",
    summary = "For each model an estimate with a bootstrap interval; ANOVA and compared pairs",
    citation = "Zhou et al. 2019, HYPE, NeurIPS; Efron & Tibshirani 1993; Tukey 1953, Kramer 1956; Games & Howell 1976",
    example = "{ kind: by_model, bootstrap: { resamples: 10000, level: 0.95, unit: rater } }",
);
