//! The hard limits of what is read.

/// The longest side of an image, in pixels.
pub const SIDE: u32 = 16_384;

/// The most pixels of an image (64 Mpx).
pub const PIXELS: u64 = 64 * 1024 * 1024;

/// The longest file, in bytes (64 MiB).
pub const FILE_BYTES: u64 = 64 * 1024 * 1024;

/// The most memory that decoding takes, in bytes (2 GiB), however many files are inspected at once.
///
/// Beside it each thread holds one file, of [`FILE_BYTES`] at most. A few images at the limits wait for each other; ordinary ones never do.
pub const MEMORY: u64 = 2 * 1024 * 1024 * 1024;
