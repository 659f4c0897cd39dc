//! Automated metrics with what they were computed from.

use hype_core::model::findings::{Fact, MetricFindings, ModelMetric};

use crate::grid::Grid;
use crate::output::Page;

/// Writes metrics with their pipelines.
pub(crate) fn metrics_on(page: &mut Page, metrics: &[MetricFindings]) {
    if metrics.is_empty() {
        return;
    }
    let mut table = Grid::new(["metric", "model", "value", "interval", "images"]).right_from(2);
    for metric in metrics {
        for one in &metric.values {
            let (value, interval) = shown(one);
            let units = one.units.map_or_else(|| "-".to_owned(), |units| units.to_string());
            table.row([metric.measure.label.to_string(), one.model.to_string(), value, interval, units]);
        }
    }
    page.table(&table);
    let intervals = metrics.iter().flat_map(|metric| &metric.values).filter_map(|one| one.interval.as_ref());
    let mut methods: Vec<String> = intervals
        .map(|interval| format!("{} %, {}", super::percent(interval.level), interval.method))
        .collect();
    methods.sort();
    methods.dedup();
    for method in methods {
        page.line(format_args!("interval: {method}"));
    }
    let mut said: Vec<String> = Vec::new();
    // Once is enough, as it is the same for all metrics of one set.
    let values = metrics.iter().flat_map(|metric| &metric.values);
    for one in values {
        for fact in one.details.iter().filter(|fact| &*fact.name == ModelMetric::REFERENCE_IMAGES) {
            let line = format!("{}: {}", one.model, fact_text(fact));
            if !said.contains(&line) {
                said.push(line);
            }
        }
    }
    for metric in metrics {
        for one in &metric.values {
            let about = format!("{} of {}", metric.measure.label, one.model);
            let details = one.details.iter().filter(|fact| &*fact.name != ModelMetric::REFERENCE_IMAGES);
            said.extend(details.map(|fact| format!("{about}: {}", fact_text(fact))));
            said.extend(one.cautions.iter().map(|caution| format!("caution: {about}: {caution}")));
        }
    }
    for line in said {
        page.line(line);
    }
    for (pipeline, labels) in MetricFindings::pipelines(metrics) {
        page.line(format_args!("\npipeline of {}", labels.join(", ")));
        for fact in pipeline {
            page.line(format_args!("  {}", fact_text(fact)));
        }
    }
}

fn shown(one: &ModelMetric) -> (String, String) {
    let value = one.value.map_or_else(|| "-".to_owned(), super::number);
    let interval = match (&one.interval, &one.undefined) {
        (_, Some(reason)) => reason.to_string(),
        (Some(found), None) => super::interval(found),
        (None, None) => "-".to_owned(),
    };
    (value, interval)
}

fn fact_text(fact: &Fact) -> String {
    let value = match &fact.value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Number(number) => {
            number.as_f64().filter(|_| number.is_f64()).map_or_else(|| number.to_string(), super::number)
        }
        other => other.to_string(),
    };
    format!("{}: {value}", fact.label)
}
