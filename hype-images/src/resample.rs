//! Antialiased resampling, bit for bit equal to Pillow's.

use serde::{Deserialize, Serialize};

use crate::picture::{Picture, Size};

mod passes;
mod plane;
mod weights;

pub use plane::FloatPlane;

use weights::Weights;

/// The kernel that weights the pixels around a position.
///
/// When a picture shrinks, the kernel is widened by the same factor, and every pixel counts.
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
    /// Resizes the picture.
    ///
    /// # Method
    /// Two passes, along rows and then along columns, over the 8-bit levels as they are (sRGB, not
    /// linear light). The position of pixel `i` of the result is `c = (i + ½)·s` with the scale `s =
    /// in/out`; pixel `j` of the source has the weight `k((j + ½ − c)/max(s, 1))`, weights are
    /// divided by their sum, and pixels beyond the border have no weight. Each pass rounds half up
    /// to whole levels and clips to 0..=255. A pass that would change nothing is omitted.
    ///
    /// # Numerics
    /// Weights are rounded to 22 binary digits and summed in 32-bit integers, as in Pillow
    /// (`Resample.c`, `PRECISION_BITS`): the result equals `Image.resize` of its versions up
    /// to 12 exactly. From version 13 on Pillow processes columns first if the height shrinks much
    /// more than the width, which changes some levels by 1, since each pass rounds.
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
