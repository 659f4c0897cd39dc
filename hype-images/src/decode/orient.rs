//! Turns pictures upright as their Exif data ask (CIPA DC-008, tag 0x0112).

use image::metadata::Orientation;

use crate::picture::Picture;

/// The orientation that Exif data state; upright where they state none.
pub(super) fn read(exif: &[u8]) -> Orientation {
    // Some writers keep the prefix that belongs to JPEG's segment.
    let data = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    Orientation::from_exif_chunk(data).unwrap_or(Orientation::NoTransforms)
}

pub(super) fn apply(picture: Picture, orientation: Orientation) -> Picture {
    let from = picture.size();
    let turned = matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    );
    let to = if turned { from.turned() } else { from };
    let (right, bottom) = (to.width() - 1, to.height() - 1);
    let (pixels, _) = picture.pixels().as_chunks::<3>();
    let stride = from.width() as usize;
    // For each place of the upright picture the column and row that it is stored at.
    let stored = |x: u32, y: u32| match orientation {
        Orientation::NoTransforms => (x, y),
        Orientation::FlipHorizontal => (right - x, y),
        Orientation::Rotate180 => (right - x, bottom - y),
        Orientation::FlipVertical => (x, bottom - y),
        Orientation::Rotate90FlipH => (y, x),
        Orientation::Rotate90 => (y, right - x),
        Orientation::Rotate270FlipH => (bottom - y, right - x),
        Orientation::Rotate270 => (bottom - y, x),
    };
    if orientation == Orientation::NoTransforms {
        return picture;
    }
    Picture::from_fn(to, |x, y| {
        let (column, row) = stored(x, y);
        pixels[row as usize * stride + column as usize]
    })
}
