//! The extractor `onnx`: features from a model that this program runs.

use std::path::Path;
use std::sync::Arc;

use hype_core::diagnostics::Diagnostics;
use hype_core::model::bounds::Bounded;
use hype_core::plugin::extractor::{Extractor, ExtractorError, OpenExtractor};
use hype_core::plugin::surroundings::Surroundings;
use hype_core::{Digest, register_extractor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg_attr(not(feature = "onnx"), allow(dead_code, reason = "images are prepared for models that run"))]
mod preparation;
mod presets;
#[cfg(feature = "onnx")]
mod session;
#[cfg(feature = "onnx")]
mod yolo;

pub use self::preparation::{ChannelOrder, InputFit, ResizeFilter, TensorLayout};
pub use self::presets::OnnxPreset;

use self::preparation::Preparation;

/// The extractor `onnx`.
///
/// A preset sets how images are prepared and which output is read; every setting that is written takes its place. The weights
/// are a file of the user's: nothing is fetched.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OnnxModel {
    /// A customary model, which sets what is not written here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<OnnxPreset>,
    /// The file of the model, `.onnx`.
    pub model: String,
    /// The name by which results are labelled; by default that of the preset or the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Arc<str>>,
    /// The SHA-256 that the file has to have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
    /// The outputs that are read, by their names; the first is the features. By default those of the preset, or else all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Width and height of the model's input, in pixels; absent to leave images as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<[u32; 2]>,
    /// The size to which images are resized before the centre is cut out; by default that of the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resize: Option<u32>,
    /// `stretch` (default) to this width and height, `shorter`: the shorter side to this length, or `pad`: to a square with black.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<InputFit>,
    /// `bilinear` (default), `bicubic`, `lanczos` or `box`, as Pillow has them, with antialiasing; `interpolate` as torch has it, without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<ResizeFilter>,
    /// Whether resized levels stay numbers with fractions ("clean" FID) instead of being rounded to whole levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fractions: Option<bool>,
    /// `nchw` (default) or `nhwc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<TensorLayout>,
    /// `rgb` (default) or `bgr`; mean and standard deviation are in the same order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<ChannelOrder>,
    /// The divisor of levels from 0 to 255, applied first (default 255).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divide_by: Option<f32>,
    /// The value that is then subtracted from each channel (default 0).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<[f32; 3]>,
    /// The divisor that is then applied to each channel (default 1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sd: Option<[f32; 3]>,
    /// Whether the output are the boxes of a YOLO detector of version 8, from which the objects found are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yolo: Option<bool>,
    /// Stimuli that the model is given at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<Bounded<1, 4096>>,
    /// The library of the ONNX runtime, by its path; by default what the environment variable `ORT_DYLIB_PATH` names, or what the
    /// system finds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
}

impl OnnxModel {
    /// The settings with those of the preset where none are written.
    #[must_use]
    pub fn completed(&self) -> Self {
        let Some(preset) = self.preset else { return self.clone() };
        let of = preset.settings();
        Self {
            preset: self.preset,
            model: self.model.clone(),
            name: self.name.clone().or(of.name),
            sha256: self.sha256.or(of.sha256),
            outputs: if self.outputs.is_empty() { of.outputs } else { self.outputs.clone() },
            size: self.size.or(of.size),
            resize: self.resize.or(of.resize),
            fit: self.fit.or(of.fit),
            filter: self.filter.or(of.filter),
            fractions: self.fractions.or(of.fractions),
            layout: self.layout.or(of.layout),
            channels: self.channels.or(of.channels),
            divide_by: self.divide_by.or(of.divide_by),
            mean: self.mean.or(of.mean),
            sd: self.sd.or(of.sd),
            yolo: self.yolo.or(of.yolo),
            batch: self.batch.or(of.batch),
            runtime: self.runtime.clone(),
        }
    }

    fn preparation(&self) -> Preparation {
        Preparation::of(&self.completed())
    }
}

impl Extractor for OnnxModel {
    fn check(&self, _: &Surroundings<'_>, at: &mut Diagnostics) {
        check_model(&self.model, "models/inception.onnx", at);
        self.preparation().check(at);
    }

    #[cfg(feature = "onnx")]
    fn open(&self, folder: &Path) -> Result<Box<dyn OpenExtractor>, ExtractorError> {
        Ok(Box::new(session::OnnxSession::open(&self.completed(), self.preparation(), folder)?))
    }

    #[cfg(not(feature = "onnx"))]
    fn open(&self, _: &Path) -> Result<Box<dyn OpenExtractor>, ExtractorError> {
        Err(super::without_models())
    }
}

/// Checks the settings that models of images and of texts have in common.
pub(super) fn check_model(model: &str, example: &str, at: &mut Diagnostics) {
    if model.is_empty() {
        at.field("model")
            .error("missing-field", "the file of the model is not named")
            .help(format!("write its path relative to the spec's folder, such as `model: {example}`"));
    }
}

register_extractor!(
    OnnxModel,
    "onnx",
    summary = "Features from a model in the format ONNX that this program runs",
    citation = "",
    example = "{ kind: onnx, preset: inception-2015, model: models/inception.onnx }",
);
