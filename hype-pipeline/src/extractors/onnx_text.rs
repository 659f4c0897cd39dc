//! The extractor `onnx_text`: embeddings of texts from a model that this program runs.

use std::path::Path;
use std::sync::Arc;

use hype_core::diagnostics::Diagnostics;
use hype_core::model::bounds::Bounded;
use hype_core::plugin::extractor::{Extractor, ExtractorError, OpenExtractor};
use hype_core::plugin::surroundings::Surroundings;
use hype_core::register_extractor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::onnx::check_model;

mod presets;
#[cfg(feature = "onnx")]
mod tokens;
#[cfg(feature = "onnx")]
mod tower;

pub use self::presets::OnnxTextPreset;

/// The extractor `onnx_text`.
///
/// A text tower is a model that takes the numbers of tokens and gives one row for each text, such as that of CLIP with its
/// projection. A preset sets how texts are prepared and which output is read; every setting that is written takes its place. The
/// weights and the tokenizer are files of the user's: nothing is fetched.
///
/// Embeddings are as the model gives them. Metrics of the agreement of images and texts divide them by their lengths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("x-removed" = {
    "batch": [null, "leave it out: the model's input says how many texts it takes at once"],
    "ids": ["input_ids", "leave it out: the tokens are the input that is no mask"],
    "mask": ["attention_mask", "leave it out: the mask is the input with `mask` in its name"],
    "runtime": [null, "name the library in the environment variable `ORT_DYLIB_PATH`"],
    "sha256": [null, "compare the SHA-256 that results state"]
}))]
pub struct OnnxTextModel {
    /// A customary model, which sets what is not written here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<OnnxTextPreset>,
    /// The file of the model, `.onnx`.
    pub model: String,
    /// The file of the tokenizer that is published with the model, `tokenizer.json`.
    pub tokenizer: String,
    /// The name by which results are labelled; by default that of the preset or the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Arc<str>>,
    /// The output that is read, by its name: one row for each text. By default that of the preset, or else the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Tokens of a text, with those that mark its beginning and end (default 77, of CLIP). Longer texts are cut, which results say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<Bounded<1, 65_536>>,
    /// The number with which shorter texts are filled up (default 0).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub padding: Option<u32>,
    /// The library of the ONNX runtime, by its path, for programs that embed this one: specs cannot name code to run. By default
    /// what the environment variable `ORT_DYLIB_PATH` names, or what the system finds.
    #[serde(skip)]
    pub runtime: Option<String>,
}

impl OnnxTextModel {
    /// The settings with those of the preset where none are written.
    #[must_use]
    pub fn completed(&self) -> Self {
        let of = self.preset.map(OnnxTextPreset::settings).unwrap_or_default();
        Self {
            name: self.name.clone().or(of.name),
            output: self.output.clone().or(of.output),
            padding: self.padding.or(of.padding),
            ..self.clone()
        }
    }
}

impl Extractor for OnnxTextModel {
    fn check(&self, _: &Surroundings<'_>, at: &mut Diagnostics) {
        check_model(&self.model, "models/clip-text.onnx", at);
        if self.tokenizer.is_empty() {
            at.field("tokenizer")
                .error("missing-field", "the file of the tokenizer is not named")
                .help("write the path of the `tokenizer.json` that is published with the model");
        }
    }

    #[cfg(feature = "onnx")]
    fn open(&self, folder: &Path) -> Result<Box<dyn OpenExtractor>, ExtractorError> {
        Ok(Box::new(tower::TextTower::open(self.completed(), folder)?))
    }

    #[cfg(not(feature = "onnx"))]
    fn open(&self, _: &Path) -> Result<Box<dyn OpenExtractor>, ExtractorError> {
        Err(super::without_models())
    }
}

register_extractor!(
    OnnxTextModel,
    "onnx_text",
    summary = "Embeddings of prompts from a text tower in the format ONNX that this program runs",
    citation =
        "Radford et al. 2021, Learning Transferable Visual Models From Natural Language Supervision, ICML",
    example = "{ kind: onnx_text, preset: clip-vit-b-32, model: models/clip-text.onnx, tokenizer: models/tokenizer.json }",
);
