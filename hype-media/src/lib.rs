//! Probes, compares and rewrites the video stimuli of a study, and checks, measures and renders its texts.
//!
//! This crate works on bytes that the caller has read. It never opens a file, starts a program or reads a clock, and
//! it does not depend on studies: its arguments and results are plain structs.
//!
//! [`video::probe`] tells what a clip is, [`video::compare`] finds what gives the origin of clips away,
//! [`video::rewrite`] writes a clip anew without its metadata and without loss, and [`video::buckets`] chooses the
//! lengths to which files are padded. [`text::document`] checks a document, [`text::facts`] measures it,
//! [`text::render`] turns it into HTML that needs no exception from a page's policy, [`text::warnings`] finds what
//! names its origin, and [`text::scramble`] makes the mask that follows it.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests"))]

mod shown;
pub mod text;
pub mod video;
