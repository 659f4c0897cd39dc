//! Antialiased resampling, bit for bit as Pillow's.

use serde::{Deserialize, Serialize};

use crate::picture::{Picture, Size};

mod passes;
mod plane;
mod weights;

pub use plane::FloatPlane;

use weights::Weights;

/// The kernel that weighs the pixels around a place.
///
/// When a picture shrinks, the kernel is widened by the same factor, so that every pixel counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Filter {
    /// The mean over a pixel of the result.
    Box,
    /// A triangle of two pixels.
    Bilinear,
    /// Keys' cubic convolution with a = −0.5 over four pixels (R. G. Keys, 1981, IEEE TASSP 29(6),
    /// equation 15).
    #[default]
    Bicubic,
    /// The sinc function windowed by its main lobe over six pixels (Lanczos with three lobes).
    Lanczos,
}

impl Picture {
    /// Brings the picture to another size.
    ///
    /// # Method
    /// Two passes, along rows and then along columns, over the 8-bit levels as they are (sRGB, not
    /// linear light). The place of pixel `i` of the result is `c = (i + ½)·s` with the scale
    /// `s = in/out`; pixel `j` of the source weighs `k((j + ½ − c)/max(s, 1))`, weights are divided
    /// by their sum, and nothing beyond the border counts. Each pass rounds half up to whole levels
    /// and clips to 0..=255. A pass that would change nothing is left out.
    ///
    /// # Numerics
    /// Weights are rounded to 22 binary places and summed in 32-bit integers, as Pillow does
    /// (`Resample.c`, `PRECISION_BITS`), so that the result equals `Image.resize` of its versions up
    /// to 12 exactly. From version 13 on Pillow goes along columns first where the height shrinks
    /// much more than the width, which changes some levels by 1, since each pass rounds.
    #[must_use]
    pub fn resample(&self, to: Size, filter: Filter) -> Self {
        let from = self.size();
        let weights = |from: u32, to: u32| (from != to).then(|| Weights::new(from, to, filter).fixed());
        let across = weights(from.width(), to.width());
        let down = weights(from.height(), to.height());
        let pixels =
            passes::run::<u8, 3>(self.pixels(), from.width() as usize, across.as_ref(), down.as_ref());
        Self::of_pixels(to, pixels)
    }
}
