//! PNG of every depth and colour type, interlaced or not.

use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, Info, Limits, Transformations};

use super::same_size;
use crate::container::{Flaw, Header};
use crate::limits;
use crate::raw::{Channels, Described, Raw, Samples};

pub(super) fn decode(bytes: &[u8], header: Header) -> Result<Raw, Flaw> {
    let failed = |error: png::DecodingError| Flaw::corrupt(error.to_string());
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: limits::METADATA_BYTES });
    // Text can be compressed a thousandfold, and is not used here.
    decoder.set_ignore_text_chunk(true);
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(failed)?;
    same_size((reader.info().width, reader.info().height), header)?;
    let length = reader.output_buffer_size().ok_or_else(|| Flaw::corrupt("it does not fit into memory"))?;
    let mut samples = vec![0; length];
    reader.next_frame(&mut samples).map_err(failed)?;
    let (colour, depth) = reader.output_color_type();
    // Exif data may follow the image.
    reader.finish().map_err(failed)?;
    let channels = match colour {
        ColorType::Grayscale => Channels::Grey,
        ColorType::GrayscaleAlpha => Channels::GreyAlpha,
        ColorType::Rgb => Channels::Rgb,
        ColorType::Rgba => Channels::Rgba,
        ColorType::Indexed => return Err(Flaw::corrupt("its palette cannot be resolved")),
    };
    let samples = match depth {
        BitDepth::Eight => Samples::Eight(samples),
        BitDepth::Sixteen => Samples::Sixteen(
            samples.as_chunks::<2>().0.iter().map(|&pair| u16::from_be_bytes(pair)).collect(),
        ),
        BitDepth::One | BitDepth::Two | BitDepth::Four => {
            return Err(Flaw::corrupt("its depth cannot be widened"));
        }
    };
    let info = reader.info();
    Ok(Raw {
        samples,
        channels,
        colours: described(info, header),
        exif: info.exif_metadata.as_deref().map(<[u8]>::to_vec),
    })
}

/// The chunk about colours with the highest precedence (W3C PNG, third edition, table 10).
fn described(info: &Info<'_>, header: Header) -> Described {
    if let Some(points) = info.coding_independent_code_points {
        return Described::CodePoints {
            primaries: points.color_primaries,
            transfer: points.transfer_function,
            matrix: points.matrix_coefficients,
            full_range: points.is_video_full_range_image,
        };
    }
    if let Some(profile) = info.icc_profile.as_deref().filter(|found| found.len() <= limits::PROFILE_BYTES) {
        return Described::Icc(profile.to_vec());
    }
    // The decoder ignores a profile that is damaged or too long.
    if header.profile {
        return Described::Unreadable;
    }
    if info.srgb.is_some() {
        return Described::Srgb;
    }
    let exponent = info.gama_chunk.map(|gamma| f64::from(gamma.into_scaled()) / SCALE);
    let chromaticities = info.chrm_chunk.map(|chunk| {
        [chunk.white, chunk.red, chunk.green, chunk.blue]
            .map(|(x, y)| (f64::from(x.into_scaled()) / SCALE, f64::from(y.into_scaled()) / SCALE))
    });
    match (exponent, chromaticities) {
        (None, None) => Described::Nothing,
        (exponent, chromaticities) => Described::Gamma { exponent, chromaticities },
    }
}

/// The factor by which `gAMA` and `cHRM` multiply their numbers.
const SCALE: f64 = 100_000.0;
