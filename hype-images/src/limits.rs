//! The hard limits of what is read.

/// The longest side of an image, in pixels.
pub const SIDE: u32 = 16_384;

/// The most pixels of an image (64 Mpx).
pub const PIXELS: u64 = 64 * 1024 * 1024;

/// The longest file, in bytes (64 MiB).
pub const FILE_BYTES: u64 = 64 * 1024 * 1024;

/// The most memory that decoding takes, in bytes (3 GiB), however many files are inspected or
/// prepared at once: what the most demanding image at the other limits takes.
///
/// Beside it each thread holds one file, of [`FILE_BYTES`] at most. A few images at the limits wait for each other; ordinary ones never do.
pub const MEMORY: u64 = 3 * 1024 * 1024 * 1024;

/// The most work that decoding one image takes, in pixels that are written or refined: 64 passes
/// over the largest image. Files that ask for more are refused before they are decoded.
///
/// A PNG or a sequential JPEG takes one or two passes, a progressive JPEG about ten; a hostile one
/// could ask for any number.
pub const WORK: u64 = 64 * PIXELS;

/// The longest colour profile that is used, unpacked, in bytes (4 MiB).
pub const PROFILE_BYTES: usize = 4 * 1024 * 1024;

/// The most that a PNG's chunks beside the image take unpacked, in bytes (16 MiB).
pub(crate) const METADATA_BYTES: usize = 16 * 1024 * 1024;

/// What metadata and a profile's tables take at most, in bytes (96 MiB).
pub(crate) const PROFILE_MEMORY: u64 = 96 * 1024 * 1024;
