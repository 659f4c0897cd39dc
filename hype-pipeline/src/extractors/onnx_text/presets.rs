//! How customary text towers expect their texts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::OnnxTextModel;

/// The token of CLIP that ends a text, with which texts are filled up as well.
const CLIP_END: u32 = 49_407;

/// A customary text tower.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OnnxTextPreset {
    /// The text tower of a CLIP: 77 tokens, filled up with the token that ends a text, 49407.
    ClipText,
    /// That of CLIP ViT-B/32, whose output is named `text_embeds`: 512 features.
    #[serde(rename = "clip-vit-b-32")]
    ClipVitB32,
    /// That of CLIP ViT-B/16, whose output is named `text_embeds`: 512 features.
    #[serde(rename = "clip-vit-b-16")]
    ClipVitB16,
    /// That of CLIP ViT-L/14, whose output is named `text_embeds`: 768 features.
    #[serde(rename = "clip-vit-l-14")]
    ClipVitL14,
    /// That of CLIP ViT-L/14 for 336 × 336 pixels, whose output is named `text_embeds`: 768 features.
    #[serde(rename = "clip-vit-l-14-336")]
    ClipVitL14At336,
}

impl OnnxTextPreset {
    /// The settings of the model, without its files.
    pub(super) fn settings(self) -> OnnxTextModel {
        let clip = |name: &str| OnnxTextModel {
            name: Some(name.into()),
            padding: Some(CLIP_END),
            ..OnnxTextModel::default()
        };
        let tower = |name| OnnxTextModel { output: Some("text_embeds".to_owned()), ..clip(name) };
        match self {
            Self::ClipText => clip("CLIP"),
            Self::ClipVitB32 => tower("CLIP ViT-B/32"),
            Self::ClipVitB16 => tower("CLIP ViT-B/16"),
            Self::ClipVitL14 => tower("CLIP ViT-L/14"),
            Self::ClipVitL14At336 => tower("CLIP ViT-L/14 at 336 pixels"),
        }
    }
}
