//! Checks a file's structure before any of it is decoded.
//!
//! Decoders tolerate missing data, but a stimulus must be complete. The chunks and segments are
//! therefore followed from the first to the last byte, without allocation.

use crate::error::ImageError;
use crate::format::FileFormat;
use crate::limits;

mod jpeg;
mod png;
mod webp;

/// The properties of an image according to the structure of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The maximum memory that decoding takes, in bytes.
    pub(crate) memory: u64,
    /// The number of pixels that are written or refined.
    pub(crate) work: u64,
    /// Whether the file has a colour profile.
    pub(crate) profile: bool,
}

/// Why a file is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flaw {
    Truncated(String),
    Corrupt(String),
    Animated,
    TooLarge {
        width: u32,
        height: u32,
        pixels: u64,
    },
    /// It exceeds a limit.
    Greedy {
        what: &'static str,
        wanted: u64,
        limit: u64,
    },
    /// Its colours cannot be shown.
    Colours(String),
}

impl Flaw {
    fn truncated(reason: impl Into<String>) -> Self {
        Self::Truncated(reason.into())
    }

    pub(crate) fn corrupt(reason: impl Into<String>) -> Self {
        Self::Corrupt(reason.into())
    }

    /// The error, as reported to the owner of the file.
    pub(crate) fn of(self, format: FileFormat, name: &str) -> ImageError {
        let path = name.to_owned();
        match self {
            Self::Truncated(reason) => ImageError::Truncated { path, format, reason },
            Self::Corrupt(reason) => ImageError::Corrupt { path, format, reason },
            Self::Animated => ImageError::Animated { path, format },
            Self::TooLarge { width, height, pixels } => {
                ImageError::TooLarge { path, width, height, side: limits::SIDE, pixels }
            }
            Self::Greedy { what, wanted, limit } => ImageError::Greedy { path, format, what, wanted, limit },
            Self::Colours(reason) => ImageError::Colours { path, format, reason },
        }
    }
}

/// Checks the structure of a file of a known format.
pub(crate) fn walk(format: FileFormat, bytes: &[u8]) -> Result<Header, Flaw> {
    match format {
        FileFormat::Png => png::walk(bytes),
        FileFormat::Jpeg => jpeg::walk(bytes),
        FileFormat::Webp => webp::walk(bytes),
    }
}

/// Checks a size that a header states.
fn size(width: u32, height: u32) -> Result<(), Flaw> {
    if width == 0 || height == 0 {
        return Err(Flaw::corrupt(format!("it states a size of {width}×{height}")));
    }
    let pixels = u64::from(width) * u64::from(height);
    if width > limits::SIDE || height > limits::SIDE || pixels > limits::PIXELS {
        return Err(Flaw::TooLarge { width, height, pixels: limits::PIXELS });
    }
    Ok(())
}
