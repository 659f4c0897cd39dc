//! Images as slices of levels.

use hype_images::Picture;

use crate::MetricError;
use crate::error::ImageExtent;

/// An image with eight bits for each sample, pixel by pixel from the top left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image<'a> {
    samples: &'a [u8],
    extent: ImageExtent,
}

impl<'a> Image<'a> {
    /// Takes samples, the channels of a pixel side by side.
    ///
    /// # Errors
    ///
    /// [`MetricError::Samples`] unless there are width × height × channels samples, at least one.
    pub const fn new(
        samples: &'a [u8],
        width: usize,
        height: usize,
        channels: usize,
    ) -> Result<Self, MetricError> {
        let size = ImageExtent { width, height, channels };
        let needed = width.saturating_mul(height).saturating_mul(channels);
        if needed == 0 || samples.len() != needed {
            return Err(MetricError::Samples { size, needed, got: samples.len() });
        }
        Ok(Self { samples, extent: size })
    }

    /// All samples.
    #[must_use]
    pub const fn samples(&self) -> &'a [u8] {
        self.samples
    }

    /// Width, height and channels.
    #[must_use]
    pub const fn extent(&self) -> ImageExtent {
        self.extent
    }

    /// The samples of a pixel.
    pub(crate) fn pixels(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.samples.chunks_exact(self.extent.channels)
    }
}

/// The red, green and blue of a picture.
impl<'a> From<&'a Picture> for Image<'a> {
    fn from(picture: &'a Picture) -> Self {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        Self { samples: picture.pixels(), extent: ImageExtent { width, height, channels: 3 } }
    }
}

/// Refuses images that differ in size.
pub(crate) fn check_pair(
    metric: &'static str,
    left: &Image<'_>,
    right: &Image<'_>,
) -> Result<(), MetricError> {
    if left.extent == right.extent {
        Ok(())
    } else {
        Err(MetricError::Sizes { metric, left: left.extent, right: right.extent })
    }
}

/// Refuses images with a side below a length.
pub(crate) const fn check_least_side(
    metric: &'static str,
    image: &Image<'_>,
    needed: usize,
) -> Result<(), MetricError> {
    let size = image.extent;
    if size.width < needed || size.height < needed {
        return Err(MetricError::TooSmall { metric, needed, size });
    }
    Ok(())
}
