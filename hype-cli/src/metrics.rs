//! Scores beside automated metrics.

use std::sync::Arc;

use hype::exchange::Metrics;
use hype_core::{Findings, Study};
use hype_report::MetricValues;

/// The bootstrap resamples and the confidence level for correlations.
const RESAMPLES: u32 = 10_000;
const LEVEL: f64 = 0.95;

/// Adds the correlations of a study's scores with metrics to findings.
pub(crate) fn correlate(metrics: &Metrics, findings: &mut Findings, study: &Study) {
    metrics.correlate(findings, RESAMPLES, LEVEL, study.chance());
}

/// Metrics one by one, for figures.
pub(crate) fn values(metrics: &Metrics) -> Vec<MetricValues> {
    let values =
        |name: &Arc<str>| metrics.values(name).map(|(model, value)| (Arc::clone(model), value)).collect();
    metrics.names().iter().map(|name| MetricValues { name: Arc::clone(name), values: values(name) }).collect()
}
