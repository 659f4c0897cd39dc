//! Finds, reads, checks and digests the image stimuli of a study, and draws those of a first one.
//!
//! This crate reads and writes files where it is told to. It never reads a clock, an environment
//! variable or ambient randomness, and knows nothing of studies: plain structs go in and out.
//!
//! [`find`] resolves patterns, [`inspect_all`] proves the files whole and pins their content with a
//! [`Cache`] beside it, [`shortcuts`] compares the sets, [`sample`] draws, and [`texture`] describes
//! images by their statistics.
//!
//! [`prepare`] makes of files what raters see: [`decode`] reads their pixels upright, opaque and in
//! sRGB, [`Framing`] and [`Picture::resample`] bring them to one size, and [`encode`] writes them
//! all alike, so that nothing but the picture tells where it comes from. [`make_masks`] makes the
//! masks that follow them.

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
mod resample;
pub mod sample;
mod splitmix;
#[cfg(feature = "masks")]
pub mod texture;

pub use batch::inspect_all;
pub use cache::Cache;
pub use colour::Colours;
pub use compare::{Feature, ImageSet, Kind, Outlier, Shortcut, outliers, shortcuts};
pub use decode::{Decoded, Decoding, WHITE, decode};
pub use digest::{ContentDigest, NotADigest, PixelDigest};
pub use encode::{PADDING_BYTES, encode, pad};
pub use error::{Faults, ImageError, Nearest, Tally};
pub use find::{Found, FoundFile, find};
pub use format::Format;
pub use framing::Framing;
pub use inspect::{Inspected, inspect};
#[cfg(feature = "masks")]
pub use masks::{MaskKind, MaskOrder, OTHER_CORRELATION, OWN_CORRELATION, contact_sheet, make_masks};
pub use picture::{Part, Picture, PictureError, Size};
pub use prepare::{Original, Prepared, Rule, prepare};
pub use resample::{Filter, Plane};
