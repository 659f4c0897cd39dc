//! Agreement and reliability of several raters on the same items, corrected for chance.
//!
//! Ratings are (item, rater, value) in any order; missing cells are absent.
//! [`ItemCounts`] stores how often each item got each value, which is sufficient for percent agreement, Fleiss' kappa,
//! Gwet's AC1 and AC2, and Krippendorff's alpha, and [`AgreementRatings`] also stores the raters. Both grow by [`add`](ItemCounts::add),
//! [`extend`](ItemCounts::extend) and [`merge`](ItemCounts::merge), so that a file is read in chunks and on several
//! threads.
//!
//! | statistic | takes | missing cells |
//! |---|---|---|
//! | [`AgreementCoefficient`] | [`ItemCounts`] | allowed |
//! | [`cohen_kappa`] | two columns | [`AgreementRatings::paired`] leaves them out |
//! | [`icc`], [`kendall_w`] | rows of items × raters | [`AgreementRatings::complete`] leaves such items out |
//!
//! Values are equal if they are the same number, to the last bit (0 and -0 are the same). Where
//! agreement by chance is complete, or no item has two ratings, a coefficient is not defined, and the
//! error explains this in words for a reader of the result.
//!
//! # Numerics
//!
//! A result depends only on the ratings: their order, chunks, merges and the number of threads do not change a single
//! bit.

mod cohen;
mod counts;
mod fleiss;
mod gwet;
mod icc;
mod intern;
mod items;
mod jackknife;
mod kendall_w;
mod krippendorff;
mod ratings;
mod resample;

pub use cohen::{CohenKappa, Weights, cohen_kappa};
pub use counts::ItemCounts;
pub use gwet::GwetWeights;
pub use icc::{Icc, IccModel, IccUnit, bootstrap_icc, icc};
pub use jackknife::{AgreementOverItems, has_few_items};
pub use kendall_w::{KendallW, kendall_w};
pub use krippendorff::{KrippendorffAlpha, ScaleDifference, krippendorff_alpha};
pub use ratings::{AgreementRatings, CompleteRatings};
pub use resample::{AgreementCoefficient, bootstrap_items, bootstrap_items_and_raters, bootstrap_raters};

use crate::StatError;

/// Why a coefficient has no value if all ratings are the same.
const ALL_THE_SAME: &str = "every rating is the same, so chance agreement is complete";

/// Refuses fewer than `needed` items with two or more ratings.
fn check_paired_items(statistic: &'static str, needed: usize, found: f64) -> Result<(), StatError> {
    if found >= needed as f64 {
        return Ok(());
    }
    Err(StatError::TooFew { statistic, needed, of: "items with two or more ratings", got: found as usize })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests;
