//! Metrics of two images of one size: each output and the image that is a condition of its item. Clips are compared frame by
//! frame.

use hype_core::diagnostics::Diagnostics;
use hype_core::model::item::ConditionKind;
use hype_core::model::score::{Direction, Measure};
use hype_core::model::stimulus::Stimuli;
use hype_core::plugin::metric::{
    LumaPixels, Metric, MetricFault, MetricInputs, MetricSample, MetricUnit, MetricValue, Observed,
};
use hype_core::protocol::chance::Streams;
use hype_core::register_metric;
use hype_core::words::counted;
use hype_core::{Media, StimulusId};
use hype_metrics::MetricError;
use hype_metrics::pixels::{
    Image, SimilarityWindow, mean_absolute_error, mean_squared_error, multiscale_similarity,
    peak_signal_to_noise, structural_similarity,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::numbers::{fault, mean_of};
use super::pixels::image;

/// The fault of a unit of another kind.
const PAIR: &str = "this metric needs the pixels of two images";

/// Compares the two images of a unit.
fn compared(
    unit: &MetricUnit<'_>,
    compare: impl Fn(&Image<'_>, &Image<'_>) -> Result<f64, MetricError>,
) -> Result<Vec<f64>, MetricFault> {
    let other = unit.other.as_ref().ok_or_else(|| MetricFault::data(PAIR))?;
    Ok(vec![compare(&seen(&unit.output)?, &seen(other)?).map_err(fault)?])
}

fn seen<'a>(one: &Observed<'a>) -> Result<Image<'a>, MetricFault> {
    match one {
        Observed::Pixels(pixels) => image(pixels),
        Observed::Luma(LumaPixels { width, height, samples }) => {
            Image::new(samples, *width as usize, *height as usize, 1).map_err(fault)
        }
        _ => Err(MetricFault::data(PAIR)),
    }
}

/// Checks that every judged output has an image to be compared with.
pub(super) fn check_condition(kind: ConditionKind, stimuli: &Stimuli, at: &mut Diagnostics) {
    let mut outputs = stimuli.models().flat_map(|model| stimuli.members(model));
    let lacking = outputs.find(|&&id| stimuli.item_of(id).is_none_or(|item| item.stimulus(kind).is_none()));
    let Some(first) = lacking.and_then(|&id| stimuli.get(id)) else { return };
    let (kind, media) = (format!("{kind:?}").to_lowercase(), stimuli.kind());
    at.field("against")
        .error("missing-condition", format!("{} has no {kind} {media} to be compared with", first.path))
        .help(format!("give every item a `{kind}` {media} in the section `items`"));
}

/// Warns of outputs that will have no value: those of another size or number of frames than what they are compared with, and
/// those with a side below the least.
fn check_sizes(label: &str, kind: ConditionKind, least: u32, stimuli: &Stimuli, at: &mut Diagnostics) {
    let media = |id: StimulusId| stimuli.get(id).map(|stimulus| stimulus.media);
    let outputs: Vec<StimulusId> =
        stimuli.models().flat_map(|model| stimuli.members(model)).copied().collect();
    let fault = |id: &StimulusId| {
        let (own, other) = (media(*id)?, media(stimuli.item_of(*id)?.stimulus(kind)?)?);
        if let Some(reason) = unlike(own, other) {
            return Some((*id, reason));
        }
        let (width, height) = own.size()?;
        let is_small = width.min(height) < least;
        is_small.then(|| (*id, format!("is {width}×{height}, and sides of {least} pixels are needed")))
    };
    let faults: Vec<(StimulusId, String)> = outputs.iter().filter_map(fault).collect();
    let Some((first, reason)) = faults.first() else { return };
    let path = stimuli.get(*first).map_or("", |stimulus| &*stimulus.path);
    at.warning(
        "no-value",
        format!(
            "{label} has no value for {} of {}: {path} {reason}",
            faults.len(),
            counted(outputs.len(), "output")
        ),
    )
    .help("their values are left out, and said");
}

/// Why the pixels of two stimuli cannot be compared.
pub(crate) fn unlike(own: Media, other: Media) -> Option<String> {
    let shown = |media: Media| match media {
        Media::Video { width, height, frames, .. } => {
            format!("{width}×{height} with {}", counted(frames as usize, "frame"))
        }
        _ => media.size().map_or_else(String::new, |(width, height)| format!("{width}×{height}")),
    };
    let (own, kind, other) = (shown(own), other.kind(), shown(other));
    (own != other).then(|| format!("is {own}, and its {kind} {other}"))
}

/// Defines a metric of pairs whose value is a mean over outputs.
macro_rules! pair_metric {
    ($(#[$about:meta])* $name:ident, $kind:literal, $label:literal, $unit:literal, $direction:ident, $compare:path, $mean:path,
     least = $least:literal, identical = $identical:expr, summary = $summary:literal, citation = $citation:literal $(,)?) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            /// Which image of an output's item it is compared with: `source` (default), `control` or `subject`.
            pub against: ConditionKind,
        }

        impl Default for $name {
            fn default() -> Self {
                Self { against: ConditionKind::Source }
            }
        }

        impl Metric for $name {
            fn inputs(&self) -> MetricInputs<'_> {
                MetricInputs::pixels_against(self.against)
            }

            fn measures(&self) -> Vec<Measure> {
                vec![Measure::new($kind, $label, $unit, Direction::$direction)]
            }

            fn check(&self, stimuli: &Stimuli, at: &mut Diagnostics) {
                check_condition(self.against, stimuli, at);
                check_sizes($label, self.against, $least, stimuli, at);
            }

            fn row(&self, unit: &MetricUnit<'_>) -> Result<Vec<f64>, MetricFault> {
                compared(unit, $compare)
            }

            fn compute(
                &self,
                sample: &MetricSample<'_>,
                chance: &Streams,
            ) -> Result<Vec<MetricValue>, MetricFault> {
                Ok(vec![$mean($label, &sample.rows.column(0)?, chance.seed($kind))?])
            }

            fn of_identical(&self) -> Vec<Option<f64>> {
                $identical
            }
        }

        register_metric!(
            $name,
            $kind,
            summary = $summary,
            citation = $citation,
            example = concat!("{ kind: ", $kind, ", against: source }"),
        );
    };
}

