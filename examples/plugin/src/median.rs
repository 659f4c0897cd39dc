//! The aggregator `median_by_model`: the median over raters with its bootstrap interval.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype::prelude::*;
use hype::stats::bootstrap::{self, Resamples};
use hype::stats::describe;

/// The aggregator `median_by_model`.
///
/// # Method
/// The estimate is the median over raters of their means. Its interval is that of a percentile bootstrap over raters.
#[settings]
#[derive(Debug, Clone, PartialEq)]
pub struct MedianByModel {
    /// How many resamples the bootstrap takes.
    pub resamples: Bounded<100, 1_000_000>,
    /// The confidence level.
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: f64,
}

impl Default for MedianByModel {
    fn default() -> Self {
        Self { resamples: 10_000.into(), level: 0.95 }
    }
}

/// Each rater's values by measure, place of the model in the spec, and its name. Maps are ordered: hashes are not.
#[derive(Debug, Clone, PartialEq)]
pub struct Sums {
    context: Aggregation,
    values: BTreeMap<(usize, usize, Arc<str>), ByRater>,
}
type ByRater = BTreeMap<Arc<str>, Vec<f64>>;

impl Aggregator for MedianByModel {
    type Sums = Sums;
    fn begin(&self, context: &Aggregation) -> Sums {
        Sums { context: context.clone(), values: BTreeMap::new() }
    }

    fn add(&self, sums: &mut Sums, scores: &ScoreTable) -> Result<(), AggregateError> {
        for row in scores.rows() {
            if !row.value.is_finite() {
                return Err(AggregateError::not_finite(&row));
            }
            if let Some(measure) = sums.context.measures.iter().position(|one| &*one.name == row.measure) {
                let place = sums.context.models.iter().position(|name| **name == *row.model);
                let raters =
                    sums.values.entry((measure, place.unwrap_or(usize::MAX), row.model.into())).or_default();
                raters.entry(row.rater.into()).or_default().push(row.value);
            }
        }
        Ok(())
    }

    fn findings(
        &self,
        sums: Sums,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        if sums.values.is_empty() {
            return Err(AggregateError::Other("there are no scores".into()));
        }
        let mut found = Aggregated::default();
        found.measures.extend(sums.context.measures.into_iter().map(MeasureFindings::new));
        for (place, ((measure, _, model), raters)) in (0..).zip(sums.values) {
            let mean = |values: &Vec<f64>| describe::mean(values).unwrap_or(f64::NAN);
            let everyone: Vec<f64> = raters.values().map(mean).collect();
            let is_excluded = |rater: &Arc<str>| exclusions.iter().any(|one| one.rater == *rater);
            let counted = || raters.iter().filter(|(rater, _)| !is_excluded(rater)).map(|(_, values)| values);
            let means: Vec<f64> = counted().map(mean).collect();
            let Ok(value) = describe::median(&means) else { continue };
            let responses = counted().map(|values| values.len() as u64).sum();
            let mut estimate = Estimate::new(&model, value, means.len() as u64, responses);
            let seed = chance.child("model", place).seed("bootstrap");
            let resamples = Resamples::seeded(self.resamples.get() as usize, seed);
            match bootstrap::median(&means, resamples).and_then(|all| all.percentile(self.level)) {
                Ok(at) => estimate = estimate.interval(at.lower, at.upper, at.level, "percentile bootstrap"),
                Err(_) => {
                    found.notes.push(Note::precision("no-interval", "too few raters").on_models([model]))
                }
            }
            if let (true, Ok(value)) = (everyone.len() > means.len(), describe::median(&everyone)) {
                estimate = estimate.with_excluded(value, everyone.len() as u64);
            }
            found.measures[measure].add(estimate);
        }
        Ok(found)
    }
}

register_aggregator!(
    MedianByModel,
    "median_by_model",
    summary = "For each model the median over raters, with a bootstrap interval",
    citation = "Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 13",
    example = "{ kind: median_by_model, resamples: 10000, level: 0.95 }",
);
