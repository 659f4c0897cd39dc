//! The table of automated metrics.

use hype_core::model::findings::{Interval, MetricFindings, ModelMetric};

use super::{Entry, PaperTable, caution_first};
use crate::data::Cell;
use crate::numbers::Style;
use crate::source::ReportSource;

/// The values of metrics that were computed from the study's images, with their intervals and numbers of images. The methods
/// section has their pipelines.
pub(super) fn metrics(source: &ReportSource<'_>) -> Option<PaperTable> {
    let computed = || source.findings.metrics.iter().filter(|metric| !metric.pipeline.is_empty());
    let rows: Vec<(&MetricFindings, &ModelMetric)> =
        computed().flat_map(|metric| metric.values.iter().map(move |one| (metric, one))).collect();
    if rows.is_empty() {
        return None;
    }
    let mut caption = format!("{}: automated metrics.", source.name());
    if let Some(caution) = source.caution() {
        caution_first(&mut caption, caution);
    }
    let mut table = PaperTable::new("s3-metrics", caption);
    let style = |metric: &MetricFindings| Style::of_metric(metric.known().map(|(_, value)| value));
    let label = |metric: &MetricFindings| Entry::new(&metric.measure.label, &*metric.measure.label);
    table.column("metric", "Metric", rows.iter().map(|(metric, _)| label(metric)));
    table.column("model", "Model", rows.iter().map(|(_, one)| Entry::new(&one.model, &*one.model)));
    let numbers = |get: &dyn Fn(&ModelMetric) -> Option<f64>| -> Vec<Entry> {
        rows.iter().map(|(metric, one)| Entry::number(style(metric), get(one))).collect()
    };
    let limit = |get: fn(&Interval) -> f64| move |one: &ModelMetric| one.interval.as_ref().map(get);
    table.column("value", "Value", numbers(&|one| one.value));
    if rows.iter().any(|(_, one)| one.interval.is_some()) {
        table.column("low", "Low", numbers(&limit(|interval| interval.low)));
        table.column("high", "High", numbers(&limit(|interval| interval.high)));
    }
    table.column("images", "Images", rows.iter().map(|(_, one)| count(one.units)));
    if rows.iter().any(|(_, one)| one.reference_images().is_some()) {
        let references = rows.iter().map(|(_, one)| count(one.reference_images()));
        table.column("reference_images", "Reference", references);
    }
    Some(table)
}

/// A number of images, or a dash if it is unknown.
fn count(images: Option<u64>) -> Entry {
    match images {
        Some(images) => Entry::new(images, images.to_string()),
        None => Entry::new(Cell::Empty, "–"),
    }
}
