//! The `masks` section: what follows an image that was shown for a limited time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::Diagnostics;
use crate::model::bounds::Bounded;
use crate::study::spec::Patterns;

/// The masks of a study. They are made once, before raters come, and are the same for the same seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MasksSpec {
    /// What they are.
    pub kind: MasksKind,
    /// Which images they are made from; of no matter to `noise` but for its size, and to `files`.
    pub from: MaskedFrom,
    /// How many: of the whole study with `from: pool`, of each image with `from: own`.
    pub count: Bounded<1, 10_000>,
    /// Iterations of the texture synthesis.
    pub iterations: Bounded<1, 1_000>,
    /// The files of `kind: files`, as a pattern or several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<Patterns>,
}

/// 64 textures of images drawn from the whole study, 50 iterations each.
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

/// What masks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MasksKind {
    /// The texture of an image (Portilla & Simoncelli 2000), as HYPE has it.
    #[default]
    PortillaSimoncelli,
    /// An image whose phases are random.
    PhaseScrambled,
    /// White noise.
    Noise,
    /// Image files of the author's own.
    Files,
}

/// Which images masks are made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MaskedFrom {
    /// Images drawn from all that are judged; any mask follows any image.
    #[default]
    Pool,
    /// The image that they follow.
    Own,
}

impl MasksSpec {
    /// Checks the bounds and the rules across fields, at the path of the section.
    pub(crate) fn check(&self, at: &mut Diagnostics) {
        self.count.check("count", at);
        self.iterations.check("iterations", at);
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
