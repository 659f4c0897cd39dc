//! WebP, lossy and lossless, with and without transparency.

use std::io::Cursor;

use image_webp::{DecodingError, WebPDecoder};

use super::same_size;
use crate::container::{Flaw, Header};
use crate::limits;
use crate::raw::{Channels, Described, Raw, Samples};

pub(super) fn decode(bytes: &[u8], header: Header) -> Result<Raw, Flaw> {
    let failed = |error: DecodingError| Flaw::corrupt(error.to_string());
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(failed)?;
    if decoder.is_animated() {
        return Err(Flaw::Animated);
    }
    same_size(decoder.dimensions(), header)?;
    let colours = match decoder.icc_profile().map_err(failed)? {
        None => Described::Nothing,
        Some(profile) if profile.len() > limits::PROFILE_BYTES => Described::Unreadable,
        Some(profile) => Described::Icc(profile),
    };
    let exif = decoder.exif_metadata().map_err(failed)?;
    let channels = if decoder.has_alpha() { Channels::Rgba } else { Channels::Rgb };
    let length = decoder.output_buffer_size().ok_or_else(|| Flaw::corrupt("it does not fit into memory"))?;
    let mut samples = vec![0; length];
    decoder.read_image(&mut samples).map_err(failed)?;
    Ok(Raw { samples: Samples::Eight(samples), channels, colours, exif })
}
