//! Values that results of studies and of files have in common.

use std::sync::Arc;

use hype_core::model::findings::ModelMetric;
use hype_core::plugin::extractor::RgbPixels;
use hype_core::plugin::metric::MetricValue;
use hype_images::Picture;

/// Says what pixels are, for readers of results.
pub(crate) const DECODER: &str =
    concat!("hype-images ", env!("CARGO_PKG_VERSION"), ": upright, opaque on white, sRGB, 8 bits");

/// Says the same of the frames of clips.
pub(crate) const CLIP_DECODER: &str =
    "ffmpeg: luma of 8 bits, frames paired by their numbers, the mean over frames";

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

/// The pixels of a decoded image, for extractors and metrics.
pub(crate) fn pixels(picture: &Picture) -> RgbPixels<'_> {
    RgbPixels { width: picture.width(), height: picture.height(), samples: picture.pixels() }
}
