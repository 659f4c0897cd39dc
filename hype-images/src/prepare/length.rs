//! How long prepared files are, by a sample of them.

use std::path::Path;

use rayon::prelude::*;

use super::{Original, PrepareRule, framed, prepare};
use crate::encode::{Encoding, encode};
use crate::inspect::budget::Budget;
use crate::limits;

/// The number of originals by which [`smaller_lossless`] decides.
const DECIDING: usize = 16;

/// The number of originals by which [`estimated_length`] estimates.
const ESTIMATED: usize = 8;

/// At most `count` of the originals, evenly spaced.
fn spaced(originals: &[Original], count: usize) -> Vec<Original> {
    let step = originals.len().div_ceil(count).max(1);
    originals.iter().step_by(step).cloned().collect()
}

/// The lossless encoding whose longest file is shorter: the length that all files of a study are padded to.
///
/// One encoding is chosen for all originals, since a choice for each file would show a property of it on the network.
/// The choice depends on up to 16 originals, evenly spaced, which are prepared both ways and stored like results of
/// [`prepare`]. PNG is chosen if one of them has a fault, which preparing all of them reports.
#[must_use]
pub fn smaller_lossless(originals: &[Original], rule: &PrepareRule, folder: &Path) -> Encoding {
    let sample = spaced(originals, DECIDING);
    let longest = |encoding: Encoding| {
        let prepared = prepare(&sample, &PrepareRule { encoding, ..*rule }, folder, &|_| {}).ok()?;
        prepared.iter().map(|one| one.bytes).max()
    };
    match (longest(Encoding::Png), longest(Encoding::Webp)) {
        (Some(png), Some(webp)) if webp < png => Encoding::Webp,
        _ => Encoding::Png,
    }
}

/// About the length in bytes of the longest prepared file, by up to 8 originals, evenly spaced; without an encoding,
/// in the shorter of the lossless ones. Nothing is stored.
///
/// `None` if there are no originals, or one of the sample has a fault.
#[must_use]
pub fn estimated_length(
    originals: &[Original],
    rule: &PrepareRule,
    encoding: Option<Encoding>,
) -> Option<u64> {
    let budget = Budget::new(limits::MEMORY);
    let lossless = [Encoding::Png, Encoding::Webp];
    let encodings = encoding.as_ref().map_or(&lossless[..], std::slice::from_ref);
    let lengths: Vec<Vec<usize>> = spaced(originals, ESTIMATED)
        .par_iter()
        .map(|original| {
            framed(original, rule, &budget, |picture| {
                encodings.iter().map(|&encoding| encode(picture, encoding).len()).collect()
            })
        })
        .collect::<Result<_, _>>()
        .ok()?;
    let longest = |place: usize| lengths.iter().filter_map(|lengths| lengths.get(place)).max();
    (0..encodings.len()).filter_map(longest).min().map(|&length| length as u64)
}
