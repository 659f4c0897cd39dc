//! The aggregator `median_by_model`: the median over raters with its bootstrap interval.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hype_core::model::findings::{Estimate, Exclusion, Interval, WithExcluded};
use hype_core::{
    AggregateError, Aggregated, Aggregation, Aggregator, Diagnostics, Direction, Measure, MeasureFindings,
    Note, ScoreTable, Streams, register_aggregator,
};
use hype_stats::bootstrap::{self, Resamples};
use hype_stats::describe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The aggregator `median_by_model`.
///
/// # Method
/// A rater's values for a model are averaged, and the median of those means is the estimate: a few raters who do not
/// look move it less than they move a mean. Its interval is that of a percentile bootstrap over raters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MedianByModel {
    /// How many resamples the bootstrap takes.
    #[schemars(range(min = 100, max = 1_000_000))]
    pub resamples: u32,
    /// The confidence level.
    #[schemars(range(min = 0.5, max = 0.9999))]
    pub level: f64,
}

impl Default for MedianByModel {
    fn default() -> Self {
        Self { resamples: 10_000, level: 0.95 }
    }
}

/// What is kept of the rows seen so far: a sum and a count for each measure, model and rater.
///
/// Ordered maps, because the order of a hash map must not reach the findings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sums {
    measures: Vec<Kept>,
}

#[derive(Debug, Clone, PartialEq)]
struct Kept {
    measure: Measure,
    items: BTreeSet<Arc<str>>,
    models: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Sum>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sum {
    sum: f64,
    count: u64,
}

impl Sum {
    fn mean(self) -> f64 {
        self.sum / self.count as f64
    }
}

impl Aggregator for MedianByModel {
    type Sums = Sums;

    fn check(&self, _: &[Measure], at: &mut Diagnostics) {
        if !(100..=1_000_000).contains(&self.resamples) {
            at.field("resamples")
                .error("out-of-range", format!("{} resamples", self.resamples))
                .help("use a number from 100 to 1000000");
        }
        if !(0.5..=0.9999).contains(&self.level) {
            at.field("level")
                .error("out-of-range", format!("{} is no confidence level", self.level))
                .help("use a share from 0.5 to 0.9999, such as 0.95");
        }
    }

    fn begin(&self, context: &Aggregation) -> Sums {
        let kept = |measure: &Measure| Kept {
            measure: measure.clone(),
            items: BTreeSet::new(),
            models: BTreeMap::new(),
        };
        Sums { measures: context.measures.iter().map(kept).collect() }
    }

    fn add(&self, sums: &mut Sums, scores: &ScoreTable) -> Result<(), AggregateError> {
        for row in scores.rows() {
            if !row.value.is_finite() {
                return Err(AggregateError::NotFinite {
                    rater: row.rater.to_owned(),
                    model: row.model.to_owned(),
                    measure: row.measure.to_owned(),
                    value: row.value.to_string(),
                });
            }
            let wanted = |kept: &&mut Kept| &*kept.measure.name == row.measure;
            let Some(kept) = sums.measures.iter_mut().find(wanted) else {
                continue;
            };
            if !row.item.is_empty() && !kept.items.contains(row.item) {
                kept.items.insert(row.item.into());
            }
            let raters = kept.models.entry(row.model.into()).or_default();
            let sum = raters.entry(row.rater.into()).or_default();
            sum.sum += row.value;
            sum.count += 1;
        }
        Ok(())
    }

    fn merge(&self, into: &mut Sums, other: Sums) {
        for (kept, other) in into.measures.iter_mut().zip(other.measures) {
            kept.items.extend(other.items);
            for (model, raters) in other.models {
                let known = kept.models.entry(model).or_default();
                for (rater, more) in raters {
                    let sum = known.entry(rater).or_default();
                    sum.sum += more.sum;
                    sum.count += more.count;
                }
            }
        }
    }

