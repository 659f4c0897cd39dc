//! The aggregator `consensus`: one label for each item from the labels of several raters.
//!
//! The different values of a measure are unordered labels, and each output of a model for an item has one true label.
//! A model's estimate is the mean over its items of the consensus label's value; where labels are tied, the mean of
//! the tied ones. For labels 0 and 1 that is the share of items labelled 1; the table `shares` lists every label.
//!
//! # Intervals
//!
//! Items are resampled with their labels fixed: the interval generalises to other items with the same raters. It
//! ignores the uncertainty of a label, which the columns `confidence` and `entropy` of the table show.
//!
//! # Raters
//!
//! Raters are assumed to behave the same way on every model, which uses all of their labels but assumes one prior of labels
//! for all models.

use hype_core::plugin::aggregator::Aggregation;
use hype_core::{Aggregator, Diagnostics, Measure, NumberBounds, register_aggregator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aggregators::measures::check_rated;
use crate::score_rows::{ScoreRows, aggregates_score_rows, check_measures};

mod findings;
mod fit;
mod tables;

/// The aggregator `consensus`. The default is the majority of votes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Consensus {
    /// The measures to report, the study's score first; by default all that the aggregator is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Vec<String>>,
    /// How several labels are combined into one.
    pub method: ConsensusMethod,
    /// The confidence level: by default 0.95.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: Option<f64>,
}

/// How several labels are combined into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConsensusMethod {
    /// The most frequent label.
    #[default]
    Majority,
    /// Dawid and Skene (1979): a confusion matrix for each rater.
    DawidSkene,
    /// One probability of a correct label for each rater.
    OneCoin,
    /// Whitehill et al. (2009): abilities of raters and difficulties of items.
    Glad,
    /// Hovy et al. (2013): raters who know the label or guess by habit.
    Mace,
}

impl Aggregator for Consensus {
    aggregates_score_rows!();

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        at.within("measures", |at| check_measures(self.measures.as_deref(), measures, at));
        let first = self.measures.as_deref().and_then(<[String]>::first);
        check_rated("consensus", first.map(String::as_str), measures, at);
    }

    fn begin(&self, context: &Aggregation) -> ScoreRows {
        ScoreRows::new(self.measures.as_deref(), context)
    }
}

register_aggregator!(
    Consensus,
    "consensus",
    summary = "One label for each item from several raters: majority, Dawid-Skene, one-coin, GLAD or MACE",
    citation = "Dawid & Skene 1979; Li & Yu 2014; Whitehill et al. 2009, GLAD; Hovy et al. 2013, MACE",
    example = "{ kind: consensus, method: dawid-skene, level: 0.95 }",
);
