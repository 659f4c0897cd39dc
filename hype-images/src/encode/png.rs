//! PNG.

use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter};

use crate::picture::Picture;

/// Higher levels take several times as long and save only a few percent of the length.
const LEVEL: u8 = 3;

/// `IEND`, with which every PNG ends.
const END: [u8; 12] = [0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82];

/// The kind of the chunk with the padding.
const PADDING: [u8; 4] = *b"paDs";

/// The length, the kind and the check sum of a chunk, in bytes.
const AROUND: usize = 12;

pub(super) fn encode(picture: &Picture) -> Result<Vec<u8>, EncodingError> {
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

pub(super) fn pad(mut png: Vec<u8>, room: usize) -> Option<Vec<u8>> {
    let content = room.checked_sub(AROUND)?;
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
