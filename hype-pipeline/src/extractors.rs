//! Where features come from.
//!
//! | kind | what it does |
//! |---|---|
//! | `files` | reads rows that another program wrote |
//! | `onnx` | runs a model of images, with the feature `onnx` |
//! | `onnx_text` | runs a model of texts with its tokenizer, with the feature `onnx` |

mod given;
mod onnx;
mod onnx_text;
#[cfg(feature = "onnx")]
mod runtime;

pub use self::given::GivenFeatures;
pub use self::onnx::{InputFit, OnnxModel, OnnxPreset, ResizeFilter};
pub use self::onnx_text::{OnnxTextModel, OnnxTextPreset};

/// Returns the error of a program that cannot run models.
#[cfg(not(feature = "onnx"))]
fn without_models() -> hype_core::plugin::extractor::ExtractorError {
    let reason = "this program was built without models: build it with the feature `onnx`, or give features from files \
                  (`extractor: { kind: files, … }`)";
    hype_core::plugin::extractor::ExtractorError::Unavailable(reason.to_owned())
}
