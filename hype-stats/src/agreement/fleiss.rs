//! Percent agreement, and Fleiss' kappa of many raters.

use super::items::{Items, sum_items, total_items};
use super::{ALL_THE_SAME, check_paired_items};
use crate::StatError;
use crate::describe::sum_by;

/// Agreement within items, without correction for chance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Observed {
    /// Items with ratings.
    items: f64,
    /// Items with two or more.
    paired: f64,
    /// Sum of the agreement of paired items.
    total: f64,
}

impl Observed {
    pub(super) fn agreement(self, statistic: &'static str, needed: usize) -> Result<f64, StatError> {
        check_paired_items(statistic, needed, self.paired)?;
        Ok(self.total / self.paired)
    }
}

/// Share of agreeing pairs of the item's ratings; 0 without pairs.
fn item_agreement<I: Items>(items: &I, item: usize) -> f64 {
    let size = items.size(item);
    if size.pairs <= 0.0 {
        return 0.0;
    }
    let mut same = 0.0;
    items.for_each(item, |_, count| same += count * count);
    // Pairs consist of different ratings, so a rating is not paired with itself.
    1.0 - (size.total * size.total - same) / size.pairs
}

pub(super) fn observe<I: Items>(items: &I) -> Observed {
    let counts = total_items(items, 2, |totals, item, weight| {
        let size = items.size(item);
        totals[0] += weight * f64::from(u8::from(size.total > 0.0));
        totals[1] += weight * f64::from(u8::from(size.pairs > 0.0));
    });
    Observed {
        items: counts[0],
        paired: counts[1],
        total: sum_items(items, |item| item_agreement(items, item)),
    }
}

/// Mean over items of the share that each value has of the item's ratings.
pub(super) fn mean_shares<I: Items>(items: &I, width: usize, count: f64) -> Vec<f64> {
    let mut shares = total_items(items, width, |totals, item, weight| {
        let total = items.size(item).total;
        if total > 0.0 {
            items.for_each(item, |place, count| totals[place] += weight * (count / total));
        }
    });
    shares.iter_mut().for_each(|share| *share /= count);
    shares
}

/// The agreement that chance alone gives.
fn chance<I: Items>(
    statistic: &'static str,
    items: &I,
    width: usize,
    found: Observed,
) -> Result<f64, StatError> {
    let shares = mean_shares(items, width, found.items);
    if shares.iter().filter(|share| **share > 0.0).count() < 2 {
        return Err(StatError::Degenerate { statistic, reason: ALL_THE_SAME });
    }
    Ok(sum_by(width, |place| shares[place] * shares[place]))
}

/// Fleiss' kappa, of items that may have different numbers of ratings.
pub(super) fn fleiss_kappa<I: Items>(items: &I, width: usize) -> Result<f64, StatError> {
    const NAME: &str = "generalised Fleiss' kappa";
    let found = observe(items);
    let observed = found.agreement(NAME, 2)?;
    let expected = chance(NAME, items, width, found)?;
    Ok((observed - expected) / (1.0 - expected))
}
