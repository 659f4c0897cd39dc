//! WebP, lossy and lossless, with and without transparency.

use std::io::Cursor;

use image::codecs::webp::WebPDecoder;
use image::{ColorType, ImageDecoder};

use super::raw::{Channels, Described, Raw, Samples};
use super::same_size;
use crate::container::{Flaw, Header};
use crate::limits;

pub(super) fn decode(bytes: &[u8], header: Header) -> Result<Raw, Flaw> {
    let failed = |error: image::ImageError| Flaw::corrupt(error.to_string());
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(failed)?;
    if decoder.has_animation() {
        return Err(Flaw::Animated);
    }
    same_size(decoder.dimensions(), header)?;
    let colours = match decoder.icc_profile().map_err(failed)? {
        None => Described::Nothing,
        Some(profile) if profile.len() > limits::PROFILE_BYTES => Described::Unreadable,
        Some(profile) => Described::Icc(profile),
    };
    let exif = decoder.exif_metadata().map_err(failed)?;
    let channels = match decoder.color_type() {
        ColorType::Rgb8 => Channels::Rgb,
        ColorType::Rgba8 => Channels::Rgba,
        other => return Err(Flaw::corrupt(format!("its samples are {other:?}"))),
    };
    // The walk has bounded the size, so that the product cannot overflow.
    let length =
        usize::try_from(decoder.total_bytes()).map_err(|_| Flaw::corrupt("it does not fit into memory"))?;
    let mut samples = vec![0; length];
    decoder.read_image(&mut samples).map_err(failed)?;
    Ok(Raw { samples: Samples::Eight(samples), channels, colours, exif })
}
