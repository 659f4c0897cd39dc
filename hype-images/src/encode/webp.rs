//! Lossless WebP, in the extended file format.

use image_webp::{ColorType, EncodingError, WebPEncoder};

use crate::picture::Picture;

/// The bytes before the first chunk: `RIFF`, the length of the rest, and `WEBP`.
const BEGINNING: usize = 12;

/// The kind of a chunk and its length, in bytes.
const AROUND: usize = 8;

/// The kind of the chunk with the padding.
const PADDING: [u8; 4] = *b"paDs";

pub(super) fn encode(picture: &Picture) -> Result<Vec<u8>, EncodingError> {
    let mut simple = Vec::new();
    WebPEncoder::new(&mut simple).encode(
        picture.pixels(),
        picture.width(),
        picture.height(),
        ColorType::Rgb8,
    )?;
    // The encoder writes the simple file format: the image is its only chunk.
    let image = simple.get(BEGINNING..).unwrap_or_default();
    let mut file = Vec::with_capacity(BEGINNING + AROUND + 10 + image.len());
    file.extend(*b"RIFF\0\0\0\0WEBPVP8X");
    file.extend(10_u32.to_le_bytes());
    // No flags: neither transparency, nor animation, nor metadata.
    file.extend([0; 4]);
    for side in [picture.width(), picture.height()] {
        file.extend(&(side - 1).to_le_bytes()[..3]);
    }
    file.extend(image);
    Ok(stating_its_length(file).unwrap_or_default())
}

pub(super) fn pad(mut file: Vec<u8>, room: usize) -> Option<Vec<u8>> {
    let content = room.checked_sub(AROUND).filter(|content| content % 2 == 0)?;
    if file.get(BEGINNING..BEGINNING + 4)? != b"VP8X" {
        return None;
    }
    file.extend(PADDING);
    file.extend(u32::try_from(content).ok()?.to_le_bytes());
    file.resize(file.len() + content, 0);
    stating_its_length(file)
}

/// The file with its own length in the header; `None` if it is too long for the format.
fn stating_its_length(mut file: Vec<u8>) -> Option<Vec<u8>> {
    let rest = u32::try_from(file.len() - 8).ok()?;
    file[4..8].copy_from_slice(&rest.to_le_bytes());
    Some(file)
}
