//! A standing board: models join, waves are rated, and one ranking is published over all of them.
//!
//! A [`Board`] is a folder. Models are [added](Board::add) to it as folders of images. A [wave](Board::begin_wave) is an
//! ordinary study of new models and of *anchors*, models that are rated again in every wave; its raters are collected by
//! `hype run`. [`results`](Board::results) links waves by their anchors ([`hype_stats::link`]), from the packages that are
//! released, and [`publish`](Board::publish) writes the page, which [`verify`](Board::verify) computes again, byte for byte.
//!
//! This crate never reads a clock or ambient randomness: dates are arguments.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

mod error;
mod estimates;
mod facets;
mod favours;
mod feed;
mod folder;
mod fragility;
mod journal;
mod makers;
mod names;
mod page;
mod rated;
mod released;
mod removal;
mod results;
mod settings;
mod submission;
mod unpack;
mod verify;
mod wanted;
mod wave;

pub use self::error::BoardError;
pub use self::favours::BoardFavour;
pub use self::folder::Board;
pub use self::journal::JournalEntry;
pub use self::makers::MakerCount;
pub use self::rated::WaveStudy;
pub use self::results::{
    BoardLevel, BoardMeasure, BoardModel, BoardResults, BoardStep, BoardWave, FirstPlace, LostAnchor,
};
pub use self::settings::BoardSettings;
pub use self::submission::{NewModel, Removal, Submitted, Visibility};
pub use self::verify::Verified;
pub use self::wave::{Closing, WaveDesign, WaveRecord};
