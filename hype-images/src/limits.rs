//! The hard limits of files that are read.

/// The longest side of an image, in pixels.
pub const SIDE: u32 = 16_384;

/// The maximum number of pixels of an image (64 Mpx).
pub const PIXELS: u64 = 64 * 1024 * 1024;

/// The maximum length of a file, in bytes (64 MiB).
pub const FILE_BYTES: u64 = 64 * 1024 * 1024;

/// The maximum memory of decoding, in bytes (3 GiB), for any number of files inspected or prepared at once. The most
/// demanding image within the other limits takes this much.
///
/// In addition each thread holds one file, of at most [`FILE_BYTES`]. Only images near the limits wait for each
/// other.
pub const MEMORY: u64 = 3 * 1024 * 1024 * 1024;

/// The maximum work of decoding one image, in pixels that are written or refined: 64 passes over the largest image.
/// Files that require more are refused before they are decoded.
///
/// A PNG or a sequential JPEG takes one or two passes, a progressive JPEG about ten; a hostile one could require any
/// number.
pub const WORK: u64 = 64 * PIXELS;

/// The maximum length of a colour profile, unpacked, in bytes (4 MiB).
pub const PROFILE_BYTES: usize = 4 * 1024 * 1024;

/// The maximum length of a PNG's chunks other than the image, unpacked, in bytes (16 MiB).
pub(crate) const METADATA_BYTES: usize = 16 * 1024 * 1024;

/// The maximum memory for metadata and a profile's tables, in bytes (96 MiB).
pub(crate) const PROFILE_MEMORY: u64 = 96 * 1024 * 1024;
