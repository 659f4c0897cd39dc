//! The `masks` section: the masks shown after an image with a limited exposure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::Diagnostics;
use crate::model::bounds::Bounded;
use crate::study::spec::Patterns;

/// The masks of a study. They are created once, before raters arrive, and depend only on the spec, the images and the
/// seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MasksSpec {
    /// The kind of masks.
    pub kind: MasksKind,
    /// The images that masks are made from. For `noise`, only their size matters; for `files`, this has no effect.
    pub from: MaskedFrom,
    /// The number of masks: for the whole study with `from: pool`, for each image with `from: own`.
    pub count: Bounded<1, 10_000>,
    /// Iterations of the texture synthesis.
    pub iterations: Bounded<1, 1_000>,
    /// The files for `kind: files`, as one or several patterns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<Patterns>,
}

/// 64 textures from images of the whole study, with 50 iterations each.
impl Default for MasksSpec {
    fn default() -> Self {
        Self {
            kind: MasksKind::PortillaSimoncelli,
            from: MaskedFrom::Pool,
            count: Bounded::new(64),
            iterations: Bounded::new(50),
            images: None,
        }
    }
}

/// The kinds of masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MasksKind {
    /// The texture of an image (Portilla & Simoncelli 2000), as in HYPE.
    #[default]
    PortillaSimoncelli,
    /// An image with randomized phases.
    PhaseScrambled,
    /// White noise.
    Noise,
    /// Image files provided by the author.
    Files,
}

/// The images that masks are made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MaskedFrom {
    /// A random sample of all judged images; any mask may follow any image.
    #[default]
    Pool,
    /// For each mask, the image that it follows.
    Own,
}

impl MasksSpec {
    /// Checks the rules across fields, at the path of the section.
    pub(crate) fn check(&self, at: &mut Diagnostics) {
        match (self.kind, &self.images) {
            (MasksKind::Files, None) => {
                at.error("missing-field", "masks of the kind `files` need `images`")
                    .help("name the files, such as `images: masks/*.png`");
            }
            (MasksKind::Files, Some(_)) | (_, None) => {}
            (_, Some(_)) => {
                at.field("images")
                    .error("unused-field", "only masks of the kind `files` have `images`")
                    .help("write `kind: files`, or remove `images`");
            }
        }
    }
}
