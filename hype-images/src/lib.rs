//! Finds, reads, checks, digests and prepares the image stimuli of a study, and draws those of an example.
//!
//! This crate reads and writes only the files that the caller names. It never reads a clock, an environment
//! variable or ambient randomness. It does not depend on studies: its arguments and results are plain
//! structs.
//!
//! [`find`] resolves patterns, [`inspect_all`] checks that files are complete and records their digests,
//! with a [`Cache`] of the results, [`shortcuts`] and [`outliers`] compare images, and [`sample`] draws
//! them.
//!
//! [`prepare`] turns files into what raters see: [`decode`] reads their pixels upright, opaque and in
//! sRGB, [`Framing`] and [`Picture::resample`] resize them to one size, and [`encode`] writes them all in
//! the same way: only the picture can reveal its origin. [`pad`] makes their lengths equal.
//!
//! # Features
//! `masks` (default): `make_masks` makes the masks that follow images, and `texture` describes images by
//! their statistics.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests"))]

mod batch;
mod cache;
mod colour;
mod compare;
mod container;
mod decode;
mod digest;
mod encode;
mod error;
mod find;
mod format;
mod framing;
mod inspect;
pub mod limits;
#[cfg(feature = "masks")]
mod masks;
mod picture;
mod prepare;
mod raw;
mod replace;
mod resample;
pub mod sample;
mod splitmix;
#[cfg(feature = "masks")]
pub mod texture;

pub use batch::inspect_all;
pub use cache::Cache;
pub use colour::Colours;
pub use compare::{Feature, ImageKind, ImageSet, Outlier, Shortcut, outliers, shortcuts};
pub use decode::{Decoded, Decoding, WHITE, decode};
pub use digest::{ContentDigest, ParseDigestError, PixelDigest};
pub use encode::{Encoding, PADDING_BYTES, encode, pad};
pub use error::{ExtensionCounts, Faults, ImageError, Nearest};
pub use find::{Found, FoundFile, find, find_named};
pub use format::FileFormat;
pub use framing::Framing;
pub use inspect::{Inspected, inspect};
#[cfg(feature = "masks")]
pub use masks::{MaskKind, MaskOrder, OTHER_CORRELATION, OWN_CORRELATION, contact_sheet, make_masks};
pub use picture::{Picture, PictureError, Region, Size};
pub use prepare::{Original, PrepareRule, Prepared, estimated_length, prepare, smaller_lossless};
pub use replace::replace_file;
pub use resample::{Filter, FloatPlane};
