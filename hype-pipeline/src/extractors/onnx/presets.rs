//! How customary models expect their images.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{InputFit, OnnxModel, ResizeFilter};

/// Mean and standard deviation of ImageNet, by which torchvision's models expect images.
const IMAGENET: [[f32; 3]; 2] = [[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]];
/// Those of CLIP.
const CLIP: [[f32; 3]; 2] =
    [[0.481_454_66, 0.457_827_5, 0.408_210_73], [0.268_629_54, 0.261_302_6, 0.275_777_1]];

/// A customary model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OnnxPreset {
    /// Inception of 2015, of FID and KID: 299 × 299, bicubic without rounding ("clean"), levels less 128 over 128.
    #[serde(rename = "inception-2015")]
    Inception2015,
    /// The same network as pytorch-fid gives it images: 299 × 299, bilinear without antialiasing, levels to -1..1.
    #[serde(rename = "inception-2015-pytorch-fid")]
    Inception2015PytorchFid,
    /// The image tower of a CLIP: the shorter side to 224 by bicubic, the centre of 224 × 224.
    ClipImage,
    /// That of CLIP ViT-B/32, whose output is named `image_embeds`: 512 features.
    #[serde(rename = "clip-vit-b-32")]
    ClipVitB32,
    /// That of CLIP ViT-B/16, whose output is named `image_embeds`: 512 features.
    #[serde(rename = "clip-vit-b-16")]
    ClipVitB16,
    /// That of CLIP ViT-L/14, whose output is named `image_embeds`: 768 features.
    #[serde(rename = "clip-vit-l-14")]
    ClipVitL14,
    /// That of CLIP ViT-L/14 for 336 × 336 pixels, whose output is named `image_embeds`: 768 features.
    #[serde(rename = "clip-vit-l-14-336")]
    ClipVitL14At336,
    /// DINOv2: the shorter side to 256 by bicubic, the centre of 224 × 224.
    #[serde(rename = "dinov2")]
    DinoV2,
    /// A backbone of LPIPS, with one output for each layer: images as they are, levels to -1..1, then shifted and scaled.
    Lpips,
    /// torchvision's MobileNetV2: stretched to 224 × 224 by bilinear.
    #[serde(rename = "mobilenet-v2")]
    MobileNetV2,
    /// Yahoo's open-nsfw: stretched to 256 × 256 by bilinear, the centre of 224 × 224, blue first, less the mean of each channel.
    OpenNsfw,
    /// NudeNet 320n: padded to a square, 320 × 320 by bilinear; objects that were found.
    #[serde(rename = "nudenet-320n")]
    NudeNet320n,
}

impl OnnxPreset {
    /// The settings of the model, without its file.
    pub(super) fn settings(self) -> OnnxModel {
        let normalized = |[mean, sd]: [[f32; 3]; 2]| OnnxModel {
            size: Some([224, 224]),
            mean: Some(mean),
            sd: Some(sd),
            ..OnnxModel::default()
        };
        let clip = |name: &str| OnnxModel {
            name: Some(name.into()),
            fit: Some(InputFit::Shorter),
            filter: Some(ResizeFilter::Bicubic),
            ..normalized(CLIP)
        };
        let tower = |name| OnnxModel { outputs: vec!["image_embeds".to_owned()], ..clip(name) };
        match self {
            Self::Inception2015 => OnnxModel {
                name: Some("Inception-2015".into()),
                size: Some([299, 299]),
                filter: Some(ResizeFilter::Bicubic),
                mean: Some([128.0; 3]),
                sd: Some([128.0; 3]),
                ..OnnxModel::default()
            },
            Self::Inception2015PytorchFid => OnnxModel {
                filter: Some(ResizeFilter::Interpolate),
                mean: Some([127.5; 3]),
                sd: Some([127.5; 3]),
                ..Self::Inception2015.settings()
            },
            Self::ClipImage => clip("CLIP"),
            Self::ClipVitB32 => tower("CLIP ViT-B/32"),
            Self::ClipVitB16 => tower("CLIP ViT-B/16"),
            Self::ClipVitL14 => tower("CLIP ViT-L/14"),
            Self::ClipVitL14At336 => {
                OnnxModel { size: Some([336, 336]), ..tower("CLIP ViT-L/14 at 336 pixels") }
            }
            Self::DinoV2 => OnnxModel {
                name: Some("DINOv2".into()),
                resize: Some(256),
                fit: Some(InputFit::Shorter),
                filter: Some(ResizeFilter::Bicubic),
                ..normalized(IMAGENET)
            },
            Self::Lpips => {
                let (shift, scale) = (hype_metrics::perceptual::SHIFT, hype_metrics::perceptual::SCALE);
                OnnxModel {
                    name: Some("LPIPS".into()),
                    mean: Some(shift.map(|shift| 1.0 + shift)),
                    sd: Some(scale),
                    ..OnnxModel::default()
                }
            }
            Self::MobileNetV2 => OnnxModel {
                name: Some("MobileNetV2".into()),
                outputs: vec!["features".to_owned()],
                ..normalized(IMAGENET)
            },
            Self::OpenNsfw => OnnxModel {
                name: Some("open-nsfw".into()),
                size: Some([224, 224]),
                resize: Some(256),
                mean: Some([104.0, 117.0, 123.0]),
                ..OnnxModel::default()
            },
            Self::NudeNet320n => OnnxModel {
                name: Some("NudeNet 320n".into()),
                size: Some([320, 320]),
                fit: Some(InputFit::Pad),
                ..OnnxModel::default()
            },
        }
    }
}
