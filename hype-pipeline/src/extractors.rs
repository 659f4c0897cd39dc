//! Where features come from.
//!
//! | kind | what it does |
//! |---|---|
//! | `files` | reads rows that another program wrote |
//! | `onnx` | runs a model, with the feature `onnx` |

mod given;
mod onnx;

pub use self::given::GivenFeatures;
pub use self::onnx::{ChannelOrder, InputFit, OnnxModel, OnnxPreset, ResizeFilter, TensorLayout};
