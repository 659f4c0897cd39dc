//! Differences of another metric between linked items.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::diagnostics::Diagnostics;
use hype_core::model::findings::Fact;
use hype_core::model::score::{Direction, Measure};
use hype_core::model::stimulus::Stimuli;
use hype_core::plugin::metric::{
    Metric, MetricFault, MetricInputs, MetricSample, MetricSpec, MetricUnit, MetricValue,
};
use hype_core::protocol::chance::Streams;
use hype_core::register_metric;
use hype_metrics::heim::{LinkedPair, linked_difference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::numbers::{fault, interval};

/// The metric `linked_difference`.
///
/// # Method
/// The mean difference of a metric between the outputs for a changed prompt, such as a perturbed or translated one, and those
/// for the original, within each pair; whole links are resampled. Two facets of items say which belong together: `link` names
/// the original prompt, and `version` the version of it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkedVersions {
    /// The metric whose values are compared; it needs a value for each output.
    pub metric: Box<dyn MetricSpec>,
    /// The level of the facet `version` that is the original.
    #[serde(default = "original")]
    pub original: Arc<str>,
}

/// The facet of items whose levels link versions of one prompt. The section `facets` says which column of a table it is.
const LINK: &str = "link";
/// The facet of items that says which version an item is.
const VERSION: &str = "version";

fn original() -> Arc<str> {
    "original".into()
}

impl Metric for LinkedVersions {
    fn inputs(&self) -> MetricInputs<'_> {
        self.metric.inputs()
    }

    fn measures(&self) -> Vec<Measure> {
        let inner = self.metric.measures();
        let Some(first) = inner.first() else { return Vec::new() };
        let name = format!("{}_difference", first.name);
        let label = format!("{}: changed less original", first.label);
        let unit = if &*first.unit == "proportion" { "" } else { &*first.unit };
        vec![Measure::new(&name, &label, unit, Direction::Neither)]
    }

    fn check(&self, stimuli: &Stimuli, at: &mut Diagnostics) {
        at.within("metric", |at| self.metric.check(stimuli, at));
        for facet in [LINK, VERSION] {
            if !stimuli.items().iter().any(|item| item.levels.contains_key(facet)) {
                at.error("unknown-facet", format!("no item has a level of the facet `{facet}`")).help(format!(
                    "declare it in the section `facets`, such as `{facet}: {{ of: items, column: {facet} }}`"
                ));
            }
        }
    }

    fn row(&self, unit: &MetricUnit<'_>) -> Result<Vec<f64>, MetricFault> {
        self.metric.row(unit)
    }

    fn compute(&self, sample: &MetricSample<'_>, chance: &Streams) -> Result<Vec<MetricValue>, MetricFault> {
        let values = self.metric.compute(sample, chance)?;
        let by_row = values.into_iter().next().map(|first| first.by_row).unwrap_or_default();
        if by_row.is_empty() {
            return Err(MetricFault::data(
                "this metric has no value for each output, and nothing can be linked",
            ));
        }
        let (links, versions) = (sample.levels(LINK)?, sample.levels(VERSION)?);
        let mut originals: BTreeMap<&Arc<str>, f64> = BTreeMap::new();
        let rows = || links.iter().zip(&versions).zip(&by_row);
        for ((link, version), value) in rows() {
            if let (true, Some(value)) = (**version == self.original, value)
                && originals.insert(link, *value).is_some()
            {
                return Err(MetricFault::Data(format!("`{link}` has several originals")));
            }
        }
        let numbers: BTreeMap<&Arc<str>, u32> = originals.keys().copied().zip(0..).collect();
        let changed = rows().filter(|((_, version), _)| ***version != self.original);
        let pairs: Vec<LinkedPair> = changed
            .filter_map(|((link, _), value)| {
                let (item, original) = (*numbers.get(link)?, *originals.get(link)?);
                Some(LinkedPair { item, original, changed: (*value)? })
            })
            .collect();
        if pairs.is_empty() {
            return Ok(vec![MetricValue::undefined("no changed item has an original")]);
        }
        let found = linked_difference(&pairs, chance.seed("linked difference")).map_err(fault)?;
        let method = "expanded percentile bootstrap over links, 10000 resamples";
        let value = MetricValue::new(found.difference)
            .interval(found.interval.map(|limits| interval(limits, method)))
            .detail(Fact::new("original", "mean of the originals", found.original))
            .detail(Fact::new("changed", "mean of the changed", found.changed))
            .detail(Fact::new("worst", "mean of the worst of each link", found.worst.mean))
            .detail(Fact::new("links", "links", found.items as u64));
        Ok(vec![value])
    }
}

register_metric!(
    LinkedVersions,
    "linked_difference",
    summary = "How much a metric changes with the wording of the prompt: fairness, robustness, languages",
    citation =
        "Lee et al. 2023, Holistic Evaluation of Text-to-Image Models, NeurIPS Datasets and Benchmarks",
    example = "{ kind: linked_difference, metric: { kind: clip_score }, original: original }",
);
