//! The hard limits of clips that are read.
//!
//! In addition to the file itself, reading takes about 100 bytes of memory for each sample, and rewriting twice the file's
//! length. Time grows linearly with the file's length.

/// The maximum length of a clip, in bytes (256 MiB): raters on a line of 20 Mbit/s would wait 107 seconds for it.
pub const CLIP_BYTES: usize = 256 << 20;

/// The maximum number of samples of a track: 55 minutes at 60 frames per second.
pub const SAMPLES: usize = 200_000;

/// The longest side of a picture, in pixels: what H.264 and HEVC allow at their highest levels.
pub const CLIP_SIDE: u32 = 16_384;

/// The maximum length of a codec's configuration, in bytes (64 KiB). Real ones have less than 200.
pub const CONFIG_BYTES: usize = 64 << 10;

/// The maximum length of the description of AAC, in bytes. Real ones have about 50; descriptions may be nested, and
/// this bounds how deep.
pub(crate) const ESDS_BYTES: usize = 256;

/// The maximum of any time in a file, in the units of its track: sums of two stay exact in 64 bits.
pub(crate) const TIME: i64 = 1 << 53;