    fn findings(
        &self,
        sums: Sums,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let mut found = Aggregated::default();
        for (index, kept) in sums.measures.iter().enumerate() {
            if index == 0 && kept.models.is_empty() {
                return Err(AggregateError::NoScores {
                    measure: kept.measure.name.to_string(),
                    known: measured(&sums),
                });
            }
            let chance = chance.child("measure", index as u64);
            let measure = self.measure_findings(kept, exclusions, &chance, &mut found.notes);
            if !measure.estimates.is_empty() {
                found.measures.push(measure);
            }
        }
        Ok(found)
    }
}

impl MedianByModel {
    fn measure_findings(
        &self,
        kept: &Kept,
        exclusions: &[Exclusion],
        chance: &Streams,
        notes: &mut Vec<Note>,
    ) -> MeasureFindings {
        let mut estimates: Vec<Estimate> = Vec::new();
        for (place, (model, raters)) in (0..).zip(&kept.models) {
            let seed = chance.child("model", place).seed("bootstrap");
            let Some(estimate) = self.estimate(model, raters, exclusions, seed) else {
                continue;
            };
            if estimate.interval.is_none() {
                notes.push(Note::warning(
                    "no-interval",
                    format!(
                        "{model}: {} raters are too few for an interval of {}",
                        estimate.raters, kept.measure.label
                    ),
                ));
            }
            estimates.push(estimate);
        }
        match kept.measure.direction {
            Direction::Higher => estimates.sort_by(|a, b| b.value.total_cmp(&a.value)),
            Direction::Lower => estimates.sort_by(|a, b| a.value.total_cmp(&b.value)),
            Direction::Neither => {}
        }
        let counted: BTreeSet<&Arc<str>> = kept
            .models
            .values()
            .flat_map(BTreeMap::keys)
            .filter(|rater| !is_excluded(rater, exclusions))
            .collect();
        MeasureFindings {
            raters: counted.len() as u64,
            items: kept.items.len() as u64,
            responses: estimates.iter().map(|estimate| estimate.responses).sum(),
            estimates,
            ..MeasureFindings::new(kept.measure.clone())
        }
    }

    /// The estimate for one model; `None` if nobody's values count.
    fn estimate(
        &self,
        model: &Arc<str>,
        raters: &BTreeMap<Arc<str>, Sum>,
        exclusions: &[Exclusion],
        seed: u64,
    ) -> Option<Estimate> {
        let everyone: Vec<f64> = raters.values().map(|sum| sum.mean()).collect();
        let (means, counts): (Vec<f64>, Vec<u64>) = raters
            .iter()
            .filter(|(rater, _)| !is_excluded(rater, exclusions))
            .map(|(_, sum)| (sum.mean(), sum.count))
            .unzip();
        let median_of = |drawn: &[u32]| {
            let values: Vec<f64> = drawn.iter().map(|&rater| means[rater as usize]).collect();
            describe::median(&values).unwrap_or(f64::NAN)
        };
        let resamples = Resamples::seeded(self.resamples as usize, seed);
        let distribution = bootstrap::statistic(means.len(), resamples, median_of).ok();
        let interval = distribution
            .as_ref()
            .and_then(|distribution| distribution.percentile(self.level).ok())
            .map(|interval| Interval {
                low: interval.lower,
                high: interval.upper,
                level: interval.level,
                method: "percentile bootstrap of the median over raters".into(),
            });
        let excluded = everyone.len() - means.len();
        Some(Estimate {
            model: Arc::clone(model),
            value: describe::median(&means).ok()?,
            interval,
            bootstrap_sd: distribution.and_then(|found| found.standard_deviation().ok()),
            sd: describe::standard_deviation(&means).ok(),
            // The standard error of a mean says nothing of a median.
            sem: None,
            raters: means.len() as u64,
            responses: counts.iter().sum(),
            with_excluded: match describe::median(&everyone) {
                Ok(value) if excluded > 0 => Some(WithExcluded { value, raters: everyone.len() as u64 }),
                _ => None,
            },
        })
    }
}

register_aggregator!(
    MedianByModel,
    "median_by_model",
    summary = "For each model the median over raters, with a bootstrap interval",
    citation = "Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 13",
    example = "{ kind: median_by_model, resamples: 10000, level: 0.95 }",
);

fn is_excluded(rater: &str, exclusions: &[Exclusion]) -> bool {
    exclusions.iter().any(|exclusion| &*exclusion.rater == rater)
}

fn measured(sums: &Sums) -> String {
    let with_rows = sums.measures.iter().filter(|kept| !kept.models.is_empty());
    let names: Vec<&str> = with_rows.map(|kept| &*kept.measure.name).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
