//! The extractor `onnx`: features from a model that this program runs.

use std::path::Path;
use std::sync::Arc;

use hype_core::diagnostics::Diagnostics;
use hype_core::plugin::extractor::{Extractor, ExtractorError, OpenExtractor};
use hype_core::plugin::surroundings::Surroundings;
use hype_core::register_extractor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg_attr(not(feature = "onnx"), allow(dead_code, reason = "images are prepared for models that run"))]
mod preparation;
mod presets;
#[cfg(feature = "onnx")]
mod session;
#[cfg(feature = "onnx")]
mod yolo;

pub use self::presets::OnnxPreset;

use self::preparation::Preparation;

/// How an image gets the size of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "settings of specs")]
pub enum InputFit {
    /// To this width and height, whatever its shape.
    #[default]
    Stretch,
    /// The shorter side to this length; what is beyond the input on either side is cut off.
    Shorter,
    /// To a square by black on the right and at the bottom, then to this width and height.
    Pad,
}

/// The filter by which images are resized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "settings of specs")]
pub enum ResizeFilter {
    /// The mean over a pixel of the result.
    Box,
    /// A triangle of two pixels.
    #[default]
    Bilinear,
    /// Keys' cubic convolution over four pixels.
    Bicubic,
    /// Lanczos' windowed sinc over six pixels.
    Lanczos,
    /// Bilinear between the nearest four pixels, without antialiasing, as torch's `interpolate`.
    Interpolate,
}

/// The extractor `onnx`.
///
/// A preset sets how images are prepared and which output is read; every setting that is written takes its place. The weights
/// are a file of the user's: nothing is fetched.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("x-removed" = {
    "batch": [null, "leave it out: the model's input says how many images it takes at once"],
    "channels": ["rgb", "convert the model to take red first, or use `preset: open-nsfw`, which takes blue first"],
    "divide_by": [255.0, "write `mean` and `sd` as shares of 255"],
    "fractions": [false, "use `preset: inception-2015`, which does not round resized levels"],
    "layout": [null, "leave it out: the model's input says where its channels are"],
    "runtime": [null, "name the library in the environment variable `ORT_DYLIB_PATH`"],
    "sha256": [null, "compare the SHA-256 that results state"],
    "yolo": [false, "use `preset: nudenet-320n`, with `size` and `model` of another detector"]
}))]
pub struct OnnxModel {
    /// A customary model, which sets what is not written here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<OnnxPreset>,
    /// The file of the model, `.onnx`.
    pub model: String,
    /// The name by which results are labelled; by default that of the preset or the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Arc<str>>,
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
    /// The value that is subtracted from each channel (default 0). Levels are from 0 to 1, or as the preset has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<[f32; 3]>,
    /// The divisor that is then applied to each channel (default 1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sd: Option<[f32; 3]>,
    /// The library of the ONNX runtime, by its path, for programs that embed this one: specs cannot name code to run. By default
    /// what the environment variable `ORT_DYLIB_PATH` names, or what the system finds.
    #[serde(skip)]
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
            outputs: if self.outputs.is_empty() { of.outputs } else { self.outputs.clone() },
            size: self.size.or(of.size),
            resize: self.resize.or(of.resize),
            fit: self.fit.or(of.fit),
            filter: self.filter.or(of.filter),
            mean: self.mean.or(of.mean),
            sd: self.sd.or(of.sd),
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
