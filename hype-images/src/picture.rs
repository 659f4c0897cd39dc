//! Pixels as raters see them.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::digest::PixelDigest;
use crate::limits;

/// An upright, opaque picture in sRGB (IEC 61966-2-1) with eight bits for each of red, green and
/// blue.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    size: Size,
    pixels: Vec<u8>,
}

/// Width and height in pixels, both at least 1 and within [`limits::SIDE`] and [`limits::PIXELS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size {
    width: u32,
    height: u32,
}

/// Why a picture cannot be made. All are errors of the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// A size is zero, or beyond the limits.
    #[error(
        "a picture has 1 to {side} pixels a side and at most {pixels} in all, not {width}×{height}",
        side = limits::SIDE,
        pixels = limits::PIXELS
    )]
    Size {
        /// Requested width, in pixels.
        width: u32,
        /// Requested height, in pixels.
        height: u32,
    },
    /// The number of samples does not match the size.
    #[error("a picture of {width}×{height} has {wanted} samples, not {found}")]
    Length {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// The required number of samples.
        wanted: usize,
        /// The actual number.
        found: usize,
    },
    /// A crop region extends beyond the picture.
    #[error("{part:?} reaches beyond a picture of {width}×{height}")]
    Region {
        /// The requested part.
        part: Region,
        /// Width of the picture, in pixels.
        width: u32,
        /// Height of the picture, in pixels.
        height: u32,
    },
}

/// A rectangle of whole pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// Pixels to the left of it.
    pub left: u32,
    /// Pixels above it.
    pub top: u32,
    /// Its width and height.
    pub size: Size,
}

/// Shows the digest instead of the levels.
impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({}×{}, {})", self.size.width, self.size.height, PixelDigest::of(self))
    }
}

impl PixelDigest {
    /// Digests a picture.
    #[must_use]
    pub fn of(picture: &Picture) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(picture.width().to_le_bytes());
        hasher.update(picture.height().to_le_bytes());
        hasher.update(picture.pixels());
        Self(hasher.finalize().into())
    }
}

impl Size {
    /// A size within the limits.
    ///
    /// # Errors
    /// [`PictureError::Size`].
    pub fn new(width: u32, height: u32) -> Result<Self, PictureError> {
        let pixels = u64::from(width) * u64::from(height);
        let side = 1..=limits::SIDE;
        if side.contains(&width) && side.contains(&height) && pixels <= limits::PIXELS {
            Ok(Self { width, height })
        } else {
            Err(PictureError::Size { width, height })
        }
    }

    /// Width in pixels.
    #[must_use]
    pub const fn width(self) -> u32 {
        self.width
    }

    /// Height in pixels.
    #[must_use]
    pub const fn height(self) -> u32 {
        self.height
    }

    /// Width times height; the limits keep it within 32 bits.
    #[must_use]
    pub const fn pixels(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Width and height exchanged.
    pub(crate) const fn turned(self) -> Self {
        Self { width: self.height, height: self.width }
    }
}

impl Picture {
    /// Creates a picture from red, green and blue of every pixel, row by row from the top left.
    ///
    /// # Errors
    /// [`PictureError::Length`] unless there are three samples for each pixel.
    pub fn new(size: Size, pixels: Vec<u8>) -> Result<Self, PictureError> {
        let wanted = size.pixels() * 3;
        if pixels.len() == wanted {
            Ok(Self { size, pixels })
        } else {
            let found = pixels.len();
            Err(PictureError::Length { width: size.width, height: size.height, wanted, found })
        }
    }

    /// Creates a picture from pixels whose number is known to match the size.
    pub(crate) fn of_pixels(size: Size, pixels: Vec<u8>) -> Self {
        debug_assert_eq!(pixels.len(), size.pixels() * 3);
        Self { size, pixels }
    }

    /// A picture whose pixels are computed from column and row.
    #[must_use]
    pub fn from_fn(size: Size, mut pixel: impl FnMut(u32, u32) -> [u8; 3]) -> Self {
        let mut pixels = Vec::with_capacity(size.pixels() * 3);
        for y in 0..size.height {
            for x in 0..size.width {
                pixels.extend(pixel(x, y));
            }
        }
        Self { size, pixels }
    }

    /// Width and height.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// Width in pixels.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.size.width
    }

    /// Height in pixels.
    #[must_use]
    pub const fn height(&self) -> u32 {
        self.size.height
    }

    /// Red, green and blue of every pixel, row by row from the top left.
    #[must_use]
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Returns the pixels.
    #[must_use]
    pub fn into_pixels(self) -> Vec<u8> {
        self.pixels
    }

    /// Crops the picture to a part.
    ///
    /// # Errors
    /// [`PictureError::Region`] if it is not within the picture.
    pub fn cut(&self, part: Region) -> Result<Self, PictureError> {
        let Size { width, height } = self.size;
        let inside =
            |from: u32, length: u32, whole: u32| from.checked_add(length).is_some_and(|end| end <= whole);
        if !inside(part.left, part.size.width, width) || !inside(part.top, part.size.height, height) {
            return Err(PictureError::Region { part, width, height });
        }
        let from = part.left as usize * 3;
        let row = part.size.width as usize * 3;
        let pixels = self
            .pixels
            .chunks_exact(width as usize * 3)
            .skip(part.top as usize)
            .take(part.size.height as usize)
            .flat_map(|line| &line[from..from + row])
            .copied()
            .collect();
        Ok(Self { size: part.size, pixels })
    }
}
