//! Images in rows, as the page's styles wrap them.

use super::{Area, LAYOUT};

/// The least width of an image with a caption.
const LEAST: f64 = 104.0;
/// The border and the padding at both sides of an image that is a button.
const BORDER: f64 = 16.0;

/// Images in rows, each with a caption.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) images: &'a [Area],
    /// CSS pixels for each pixel of an image.
    pub(super) scale: f64,
    /// The height of a caption.
    pub(super) caption: f64,
}

impl Rows<'_> {
    /// Whether the images fit into a room of this width and height.
    pub(super) fn fit(self, (width, height): (f64, f64)) -> bool {
        let gap = LAYOUT.gap;
        let (mut across, mut tallest, mut done) = (0.0_f64, 0.0_f64, 0.0_f64);
        for image in self.images {
            let own = (f64::from(image.width) * self.scale).max(LEAST) + BORDER;
            let tall = f64::from(image.height) * self.scale + self.caption;
            if own > width {
                return false;
            }
            if across > 0.0 && across + gap + own > width {
                done += tallest + gap;
                (across, tallest) = (own, tall);
            } else {
                across += if across > 0.0 { gap + own } else { own };
                tallest = tallest.max(tall);
            }
        }
        done + tallest <= height
    }
}
