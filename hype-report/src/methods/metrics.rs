//! How automated metrics were computed.

use hype_core::model::findings::MetricFindings;

use super::in_words;
use crate::text::listed;

/// A paragraph for each pipeline, and one with cautions for readers; none for metrics known by their values alone.
pub(super) fn pipelines(metrics: &[MetricFindings]) -> Vec<String> {
    let mut all: Vec<String> = MetricFindings::pipelines(metrics)
        .into_iter()
        .map(|(pipeline, labels)| {
            let facts: Vec<String> =
                pipeline.iter().map(|fact| format!("{}: {}", fact.label, in_words(&fact.value))).collect();
            let labels: Vec<String> = labels.into_iter().map(str::to_owned).collect();
            format!("Automated metrics: {} ({}).", listed(&labels), facts.join("; "))
        })
        .collect();
    let mut intervals: Vec<&str> = metrics
        .iter()
        .flat_map(|metric| &metric.values)
        .filter_map(|one| Some(&*one.interval.as_ref()?.method))
        .collect();
    intervals.sort_unstable();
    intervals.dedup();
    if !intervals.is_empty() {
        all.push(format!("Intervals of automated metrics are by {}.", intervals.join(" and by ")));
    }
    let cautions = cautions(metrics);
    if !cautions.is_empty() {
        all.push(format!("Of automated metrics, readers should know: {}.", cautions.join("; ")));
    }
    all
}

/// The cautions, each once, with the metrics that it is about; those of models differ in their numbers.
fn cautions(metrics: &[MetricFindings]) -> Vec<String> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for metric in metrics {
        for caution in metric.values.iter().flat_map(|one| &one.cautions) {
            let label = &*metric.measure.label;
            match found.iter_mut().find(|(known, _)| **known == **caution) {
                Some((_, labels)) if !labels.contains(&label) => labels.push(label),
                Some(_) => {}
                None => found.push((caution, vec![label])),
            }
        }
    }
    found.into_iter().map(|(caution, labels)| format!("{} ({caution})", labels.join(", "))).collect()
}
