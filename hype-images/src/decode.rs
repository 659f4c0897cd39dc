//! Decoding: from a file's bytes to the picture that every rater sees.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::colour::{Colours, Conversion};
use crate::container::{self, Flaw, Header};
use crate::error::ImageError;
use crate::format::{self, FileFormat};
use crate::limits;
use crate::picture::{Picture, Size};
use crate::raw::Raw;

mod flatten;
mod jpeg;
mod orient;
mod png;
mod webp;

/// How files are decoded, and the limits for one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decoding {
    /// The background behind transparent pixels, in sRGB.
    pub background: [u8; 3],
    /// The maximum length of a file, in bytes.
    pub bytes: u64,
    /// The maximum number of pixels.
    pub pixels: u64,
    /// The maximum memory, in bytes.
    pub memory: u64,
    /// The maximum work, in pixels that are written or refined (see [`limits::WORK`]).
    pub work: u64,
}

/// White behind transparent pixels, and the limits of [`limits`].
impl Default for Decoding {
    fn default() -> Self {
        Self {
            background: WHITE,
            bytes: limits::FILE_BYTES,
            pixels: limits::PIXELS,
            memory: limits::MEMORY,
            work: limits::WORK,
        }
    }
}

/// Pictures with transparency are nearly always made for this background.
pub const WHITE: [u8; 3] = [255; 3];

/// A decoded picture, with the conversions that were applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The picture: upright, opaque, in sRGB.
    pub picture: Picture,
    /// The format of the file.
    pub format: FileFormat,
    /// The colour information of the file, and how it was used.
    pub colours: Colours,
    /// The Exif orientation that was undone: 1 (upright) to 8.
    pub orientation: u8,
    /// Whether any pixel was transparent.
    pub transparent: bool,
}

/// Decodes a complete PNG, JPEG or WebP file; errors contain `name`.
///
/// # Method
/// 1. The file's structure is followed to its end, and the demands of its headers are compared with
///    the limits before anything is decoded. Animations are refused, not shown in part.
/// 2. It is decoded in full: palettes and grey become colour, CMYK and YCCK are converted by its
///    profile, or else as in browsers by `R = (255 − C)(255 − K)/255`.
/// 3. Colours are converted to sRGB by the file's colour information, in this order of preference:
///    PNG's `cICP`, an ICC profile, PNG's `sRGB`, PNG's `gAMA` and `cHRM`. A file without any is in
///    sRGB. Colours beyond sRGB are clipped channel by channel. A profile that cannot be used is
///    ignored, as in browsers, and reported in [`Decoded::colours`]; pictures coded for HDR
///    displays are refused.
/// 4. Transparent pixels are blended with the background in sRGB levels, as in browsers,
///    `(colour·alpha + background·(1 − alpha))`.
/// 5. The Exif orientation is applied.
///
/// # Numerics
/// Sixteen-bit levels are rounded to the nearest eight-bit level, `⌊(255·v + 32767)/65535⌋`, after
/// the colours are converted and before the background is added. All rounding is half up.
///
/// # Errors
/// Any variant of [`ImageError`] about a file's content. Hostile content never panics; its time is
/// bounded by `work` and the file's length, not by a clock, so that a file is accepted or refused
/// consistently on every machine.
pub fn decode(name: &str, bytes: &[u8], decoding: &Decoding) -> Result<Decoded, ImageError> {
    let examined = Examined::of(name, bytes, decoding)?;
    examined.decode(name, bytes, decoding)
}

/// A file with a complete structure within the limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Examined {
    format: FileFormat,
    header: Header,
}

