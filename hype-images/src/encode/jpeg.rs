//! Baseline JPEG.

use jpeg_encoder::{Encoder, EncodingError, ImageBuffer, JpegColorType, SamplingFactor, rgb_to_ycbcr};

use crate::picture::Picture;

/// The start of the image, and the marker of the JFIF segment that follows it.
const BEGINNING: [u8; 4] = [0xff, 0xd8, 0xff, 0xe0];

/// The marker and the length of a comment, in bytes.
const AROUND: usize = 4;

/// The longest comment with its marker, in bytes.
const LONGEST: usize = 2 + 0xffff;

/// Huffman tables are made for each picture: files are smaller by several percent. The encoder computes with whole
/// numbers: all machines write the same bytes.
pub(super) fn encode(picture: &Picture, quality: u8) -> Result<Vec<u8>, EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, quality.clamp(1, 100));
    encoder.set_sampling_factor(SamplingFactor::F_1_1);
    encoder.set_optimized_huffman_tables(true);
    encoder.encode_image(Rows(picture))?;
    Ok(bytes)
}

/// The rows of a picture. `Encoder::encode` does the same, and compiles the encoder for eight further kinds of pixels.
struct Rows<'a>(&'a Picture);

impl ImageBuffer for Rows<'_> {
    fn get_jpeg_color_type(&self) -> JpegColorType {
        JpegColorType::Ycbcr
    }

    fn width(&self) -> u16 {
        side(self.0.width())
    }

    fn height(&self) -> u16 {
        side(self.0.height())
    }

    fn fill_buffers(&self, y: u16, [luma, blue, red, _]: &mut [Vec<u8>; 4]) {
        let length = 3 * usize::from(self.width());
        for pixel in self.0.pixels()[usize::from(y) * length..][..length].chunks_exact(3) {
            let (y, cb, cr) = rgb_to_ycbcr(pixel[0], pixel[1], pixel[2]);
            luma.push(y);
            blue.push(cb);
            red.push(cr);
        }
    }
}

/// Sides are bounded by `limits::SIDE`, and a JPEG's by 65,535.
fn side(pixels: u32) -> u16 {
    u16::try_from(pixels).unwrap_or(u16::MAX)
}

pub(super) fn pad(mut file: Vec<u8>, room: usize) -> Option<Vec<u8>> {
    if !file.starts_with(&BEGINNING) {
        return None;
    }
    let jfif = usize::from(u16::from_be_bytes([*file.get(4)?, *file.get(5)?]));
    let mut comments = Vec::with_capacity(room);
    while comments.len() < room {
        let rest = room - comments.len();
        // What remains is nothing or long enough for another comment.
        let length =
            if rest > LONGEST && rest < LONGEST + AROUND { rest - AROUND } else { rest.min(LONGEST) };
        comments.extend([0xff, 0xfe]);
        comments.extend(u16::try_from(length - 2).ok()?.to_be_bytes());
        comments.resize(comments.len() + length - AROUND, 0);
    }
    let at = 4 + jfif;
    if at > file.len() {
        return None;
    }
    file.splice(at..at, comments);
    Some(file)
}