pair_metric!(
    /// The metric `mse`: the mean squared error over pixels and channels, of levels from 0 to 255.
    Mse, "mse", "MSE", "", Lower, mean_squared_error, mean_of,
    least = 1, identical = vec![Some(0.0)],
    summary = "The mean squared error between an output and the image that it should equal",
    citation = "Wang & Bovik 2009, Mean squared error: Love it or leave it?, IEEE Signal Processing Magazine 26(1)",
);

pair_metric!(
    /// The metric `mae`: the mean absolute error over pixels and channels, of levels from 0 to 255.
    Mae, "mae", "MAE", "", Lower, mean_absolute_error, mean_of,
    least = 1, identical = vec![Some(0.0)],
    summary = "The mean absolute error between an output and the image that it should equal",
    citation = "Willmott & Matsuura 2005, Climate Research 30, 79-82",
);

pair_metric!(
    /// The metric `ms_ssim`: structural similarity at five scales, from 0 to 1; images need sides of at least 176 pixels.
    MsSsim, "ms_ssim", "MS-SSIM", "", Higher, multiscale_similarity, mean_of,
    least = 176, identical = vec![Some(1.0)],
    summary = "Structural similarity at five scales between an output and the image that it should equal",
    citation = "Wang, Simoncelli & Bovik 2003, Multi-scale structural similarity for image quality assessment, Asilomar",
);

pair_metric!(
    /// The metric `psnr`.
    ///
    /// # Method
    /// 10 log₁₀(255² / MSE) in decibels; over a set the mean of the images' values. It is infinite for equal images, and then
    /// there is no mean.
    Psnr, "psnr", "PSNR", "dB", Higher, peak_signal_to_noise, mean_unless_equal,
    least = 1, identical = Vec::new(),
    summary = "The peak signal-to-noise ratio of an output to the image that it should equal, in decibels",
    citation = "Huynh-Thu & Ghanbari 2008, Scope of validity of PSNR in image/video quality assessment, Electronics Letters 44(13)",
);

/// The mean of values that are infinite for equal images; no mean if there are any.
fn mean_unless_equal(metric: &'static str, values: &[f64], seed: u64) -> Result<MetricValue, MetricFault> {
    let equal = values.iter().filter(|value| value.is_infinite()).count();
    if equal > 0 {
        let by_row = values.iter().map(|&value| value.is_finite().then_some(value)).collect();
        let reason = format!(
            "infinite, as {equal} of {} outputs equal their image, or a frame of their clip",
            values.len()
        );
        return Ok(MetricValue::undefined(reason).by_row(by_row));
    }
    mean_of(metric, values, seed)
}

/// The window of SSIM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "the published window and the customary one")]
pub enum SsimWindow {
    /// 11 × 11, Gaussian with a standard deviation of 1.5 pixels, population covariance: as published.
    #[default]
    Gaussian,
    /// 7 × 7, uniform, sample covariance: the default of scikit-image.
    Uniform7,
}

/// The metric `ssim`.
///
/// # Method
/// Wang et al. 2004, equation 13, with C₁ = (0.01 · 255)² and C₂ = (0.03 · 255)², over the positions at which the window is
/// within the image; the mean over channels, then over outputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ssim {
    /// Which image of an output's item it is compared with: `source` (default), `control` or `subject`.
    pub against: ConditionKind,
    /// `gaussian` (default) as published, or `uniform7` as scikit-image's default.
    pub window: SsimWindow,
}

impl Default for Ssim {
    fn default() -> Self {
        Self { against: ConditionKind::Source, window: SsimWindow::Gaussian }
    }
}

impl Metric for Ssim {
    fn inputs(&self) -> MetricInputs<'_> {
        MetricInputs::pixels_against(self.against)
    }

    fn measures(&self) -> Vec<Measure> {
        vec![Measure::new("ssim", "SSIM", "", Direction::Higher)]
    }

    fn check(&self, stimuli: &Stimuli, at: &mut Diagnostics) {
        check_condition(self.against, stimuli, at);
        let least = match self.window {
            SsimWindow::Gaussian => 11,
            SsimWindow::Uniform7 => 7,
        };
        check_sizes("SSIM", self.against, least, stimuli, at);
    }

    fn row(&self, unit: &MetricUnit<'_>) -> Result<Vec<f64>, MetricFault> {
        let window = match self.window {
            SsimWindow::Gaussian => SimilarityWindow::Gaussian,
            SsimWindow::Uniform7 => SimilarityWindow::Uniform7,
        };
        compared(unit, |output, other| structural_similarity(output, other, window))
    }

    fn compute(&self, sample: &MetricSample<'_>, chance: &Streams) -> Result<Vec<MetricValue>, MetricFault> {
        Ok(vec![mean_of("SSIM", &sample.rows.column(0)?, chance.seed("ssim"))?])
    }

    fn of_identical(&self) -> Vec<Option<f64>> {
        vec![Some(1.0)]
    }
}

register_metric!(
    Ssim,
    "ssim",
    summary = "The structural similarity of an output to the image that it should equal",
    citation = "Wang, Bovik, Sheikh & Simoncelli 2004, Image quality assessment: From error visibility to structural similarity, IEEE TIP 13(4)",
    example = "{ kind: ssim, against: source, window: gaussian }",
);
