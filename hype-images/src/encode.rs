//! The encoding of all stimuli.

use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter};

use crate::picture::Picture;

/// Writes a picture as a PNG: 8-bit RGB, one filter, one compression, and no chunk but `IHDR`,
/// `IDAT` and `IEND`.
///
/// The same picture gives the same bytes, which contain nothing of the original file. Their length
/// still depends on the picture; [`pad`] makes lengths equal.
#[must_use]
pub fn encode(picture: &Picture) -> Vec<u8> {
    write(picture).unwrap_or_else(|error| {
        // Writing to memory does not fail, and a picture has the number of samples that its size
        // requires.
        unreachable!("a picture of {:?} cannot be encoded: {error}", picture.size())
    })
}

fn write(picture: &Picture) -> Result<Vec<u8>, EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_filter(Filter::Adaptive);
    encoder.set_deflate_compression(DeflateCompression::Level(LEVEL));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(picture.pixels())?;
    writer.finish()?;
    Ok(bytes)
}

/// Higher levels take several times as long and save only a few percent of the length.
const LEVEL: u8 = 3;

/// The minimum that [`pad`] adds, in bytes: a chunk without content.
pub const PADDING_BYTES: usize = 12;

/// `IEND`, with which every PNG ends.
const END: [u8; 12] = [0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82];

/// An ancillary private chunk that may be copied (W3C PNG, third edition, §5.4); decoders ignore it.
const PADDING: [u8; 4] = *b"paDs";

/// Pads a PNG to a length with one chunk of zeros before its end, so that lengths reveal nothing.
///
/// Every file of a study has to be padded to at least [`PADDING_BYTES`] more than the longest, so that
/// all have the chunk. The zeros would shrink if a server compressed them in transfer: PNGs must be
/// sent as they are.
///
/// Returns `None` if the bytes are not a PNG that [`encode`] wrote, or there is no room for the chunk.
#[must_use]
pub fn pad(mut png: Vec<u8>, length: usize) -> Option<Vec<u8>> {
    let content = length.checked_sub(png.len() + PADDING_BYTES)?;
    let stated = u32::try_from(content).ok().filter(|&stated| stated <= u32::MAX / 2)?;
    if !png.ends_with(&END) {
        return None;
    }
    png.truncate(png.len() - END.len());
    png.extend(stated.to_be_bytes());
    let start = png.len();
    png.extend(PADDING);
    png.resize(start + PADDING.len() + content, 0);
    let check = crc32fast::hash(&png[start..]);
    png.extend(check.to_be_bytes());
    png.extend(END);
    Some(png)
}
