//! Resizes pictures of any size to the size of a study.

use serde::{Deserialize, Serialize};

use crate::picture::{Picture, PictureError, Region, Size};
use crate::resample::Filter;

/// How the size of a picture changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Framing {
    /// It is unchanged.
    #[default]
    Whole,
    /// The largest size of the same shape that fits, rounded to whole pixels; smaller pictures are
    /// enlarged.
    Within {
        /// The maximum width, in pixels.
        width: u32,
        /// The maximum height, in pixels.
        height: u32,
    },
    /// This size. A picture of another shape is cropped equally on two sides before resampling. A
    /// square is covered by the largest square around the centre.
    Cover {
        /// Its width, in pixels.
        width: u32,
        /// Its height, in pixels.
        height: u32,
    },
    /// This size; pictures of another shape are distorted.
    Exact {
        /// Its width, in pixels.
        width: u32,
        /// Its height, in pixels.
        height: u32,
    },
}

impl Framing {
    /// The part of a picture of this size that is used, and the size that it is resized to.
    ///
    /// # Errors
    /// [`PictureError::Size`] if the requested size is beyond the limits.
    pub fn plan(self, from: Size) -> Result<(Region, Size), PictureError> {
        let whole = Region { left: 0, top: 0, size: from };
        match self {
            Self::Whole => Ok((whole, from)),
            Self::Within { width, height } => {
                let bounds = Size::new(width, height)?;
                Ok((whole, within(from, bounds)))
            }
            Self::Cover { width, height } => {
                let to = Size::new(width, height)?;
                let size = within(to, from);
                let left = (from.width() - size.width()) / 2;
                let top = (from.height() - size.height()) / 2;
                Ok((Region { left, top, size }, to))
            }
            Self::Exact { width, height } => Ok((whole, Size::new(width, height)?)),
        }
    }

    /// Resizes a picture.
    ///
    /// # Errors
    /// [`PictureError::Size`] if the requested size is beyond the limits.
    pub fn frame(self, picture: &Picture, filter: Filter) -> Result<Picture, PictureError> {
        let (part, to) = self.plan(picture.size())?;
        if part.size == picture.size() {
            return Ok(picture.resample(to, filter));
        }
        Ok(picture.cut(part)?.resample(to, filter))
    }
}

/// The largest size with the aspect ratio of `shape` within `bounds`. One side is that of the
/// bounds, the other is rounded half up and at least 1.
fn within(shape: Size, bounds: Size) -> Size {
    let scaled = |side: u32, by: u32, over: u32| {
        let (side, by, over) = (u64::from(side), u64::from(by), u64::from(over));
        // Within the bounds' side, since the other side is the tighter one.
        u32::try_from(((2 * side * by + over) / (2 * over)).max(1)).unwrap_or(u32::MAX)
    };
    let wide = u64::from(shape.width()) * u64::from(bounds.height())
        >= u64::from(shape.height()) * u64::from(bounds.width());
    let (width, height) = if wide {
        (bounds.width(), scaled(shape.height(), bounds.width(), shape.width()))
    } else {
        (scaled(shape.width(), bounds.height(), shape.height()), bounds.height())
    };
    Size::new(width, height).unwrap_or(bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(framing: Framing, from: (u32, u32)) -> ((u32, u32), (u32, u32), (u32, u32)) {
        let (part, to) = framing.plan(Size::new(from.0, from.1).unwrap()).unwrap();
        let pair = |size: Size| (size.width(), size.height());
        ((part.left, part.top), pair(part.size), pair(to))
    }

    #[test]
    fn shapes_are_kept_cut_or_distorted() {
        let (width, height) = (256, 256);
        let within = Framing::Within { width, height };
        assert_eq!(plan(within, (1024, 768)), ((0, 0), (1024, 768), (256, 192)));
        assert_eq!(plan(within, (10, 20)), ((0, 0), (10, 20), (128, 256)));
        assert_eq!(plan(within, (16_384, 1)), ((0, 0), (16_384, 1), (256, 1)));
        let cover = Framing::Cover { width, height };
        assert_eq!(plan(cover, (1024, 769)), ((127, 0), (769, 769), (256, 256)));
        assert_eq!(plan(cover, (300, 1000)), ((0, 350), (300, 300), (256, 256)));
        assert_eq!(plan(Framing::Cover { width: 300, height: 100 }, (200, 200)).1, (200, 67));
        assert_eq!(plan(Framing::Cover { width: 1, height: 16_384 }, (3, 2)).1, (1, 2));
        let exact = Framing::Exact { width: 5, height: 7 };
        assert_eq!(plan(exact, (100, 3)), ((0, 0), (100, 3), (5, 7)));
        assert_eq!(plan(Framing::Whole, (100, 3)), ((0, 0), (100, 3), (100, 3)));
        for (width, height) in [(0, 5), (16_385, 1), (16_384, 16_384)] {
            let size = Size::new(4, 4).unwrap();
            let error = Framing::Within { width, height }.plan(size).unwrap_err();
            assert_eq!(error, PictureError::Size { width, height });
        }
    }

    #[test]
    fn a_cover_shows_the_centre() {
        let size = Size::new(9, 3).unwrap();
        let picture = Picture::from_fn(size, |x, y| [x as u8, y as u8, 0]);
        let framed = Framing::Cover { width: 3, height: 3 }.frame(&picture, Filter::Bicubic).unwrap();
        assert_eq!(framed.pixels()[..9], [3, 0, 0, 4, 0, 0, 5, 0, 0]);
    }
}
