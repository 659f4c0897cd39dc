//! JPEG, baseline and progressive, in grey, colour and print colours.

use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use super::same_size;
use crate::container::{Flaw, Header};
use crate::limits;
use crate::raw::{Channels, Described, Raw, Samples};

/// Decodes in strict mode: the lenient mode fills missing parts with grey.
pub(super) fn decode(bytes: &[u8], header: Header) -> Result<Raw, Flaw> {
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(limits::SIDE as usize)
        .set_max_height(limits::SIDE as usize);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let failed = |error: zune_jpeg::errors::DecodeErrors| Flaw::corrupt(error.to_string());
    decoder.decode_headers().map_err(failed)?;
    let (width, height) = decoder.dimensions().ok_or_else(|| Flaw::corrupt("it states no size"))?;
    let side = |pixels| u32::try_from(pixels).unwrap_or(u32::MAX);
    same_size((side(width), side(height)), header)?;
    let found = decoder.input_colorspace().ok_or_else(|| Flaw::corrupt("it states no colours"))?;
    let (wanted, channels) = match found {
        ColorSpace::Luma => (found, Channels::Grey),
        ColorSpace::YCbCr | ColorSpace::RGB => (ColorSpace::RGB, Channels::Rgb),
        ColorSpace::CMYK | ColorSpace::YCCK => (found, Channels::Cmyk),
        _ => return Err(Flaw::corrupt("its colour components are not supported by browsers")),
    };
    decoder.set_options(options.jpeg_set_out_colorspace(wanted));
    let mut samples = decoder.decode().map_err(failed)?;
    match found {
        ColorSpace::CMYK => samples.iter_mut().for_each(|sample| *sample = 255 - *sample),
        ColorSpace::YCCK => samples.as_chunks_mut::<4>().0.iter_mut().for_each(inks),
        _ => {}
    }
    let profile = match decoder.icc_profile() {
        Some(profile) if profile.len() > limits::PROFILE_BYTES => Described::Unreadable,
        Some(profile) => Described::Icc(profile),
        // The decoder ignores a profile with a missing part.
        None if header.profile => Described::Unreadable,
        None => Described::Nothing,
    };
    let exif = decoder.exif().cloned();
    Ok(Raw { samples: Samples::Eight(samples), channels, colours: profile, exif })
}

/// Converts luminance, chroma and inverted black to inks (ITU-T T.872). The colours of YCCK are the
/// complements of the inks.
fn inks(pixel: &mut [u8; 4]) {
    let [y, cb, cr, black] = *pixel;
    let (y, cb, cr) = (i32::from(y) << 16, i32::from(cb) - 128, i32::from(cr) - 128);
    // 1.402, 0.344136, 0.714136 and 1.772 with 16 binary digits.
    let level = |sum: i32| ((sum + (1 << 15)) >> 16).clamp(0, 255) as u8;
    let (red, green, blue) =
        (level(y + 91_881 * cr), level(y - 22_554 * cb - 46_802 * cr), level(y + 116_130 * cb));
    *pixel = [red, green, blue, 255 - black];
}
