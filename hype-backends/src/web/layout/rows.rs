//! Images in rows, as the page's styles wrap them.

use super::Area;

/// The least width of an image with a caption.
const LEAST: f64 = 104.0;

/// Images in rows, each with a caption.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) images: &'a [Area],
    /// CSS pixels for each pixel of an image.
    pub(super) scale: f64,
    /// The space between images.
    pub(super) gap: f64,
    /// The height of a caption.
    pub(super) caption: f64,
}

impl Rows<'_> {
    /// Whether the images fit into a room of this width and height.
    pub(super) fn fit(self, (width, height): (f64, f64)) -> bool {
        let (mut across, mut tallest, mut done) = (0.0_f64, 0.0_f64, 0.0_f64);
        for image in self.images {
            let own = (f64::from(image.width) * self.scale).max(LEAST);
            let tall = f64::from(image.height) * self.scale + self.caption;
            if own > width {
                return false;
            }
            if across > 0.0 && across + self.gap + own > width {
                done += tallest + self.gap;
                (across, tallest) = (own, tall);
            } else {
                across += if across > 0.0 { self.gap + own } else { own };
                tallest = tallest.max(tall);
            }
        }
        done + tallest <= height
    }
}
