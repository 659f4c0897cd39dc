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

    /// Resizes the plane by interpolating linearly between the nearest four pixels, without antialiasing.
    ///
    /// This is torch's `interpolate(mode="bilinear", align_corners=False)`, by which the package pytorch-fid resizes. A
    /// plane that shrinks loses pixels: use [`FloatPlane::resample`] unless values have to equal those of that package.
    ///
    /// # Method
    /// Pixel `i` of the result lies at `c = max((i + ½)·in/out − ½, 0)` of the source, between the pixels `⌊c⌋` and
    /// `⌊c⌋ + 1`, or the last one. Positions and sums have 32 bits.
    #[must_use]
    pub fn interpolate(&self, to: Size) -> Self {
        let between = |from: u32, to: u32| -> Vec<(usize, usize, f32)> {
            let scale = from as f32 / to as f32;
            let place = |place: u32| {
                let at = ((place as f32 + 0.5) * scale - 0.5).max(0.0);
                let first = (at as usize).min(from as usize - 1);
                (first, (first + 1).min(from as usize - 1), at - first as f32)
            };
            (0..to).map(place).collect()
        };
        let width = self.size.width() as usize;
        let across = between(self.size.width(), to.width());
        let mut values = Vec::with_capacity(to.pixels());
        for (above, below, down) in between(self.size.height(), to.height()) {
            let row = |row: usize, &(left, right, weight): &(usize, usize, f32)| {
                let row = &self.values[row * width..];
                row[left] * (1.0 - weight) + row[right] * weight
            };
            values.extend(across.iter().map(|at| row(above, at) * (1.0 - down) + row(below, at) * down));
        }
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
