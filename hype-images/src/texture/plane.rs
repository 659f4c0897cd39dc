//! Planes of numbers.

use super::TextureError;

/// The greatest magnitude of a sample; products of two squares stay within an `f64`.
pub const MAX_MAGNITUDE: f64 = 1e60;

/// One channel of an image: finite numbers in any unit, row by row from the top.
///
/// # Examples
/// ```
/// use hype_images::texture::Plane;
///
/// let plane = Plane::new(2, 1, vec![0.0, 255.0])?;
/// assert_eq!((plane.width(), plane.height()), (2, 1));
/// # Ok::<(), hype_images::texture::TextureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    width: usize,
    height: usize,
    values: Vec<f64>,
}

impl Plane {
    /// Makes a plane of `height` rows of `width` samples.
    ///
    /// # Errors
    /// [`TextureError::Shape`] when a side is zero or the samples are not `width * height`,
    /// [`TextureError::Sample`] when one is not finite or exceeds [`MAX_MAGNITUDE`].
    pub fn new(width: usize, height: usize, values: Vec<f64>) -> Result<Self, TextureError> {
        if width == 0 || height == 0 || width.checked_mul(height) != Some(values.len()) {
            return Err(TextureError::Shape { width, height, values: values.len() });
        }
        match values.iter().position(|value| value.is_nan() || value.abs() > MAX_MAGNITUDE) {
            Some(at) => Err(TextureError::Sample { column: at % width, row: at / width, value: values[at] }),
            None => Ok(Self { width, height, values }),
        }
    }

    /// Wraps samples that are known to be finite and to fill the plane.
    pub(crate) const fn wrap(width: usize, height: usize, values: Vec<f64>) -> Self {
        Self { width, height, values }
    }

    pub(crate) fn zeros(width: usize, height: usize) -> Self {
        Self { width, height, values: vec![0.0; width * height] }
    }

    /// Samples in a row.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    #[must_use]
    pub const fn height(&self) -> usize {
        self.height
    }

    /// The samples, row by row from the top.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Returns the samples, row by row from the top.
    #[must_use]
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// A plane of another size that extends this one by mirroring at its right and lower edges, or
    /// ends early.
    pub(crate) fn mirrored(&self, width: usize, height: usize) -> Self {
        let reflect = |at: usize, side: usize| {
            let phase = at % (2 * side);
            phase.min(2 * side - 1 - phase)
        };
        let mut values = Vec::with_capacity(width * height);
        for row in 0..height {
            let from = reflect(row, self.height) * self.width;
            values.extend((0..width).map(|column| self.values[from + reflect(column, self.width)]));
        }
        Self { width, height, values }
    }

    /// The plane shifted circularly by a number of columns to the left and rows upward.
    pub(crate) fn rolled(&self, columns: usize, rows: usize) -> Self {
        let mut values = Vec::with_capacity(self.values.len());
        for row in 0..self.height {
            let from = (row + rows) % self.height * self.width;
            let line = &self.values[from..from + self.width];
            let cut = columns % self.width;
            values.extend_from_slice(&line[cut..]);
            values.extend_from_slice(&line[..cut]);
        }
        Self { width: self.width, height: self.height, values }
    }
}
