//! Reads image files and proves that they are whole.

use std::fs::{self, File, Metadata};
use std::io::{Cursor, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::{ImageDecoder, Limits};
use zune_core::bytestream::ZCursor;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use crate::container::{self, Flaw, Header};
use crate::digest::ContentDigest;
use crate::error::ImageError;
use crate::format::{self, Format};
use crate::limits;

mod batch;
mod budget;

pub use batch::inspect_all;

use budget::Budget;

/// An image that was read to its end and decoded without fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspected {
    /// The path: relative with `/` from [`inspect_all`], as given from [`inspect`].
    pub path: Arc<str>,
    /// SHA-256 of the file's bytes.
    pub digest: ContentDigest,
    /// Length of the file, in bytes.
    pub bytes: u64,
    /// The format of the content.
    pub format: Format,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

impl Inspected {
    /// The format that the name's extension promises, where the content is of another.
    ///
    /// Not a fault, but a server that goes by names will announce the wrong type.
    #[must_use]
    pub fn misnamed(&self) -> Option<Format> {
        Format::of_name(&self.path).filter(|promised| *promised != self.format)
    }
}

/// Inspects one file: reads it, digests it, and decodes it to prove that it is whole.
///
/// # Errors
/// Any variant of [`ImageError`] about a file; hostile content never panics, and never takes more
/// than [`limits::MEMORY`].
pub fn inspect(path: &Path) -> Result<Inspected, ImageError> {
    let shown: Arc<str> = path.display().to_string().into();
    read(path, &shown, &Budget::new(limits::MEMORY)).map(|(inspected, _)| inspected)
}

/// What the file system says about a file that tells one state of it from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    /// Nanoseconds since 1970, if the system keeps them and they fit.
    pub(crate) modified_ns: Option<i64>,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let modified_ns = metadata.modified().ok().and_then(|time| match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).ok(),
            Err(before) => i64::try_from(before.duration().as_nanos()).ok().map(|ns| -ns),
        });
        Self { bytes: metadata.len(), modified_ns }
    }
}

/// The stamp of a regular file.
fn stamp(path: &Path, shown: &Arc<str>) -> Result<Stamp, ImageError> {
    let metadata = fs::metadata(path).map_err(|source| {
        let link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        if link && source.kind() == std::io::ErrorKind::NotFound {
            ImageError::BrokenLink { path: shown.to_string() }
        } else {
            ImageError::Unreadable { path: shown.to_string(), source }
        }
    })?;
    // Asked before opening: to open a named pipe would wait for its writer.
    if !metadata.is_file() {
        return Err(ImageError::NotAFile { path: shown.to_string() });
    }
    Ok(Stamp::of(&metadata))
}

fn read(path: &Path, shown: &Arc<str>, budget: &Budget) -> Result<(Inspected, Stamp), ImageError> {
    let before = stamp(path, shown)?;
    if before.bytes > limits::FILE_BYTES {
        return Err(ImageError::TooManyBytes {
            path: shown.to_string(),
            bytes: before.bytes,
            limit: limits::FILE_BYTES,
        });
    }
    let unreadable = |source| ImageError::Unreadable { path: shown.to_string(), source };
    let mut bytes = Vec::with_capacity(usize::try_from(before.bytes).unwrap_or(0));
    let file = File::open(path).map_err(unreadable)?;
    (&file).take(before.bytes + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    let after = Stamp::of(&file.metadata().map_err(unreadable)?);
    if after != before || bytes.len() as u64 != before.bytes {
        return Err(ImageError::Changed { path: shown.to_string() });
    }
    if bytes.is_empty() {
        return Err(ImageError::Empty { path: shown.to_string() });
    }
    let format = Format::of_content(&bytes).ok_or_else(|| ImageError::UnknownFormat {
        path: shown.to_string(),
        resembles: format::resemblance(&bytes),
    })?;
    let header = container::walk(format, &bytes)
        .and_then(|header| {
            let _share = budget.take(header.memory);
            decode(format, &bytes, header)?;
            Ok(header)
        })
        .map_err(|flaw| refusal(flaw, format, shown))?;
    let inspected = Inspected {
        path: Arc::clone(shown),
        digest: ContentDigest::of(&bytes),
        bytes: before.bytes,
        format,
        width: header.width,
        height: header.height,
    };
    Ok((inspected, before))
}

fn refusal(flaw: Flaw, format: Format, shown: &Arc<str>) -> ImageError {
    let path = shown.to_string();
    match flaw {
        Flaw::Truncated(reason) => ImageError::Truncated { path, format, reason },
        Flaw::Corrupt(reason) => ImageError::Corrupt { path, format, reason },
        Flaw::Animated => ImageError::Animated { path, format },
        Flaw::TooLarge { width, height } => {
            ImageError::TooLarge { path, width, height, side: limits::SIDE, pixels: limits::PIXELS }
        }
    }
}

/// Decodes the whole image and throws the pixels away.
fn decode(format: Format, bytes: &[u8], header: Header) -> Result<(), Flaw> {
    let attempt = || match format {
        Format::Png => decode_png(bytes, header),
        Format::Jpeg => decode_jpeg(bytes, header),
        Format::Webp => decode_webp(bytes, header),
    };
    // A decoder's panic is its bug, and one hostile file must not take a server down. Nothing that
    // the closure touches outlives it.
    catch_unwind(AssertUnwindSafe(attempt))
        .unwrap_or_else(|_| Err(Flaw::corrupt("its content defeats the decoder")))
}

fn decode_png(bytes: &[u8], header: Header) -> Result<(), Flaw> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(limits::SIDE);
    limits.max_image_height = Some(limits::SIDE);
    // Rows and metadata beside the pixels.
    limits.max_alloc = Some(64 * 1024 * 1024);
    let decoder = PngDecoder::with_limits(Cursor::new(bytes), limits)
        .map_err(|error| Flaw::corrupt(error.to_string()))?;
    pixels(decoder, header)
}

fn decode_webp(bytes: &[u8], header: Header) -> Result<(), Flaw> {
    let decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(|error| Flaw::corrupt(error.to_string()))?;
    if decoder.has_animation() {
        return Err(Flaw::Animated);
    }
    pixels(decoder, header)
}

fn pixels(decoder: impl ImageDecoder, header: Header) -> Result<(), Flaw> {
    same_size(decoder.dimensions(), header)?;
    // The walk has bounded the size, so that the product cannot overflow.
    let length =
        usize::try_from(decoder.total_bytes()).map_err(|_| Flaw::corrupt("it does not fit into memory"))?;
    decoder.read_image(&mut vec![0; length]).map_err(|error| Flaw::corrupt(error.to_string()))
}

/// Decodes in strict mode, which `image` does not offer: its lenient mode paints what is missing
/// grey.
fn decode_jpeg(bytes: &[u8], header: Header) -> Result<(), Flaw> {
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
    decoder.decode().map(drop).map_err(failed)
}

fn same_size(decoded: (u32, u32), header: Header) -> Result<(), Flaw> {
    if decoded == (header.width, header.height) {
        Ok(())
    } else {
        Err(Flaw::corrupt("its headers contradict each other about its size"))
    }
}
