//! One channel in floating point.

use super::Filter;
use super::passes;
use super::weights::Weights;
use crate::picture::{Picture, PictureError, Size};

/// One channel of a picture as 32-bit floating-point numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct FloatPlane {
    size: Size,
    values: Vec<f32>,
}

impl FloatPlane {
    /// Creates a plane from the value of every pixel, row by row from the top left.
    ///
    /// # Errors
    /// [`PictureError::Length`] unless there is one value for each pixel.
    pub fn new(size: Size, values: Vec<f32>) -> Result<Self, PictureError> {
        let (wanted, found) = (size.pixels(), values.len());
        if found == wanted {
            Ok(Self { size, values })
        } else {
            Err(PictureError::Length { width: size.width(), height: size.height(), wanted, found })
        }
    }

    /// Width and height.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// The value of every pixel, row by row from the top left.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Resizes the plane without rounding to levels.
    ///
    /// This is how "clean" Fréchet distances resample (G. Parmar, R. Zhang, J.-Y. Zhu, 2022, On
    /// aliased resizing and surprising subtleties in GAN evaluation, CVPR): channel by channel as
    /// Pillow's mode `F`, neither rounded nor clipped.
    ///
    /// # Method
    /// That of [`Picture::resample`]. Sums have 64 bits, the values between the passes 32.
    #[must_use]
    pub fn resample(&self, to: Size, filter: Filter) -> Self {
        let (from, width) = (self.size, self.size.width() as usize);
        let weights = |from: u32, to: u32| (from != to).then(|| Weights::new(from, to, filter));
        let across = weights(from.width(), to.width());
        let down = weights(from.height(), to.height());
        let values = passes::run::<f32, 1>(&self.values, width, across.as_ref(), down.as_ref());
        Self { size: to, values }
    }
}

impl Picture {
    /// Red, green and blue, with the levels 0 to 255 as they are.
    #[must_use]
    pub fn planes(&self) -> [FloatPlane; 3] {
        [0, 1, 2].map(|channel| FloatPlane {
            size: self.size(),
            values: self.pixels().iter().skip(channel).step_by(3).map(|&level| level.into()).collect(),
        })
    }
}
