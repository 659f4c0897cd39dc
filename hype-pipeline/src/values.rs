//! Values that results of studies and of files have in common.

use std::sync::Arc;

use hype_core::model::findings::ModelMetric;
use hype_core::plugin::metric::MetricValue;

/// The software that computes the metrics.
pub(crate) fn software() -> String {
    format!("hype-metrics {}", env!("CARGO_PKG_VERSION"))
}

/// The value of a model among findings.
pub(crate) fn model_metric(model: &Arc<str>, value: MetricValue, units: u64) -> ModelMetric {
    let MetricValue { value, undefined, interval, details, cautions, .. } = value;
    ModelMetric {
        model: Arc::clone(model),
        value,
        undefined,
        interval,
        units: Some(units),
        details,
        cautions,
    }
}
