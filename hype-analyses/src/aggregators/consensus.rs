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
//! Raters are assumed to behave alike on every model (`fit: pooled`), which uses all of their labels but assumes one
//! prior of labels for all models; `fit: by-model` estimates everything separately for each model.

use hype_core::plugin::aggregator::Aggregation;
use hype_core::{Aggregator, Diagnostics, Measure, register_aggregator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::resampling::Resampling;
use crate::score_rows::{ScoreRows, aggregates_score_rows, check_measures};

mod findings;
mod fit;
mod tables;

/// The aggregator `consensus`. The default is the majority of votes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Consensus {
    /// The measures whose values are labels; by default all measures of the rubric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Vec<String>>,
    /// How several labels are combined into one.
    pub method: ConsensusMethod,
    /// The items from whose labels raters are estimated.
    pub fit: FitScope,
    /// Whether the findings list the consensus of every item.
    pub table: bool,
    /// How many resamples of items, and the level of intervals.
    pub bootstrap: Resampling,
}

impl Default for Consensus {
    fn default() -> Self {
        Self {
            measures: None,
            method: ConsensusMethod::Majority,
            fit: FitScope::Pooled,
            table: true,
            bootstrap: Resampling::default(),
        }
    }
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

/// The items from whose labels raters are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FitScope {
    /// The items of all models together.
    #[default]
    Pooled,
    /// The items of each model separately.
    ByModel,
}

impl Aggregator for Consensus {
    aggregates_score_rows!();

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        at.within("measures", |at| check_measures(self.measures.as_deref(), measures, at));
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
    example = "{ kind: consensus, method: dawid-skene, fit: pooled, table: true }",
);