impl Examined {
    /// Checks a file's structure.
    pub(crate) fn of(name: &str, bytes: &[u8], decoding: &Decoding) -> Result<Self, ImageError> {
        if bytes.is_empty() {
            return Err(ImageError::Empty { path: name.to_owned() });
        }
        if bytes.len() as u64 > decoding.bytes {
            return Err(ImageError::TooManyBytes {
                path: name.to_owned(),
                bytes: bytes.len() as u64,
                limit: decoding.bytes,
            });
        }
        let format = FileFormat::of_content(bytes).ok_or_else(|| ImageError::UnknownFormat {
            path: name.to_owned(),
            resembles: format::resemblance(bytes),
        })?;
        let header = container::walk(format, bytes).map_err(|flaw| flaw.of(format, name))?;
        let examined = Self { format, header };
        let pixels = u64::from(header.width) * u64::from(header.height);
        let flaw = if pixels > decoding.pixels {
            Flaw::TooLarge { width: header.width, height: header.height, pixels: decoding.pixels }
        } else if examined.memory() > decoding.memory {
            Flaw::Greedy { what: "bytes of memory", wanted: examined.memory(), limit: decoding.memory }
        } else if header.work > decoding.work {
            Flaw::Greedy { what: "pixels of work", wanted: header.work, limit: decoding.work }
        } else {
            return Ok(examined);
        };
        Err(flaw.of(format, name))
    }

    /// The peak memory of decoding, in bytes, without the file.
    pub(crate) fn memory(self) -> u64 {
        // The opaque picture and the upright one, the decoder's memory, and that of profiles and
        // rows.
        let pixels = u64::from(self.header.width) * u64::from(self.header.height);
        self.header.memory + 6 * pixels + limits::PROFILE_MEMORY
    }

    /// The size in pixels as stored, before the orientation is applied.
    pub(crate) const fn size(self) -> (u32, u32) {
        (self.header.width, self.header.height)
    }

    pub(crate) const fn format(self) -> FileFormat {
        self.format
    }

    /// Decodes the whole image and discards the pixels.
    pub(crate) fn prove(self, name: &str, bytes: &[u8]) -> Result<(), ImageError> {
        let Self { format, header } = self;
        guarded(|| Conversion::of(&raw(format, bytes, header)?).map(drop))
            .map_err(|flaw| flaw.of(format, name))
    }

    pub(crate) fn decode(self, name: &str, bytes: &[u8], decoding: &Decoding) -> Result<Decoded, ImageError> {
        let Self { format, header } = self;
        guarded(|| {
            let raw = raw(format, bytes, header)?;
            let size =
                Size::new(header.width, header.height).map_err(|error| Flaw::corrupt(error.to_string()))?;
            let (conversion, colours) = Conversion::of(&raw)?;
            let orientation = raw.exif.as_deref().map_or(orient::UPRIGHT, orient::read);
            let (pixels, transparent) = flatten::flatten(raw, size, conversion, decoding.background)?;
            let picture = orient::apply(Picture::of_pixels(size, pixels), orientation);
            Ok(Decoded { picture, format, colours, orientation, transparent })
        })
        .map_err(|flaw| flaw.of(format, name))
    }
}

/// Decodes the samples that a file holds.
fn raw(format: FileFormat, bytes: &[u8], header: Header) -> Result<Raw, Flaw> {
    match format {
        FileFormat::Png => png::decode(bytes, header),
        FileFormat::Jpeg => jpeg::decode(bytes, header),
        FileFormat::Webp => webp::decode(bytes, header),
    }
}

/// Turns a decoder's panic into a flaw: it is the decoder's bug, and one hostile file must not stop
/// a server. The closure must not modify anything that outlives it.
fn guarded<T>(attempt: impl FnOnce() -> Result<T, Flaw>) -> Result<T, Flaw> {
    catch_unwind(AssertUnwindSafe(attempt))
        .unwrap_or_else(|_| Err(Flaw::corrupt("its content defeats the decoder")))
}

/// Whether the decoder's size equals that of the structure.
fn same_size(decoded: (u32, u32), header: Header) -> Result<(), Flaw> {
    if decoded == (header.width, header.height) {
        Ok(())
    } else {
        Err(Flaw::corrupt("its headers contradict each other about its size"))
    }
}
