//! From a file's bytes to the one picture that every rater sees.

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

/// How files become pictures, and the most that one may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decoding {
    /// What is seen through transparent pixels, in sRGB.
    pub background: [u8; 3],
    /// The longest file, in bytes.
    pub bytes: u64,
    /// The most pixels.
    pub pixels: u64,
    /// The most memory, in bytes.
    pub memory: u64,
    /// The most work, in pixels that are written or refined (see [`limits::WORK`]).
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

/// The background for which pictures with transparency are nearly always made.
pub const WHITE: [u8; 3] = [255; 3];

/// A picture, and what was done so that it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The picture: upright, opaque, in sRGB.
    pub picture: Picture,
    /// The format of the file.
    pub format: FileFormat,
    /// What the file said about its colours.
    pub colours: Colours,
    /// The Exif orientation that was undone: 1 (upright) to 8.
    pub orientation: u8,
    /// Whether any pixel let the background through.
    pub transparent: bool,
}

/// Decodes a whole PNG, JPEG or WebP; `name` is how errors call it.
///
/// # Method
/// 1. The file's structure is followed to its end, and what its headers ask for is compared with
///    the limits before anything is decoded. Animations are refused, not shown in part.
/// 2. It is decoded in full: palettes and grey become colour, CMYK and YCCK are converted by its
///    profile, or else as browsers do by `R = (255 − C)(255 − K)/255`.
/// 3. Colours become sRGB by what the file says of them, in this order: PNG's `cICP`, an ICC
///    profile, PNG's `sRGB`, PNG's `gAMA` and `cHRM`. A file that says nothing is in sRGB.
///    Colours beyond sRGB are clipped channel by channel. A profile that cannot be used is passed
///    over as browsers do, and reported in [`Decoded::colours`]; pictures coded for HDR displays are refused.
/// 4. Transparent pixels are laid over the background in sRGB levels as browsers do,
///    `(colour·alpha + background·(1 − alpha))`.
/// 5. The Exif orientation is applied.
///
/// # Numerics
/// Sixteen-bit levels become eight bits rounded to the nearest, `⌊(255·v + 32767)/65535⌋`, after
/// the colours are converted and before the background shows. Every rounding is half up.
///
/// # Errors
/// Any variant of [`ImageError`] about a file's content. Hostile content never panics; its time is
/// bounded by `work` and the file's length, not by a clock, so that a file is taken or refused alike
/// on every machine.
pub fn decode(name: &str, bytes: &[u8], decoding: &Decoding) -> Result<Decoded, ImageError> {
    let examined = Examined::of(name, bytes, decoding)?;
    examined.decode(name, bytes, decoding)
}

/// A file whose structure is whole and within the limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Examined {
    format: FileFormat,
    header: Header,
}

impl Examined {
    /// Follows a file's structure.
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

    /// The most memory that decoding takes, in bytes, beside the file.
    pub(crate) fn memory(self) -> u64 {
        // The opaque picture and the upright one, beside what the decoder holds; and what profiles
        // and rows take.
        let pixels = u64::from(self.header.width) * u64::from(self.header.height);
        self.header.memory + 6 * pixels + limits::PROFILE_MEMORY
    }

    /// The size in pixels as stored, not upright yet.
    pub(crate) const fn size(self) -> (u32, u32) {
        (self.header.width, self.header.height)
    }

    pub(crate) const fn format(self) -> FileFormat {
        self.format
    }

    /// Decodes the whole image and throws the pixels away.
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

/// Turns a decoder's panic into a flaw: it is the decoder's bug, and one hostile file must not take
/// a server down. Nothing that the closure touches may outlive it.
fn guarded<T>(attempt: impl FnOnce() -> Result<T, Flaw>) -> Result<T, Flaw> {
    catch_unwind(AssertUnwindSafe(attempt))
        .unwrap_or_else(|_| Err(Flaw::corrupt("its content defeats the decoder")))
}

/// Whether the decoder found the size that the structure states.
fn same_size(decoded: (u32, u32), header: Header) -> Result<(), Flaw> {
    if decoded == (header.width, header.height) {
        Ok(())
    } else {
        Err(Flaw::corrupt("its headers contradict each other about its size"))
    }
}
