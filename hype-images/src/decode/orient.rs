//! Turns pictures upright according to their Exif data (CIPA DC-008, tag 0x0112).

use crate::picture::Picture;

/// The orientation of a picture that is upright as stored.
pub(super) const UPRIGHT: u8 = 1;

/// The tag of the orientation, and the type of its value: one 16-bit number.
const ORIENTATION: (u16, u16, u32) = (0x0112, 3, 1);

/// The orientation in Exif data, 1 to 8; [`UPRIGHT`] if there is none.
pub(super) fn read(exif: &[u8]) -> u8 {
    // Some writers include the prefix of JPEG's segment.
    let data = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    stated(data).filter(|orientation| (1..=8).contains(orientation)).unwrap_or(UPRIGHT)
}

/// The value of the orientation in the first directory of a TIFF structure (TIFF 6.0, section 2).
fn stated(data: &[u8]) -> Option<u8> {
    let (magic, _) = data.split_first_chunk::<4>()?;
    let big = match magic {
        b"MM\0*" => true,
        b"II*\0" => false,
        _ => return None,
    };
    let short = |at: usize| {
        let bytes = *data.get(at..)?.first_chunk::<2>()?;
        Some(if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    };
    let long = |at: usize| {
        let bytes = *data.get(at..)?.first_chunk::<4>()?;
        Some(if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    };
    let directory = usize::try_from(long(4)?).ok()?;
    let entries = usize::from(short(directory)?);
    for number in 0..entries {
        let at = directory.checked_add(2 + 12 * number)?;
        let found = (short(at)?, short(at + 2)?, long(at + 4)?);
        let value = short(at + 8)?;
        if found == ORIENTATION {
            return u8::try_from(value).ok();
        }
    }
    None
}

/// Undoes an orientation from 2 to 8; other values leave the picture unchanged.
pub(super) fn apply(picture: Picture, orientation: u8) -> Picture {
    let from = picture.size();
    let to = if orientation >= 5 { from.turned() } else { from };
    let (right, bottom) = (to.width() - 1, to.height() - 1);
    // For each position in the upright picture, the column and row at which it is stored.
    let stored: fn(u32, u32, u32, u32) -> (u32, u32) = match orientation {
        2 => |x, y, right, _| (right - x, y),
        3 => |x, y, right, bottom| (right - x, bottom - y),
        4 => |x, y, _, bottom| (x, bottom - y),
        5 => |x, y, _, _| (y, x),
        6 => |x, y, right, _| (y, right - x),
        7 => |x, y, right, bottom| (bottom - y, right - x),
        8 => |x, y, _, bottom| (bottom - y, x),
        _ => return picture,
    };
    let (pixels, _) = picture.pixels().as_chunks::<3>();
    let stride = from.width() as usize;
    Picture::from_fn(to, |x, y| {
        let (column, row) = stored(x, y, right, bottom);
        pixels[row as usize * stride + column as usize]
    })
}
