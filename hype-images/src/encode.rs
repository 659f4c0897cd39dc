//! The encoding of all stimuli.

use serde::{Deserialize, Serialize};

use crate::format::FileFormat;
use crate::picture::Picture;

#[cfg(feature = "jpeg")]
mod jpeg;
mod png;
mod webp;

/// The encoding of all pictures of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Encoding {
    /// PNG: 8-bit RGB, one filter, one compression, and no chunk but `IHDR`, `IDAT` and `IEND`.
    #[default]
    Png,
    /// Lossless WebP: a `VP8L` chunk in the extended file format (RFC 9649, §2.7), which allows chunks that decoders
    /// ignore.
    Webp,
    /// Baseline JPEG with full chroma resolution. Raters see the compression.
    #[cfg(feature = "jpeg")]
    Jpeg {
        /// From 1 to 100, as libjpeg scales its quantization tables; other values count as the nearest of these.
        quality: u8,
    },
}

impl Encoding {
    /// Whether this is the default.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Whether decoding gives the picture that was encoded.
    #[must_use]
    pub const fn is_lossless(self) -> bool {
        match self {
            Self::Png | Self::Webp => true,
            #[cfg(feature = "jpeg")]
            Self::Jpeg { .. } => false,
        }
    }

    /// The media type of its files.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Webp => "image/webp",
            #[cfg(feature = "jpeg")]
            Self::Jpeg { .. } => "image/jpeg",
        }
    }

    /// The format of its files.
    #[must_use]
    pub const fn format(self) -> FileFormat {
        match self {
            Self::Png => FileFormat::Png,
            Self::Webp => FileFormat::Webp,
            #[cfg(feature = "jpeg")]
            Self::Jpeg { .. } => FileFormat::Jpeg,
        }
    }
}

/// Encodes a picture.
///
/// The same picture gives the same bytes, which contain nothing of the original file: a lossless file is the canonical
/// encoding of its pixels, and encoding its pixels again gives the same file. The length still depends on the picture;
/// [`pad`] makes lengths equal.
#[must_use]
pub fn encode(picture: &Picture, encoding: Encoding) -> Vec<u8> {
    // Writing to memory does not fail, a picture has as many samples as its size requires, and no side of it exceeds
    // what the formats allow.
    let impossible = |error: &dyn std::fmt::Display| -> Vec<u8> {
        unreachable!("a picture of {:?} cannot be encoded: {error}", picture.size())
    };
    match encoding {
        Encoding::Png => png::encode(picture).unwrap_or_else(|error| impossible(&error)),
        Encoding::Webp => webp::encode(picture).unwrap_or_else(|error| impossible(&error)),
        #[cfg(feature = "jpeg")]
        Encoding::Jpeg { quality } => {
            jpeg::encode(picture, quality).unwrap_or_else(|error| impossible(&error))
        }
    }
}

/// The minimum that [`pad`] adds, in bytes, whatever the encoding. It is even, as the lengths of WebP files are.
pub const PADDING_BYTES: usize = 12;

/// Pads an encoded picture to a length with zeros that decoders ignore: lengths reveal nothing.
///
/// Every file of a study has to be padded to at least [`PADDING_BYTES`] more than the longest, so that all have
/// padding. The zeros would shrink if a server compressed them in transfer: images must be sent as they are.
///
/// - A PNG has one chunk `paDs` before its end: ancillary, private, and safe to copy (W3C PNG, third edition, §5.4).
/// - A WebP has one chunk `paDs` at its end, where readers ignore unknown chunks (RFC 9649, §2.7.1.6). Its length must
///   be even.
/// - A JPEG has comments (ITU-T T.81, B.2.4.5) before its tables.
///
/// Returns `None` if the bytes are not a file that [`encode`] wrote, or there is no room for the padding.
#[must_use]
pub fn pad(file: Vec<u8>, length: usize) -> Option<Vec<u8>> {
    let room = length.checked_sub(file.len()).filter(|&room| room >= PADDING_BYTES)?;
    match FileFormat::of_content(&file)? {
        FileFormat::Png => png::pad(file, room),
        FileFormat::Webp => webp::pad(file, room),
        #[cfg(feature = "jpeg")]
        FileFormat::Jpeg => jpeg::pad(file, room),
        #[cfg(not(feature = "jpeg"))]
        FileFormat::Jpeg => None,
    }
}
