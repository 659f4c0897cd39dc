//! Percent agreement, and the kappas of many raters: Fleiss', generalised and free-marginal.

use super::items::{Items, View, sum_items, total_items};
use super::{ALL_THE_SAME, ItemCounts, check_paired_items};
use crate::StatError;
use crate::describe::sum_by;
use crate::ttest::Alternative;

/// How often two raters of an item give the same value.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PercentAgreement {
    /// Share of agreeing pairs of an item's ratings, 0..=1, averaged over items.
    pub agreement: f64,
    /// Items with two or more ratings, which it is averaged over.
    pub paired_items: u64,
    /// Items with one rating, which are ignored.
    pub unpairable_items: u64,
}

/// Computes the mean pairwise agreement of an item's ratings.
///
/// # Method
///
/// The mean over items with m ≥ 2 ratings of Σ n_c (n_c - 1) / (m (m - 1)): each item has the same
/// weight, whatever its number of ratings. It is not corrected for chance.
///
/// # Errors
///
/// [`StatError::TooFew`] if no item has two ratings.
///
/// # Examples
///
/// ```
/// # use hype_stats::agreement::{ItemCounts, percent_agreement};
/// let counts = ItemCounts::from_columns(&[7, 7, 7, 8, 8], &[1.0, 1.0, 2.0, 3.0, 3.0])?;
/// let agreement = percent_agreement(&counts)?.agreement;
/// assert!((agreement - 2.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn percent_agreement(counts: &ItemCounts) -> Result<PercentAgreement, StatError> {
    let found = observe_counts(counts);
    Ok(PercentAgreement {
        agreement: found.agreement("percent agreement", 1)?,
        paired_items: found.paired as u64,
        unpairable_items: (found.items - found.paired) as u64,
    })
}

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

fn observe_counts(counts: &ItemCounts) -> Observed {
    match View::of(counts) {
        View::Table(items) => observe(&items),
        View::Listed(items) => observe(&items),
    }
}

/// Mean over items of the share that each value has of the item's ratings.
fn mean_shares<I: Items>(items: &I, width: usize, count: f64) -> Vec<f64> {
    let mut shares = total_items(items, width, |totals, item, weight| {
        let total = items.size(item).total;
        if total > 0.0 {
            items.for_each(item, |place, count| totals[place] += weight * (count / total));
        }
    });
    shares.iter_mut().for_each(|share| *share /= count);
    shares
}

fn chance<I: Items>(
    statistic: &'static str,
    items: &I,
    width: usize,
    found: Observed,
) -> Result<(Vec<f64>, f64), StatError> {
    let shares = mean_shares(items, width, found.items);
    if shares.iter().filter(|share| **share > 0.0).count() < 2 {
        return Err(StatError::Degenerate { statistic, reason: ALL_THE_SAME });
    }
    let expected = sum_by(width, |place| shares[place] * shares[place]);
    Ok((shares, expected))
}

/// Fleiss' kappa of one category against all others.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct CategoryKappa {
    /// The category's value.
    pub value: f64,
    /// Its share of all ratings, p_j.
    pub share: f64,
    /// Its kappa; `None` for a category that no rating has.
    pub kappa: Option<f64>,
    /// Kappa over its standard error without agreement.
    pub z: Option<f64>,
    /// Two-sided p value of z.
    pub p: Option<f64>,
}

/// Fleiss' kappa, with its categories.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FleissKappa {
    /// 1 for perfect agreement, 0 for agreement by chance.
    pub kappa: f64,
    /// Mean share of agreeing pairs.
    pub observed: f64,
    /// That share by chance, Σ p_j².
    pub expected: f64,
    /// Standard error of kappa if there is no agreement beyond chance.
    pub null_standard_error: f64,
    /// Kappa over that standard error.
    pub z: f64,
    /// Two-sided p value of z.
    pub p: f64,
    /// Number of items.
    pub items: u64,
    /// Ratings of each item.
    pub ratings_for_each_item: u64,
    /// Standard error of a category's kappa if there is no agreement beyond chance, the same for all.
    pub category_null_standard_error: f64,
    /// The categories in ascending order of their values.
    pub categories: Vec<CategoryKappa>,
}

/// Computes Fleiss' kappa of items with equally many ratings each.
///
/// The raters do not matter, and may differ between items.
///
/// # Method
///
/// Fleiss (1971), "Measuring nominal scale agreement among many raters": (P̄ - Σ p_j²) / (1 - Σ p_j²),
/// and for each category 1 - Σ_i x_ij (n - x_ij) / (N n (n - 1) p_j q_j). With two raters it is Scott's
/// pi. Standard errors without agreement by Fleiss, Nee and Landis (1979), "Large sample variance of
/// kappa in the case of different sets of raters", for N items and n ratings:
///
/// √(2 / (N n (n - 1))) √\[(Σ p_j q_j)² - Σ p_j q_j (q_j - p_j)\] / Σ p_j q_j, and √(2 / (N n (n - 1)))
/// for a category.
///
/// # Errors
///
/// [`StatError::Degenerate`] if items have different numbers of ratings
/// ([`generalised_fleiss_kappa`] allows that) or all ratings are the same; [`StatError::TooFew`] for
/// fewer than two items or fewer than two ratings of each.
///
/// # Examples
///
/// ```
/// # use hype_stats::agreement::{ItemCounts, fleiss_kappa};
/// let table = ItemCounts::from_table(&[[5, 0, 0], [1, 4, 0], [0, 1, 4], [0, 5, 0]])?;
/// let found = fleiss_kappa(&table)?;
/// assert!(found.kappa > 0.6 && found.p < 1e-6);
/// assert_eq!(found.categories.len(), 3);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn fleiss_kappa(counts: &ItemCounts) -> Result<FleissKappa, StatError> {
    let values = counts.values();
    match View::of(counts) {
        View::Table(items) => fleiss(&items, &values),
        View::Listed(items) => fleiss(&items, &values),
    }
}

fn fleiss<I: Items>(items: &I, values: &[f64]) -> Result<FleissKappa, StatError> {
    const NAME: &str = "Fleiss' kappa";
    let found = observe(items);
    let observed = found.agreement(NAME, 2)?;
    let mut totals = (0..items.len()).map(|item| items.size(item).total).filter(|total| *total > 0.0);
    let n = totals.next().unwrap_or(0.0);
    if totals.any(|total| (total - n).abs() > 0.0) {
        return Err(StatError::Degenerate {
            statistic: NAME,
            reason: "items have different numbers of ratings; the generalised form allows that",
        });
    }
    let (shares, expected) = chance(NAME, items, values.len(), found)?;
    let mixed = total_items(items, values.len(), |totals, item, weight| {
        items.for_each(item, |place, count| totals[place] += weight * count * (n - count));
    });
    let kappa = (observed - expected) / (1.0 - expected);
    let spread = |place: usize| shares[place] * (1.0 - shares[place]);
    let pairs = found.items * n * (n - 1.0);
    let category_null_standard_error = (2.0 / pairs).sqrt();
    let spreads = sum_by(values.len(), spread);
    let skew = sum_by(values.len(), |place| spread(place) * (1.0 - 2.0 * shares[place]));
    let null_standard_error =
        category_null_standard_error * (spreads * spreads - skew).max(0.0).sqrt() / spreads;
    let z = kappa / null_standard_error;
    let category = |(place, &value): (usize, &f64)| {
        let kappa = (spread(place) > 0.0).then(|| 1.0 - mixed[place] / (pairs * spread(place)));
        let z = kappa.map(|kappa| kappa / category_null_standard_error);
        let p = z.map(|z| Alternative::TwoSided.normal_p(z));
        CategoryKappa { value, share: shares[place], kappa, z, p }
    };
    Ok(FleissKappa {
        kappa,
        observed,
        expected,
        null_standard_error,
        z,
        p: Alternative::TwoSided.normal_p(z),
        items: found.items as u64,
        ratings_for_each_item: n as u64,
        category_null_standard_error,
        categories: values.iter().enumerate().map(category).collect(),
    })
}

/// Fleiss' kappa, generalised to items with different numbers of ratings.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct GeneralisedFleissKappa {
    /// 1 for perfect agreement, 0 for agreement by chance.
    pub kappa: f64,
    /// Mean share of agreeing pairs over items with two or more ratings.
    pub observed: f64,
    /// That share by chance.
    pub expected: f64,
    /// Standard error of kappa over samples of items, whatever the agreement.
    pub standard_error: f64,
    /// Items with ratings.
    pub items: u64,
    /// Items with two or more.
    pub paired_items: u64,
}

/// Computes Fleiss' kappa where items have different numbers of ratings.
///
/// # Method
///
/// Gwet (2014), "Handbook of inter-rater reliability", 4th edition, chapters 2 and 5: P̄ over the items
/// with two or more ratings, and p_j the mean over all rated items of the category's share of the
/// item's ratings. With equally many ratings each it is [`fleiss_kappa`]. The standard error is that
/// of the mean of κ_i - 2 (1 - κ) (π_i - P_e) / (1 - P_e), with π_i = Σ p_j x_ij / m_i and
/// κ_i = (N / N') (P_i - P_e) / (1 - P_e), or 0 for an item with a single rating.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two items with two or more ratings; [`StatError::Degenerate`]
/// if all ratings are the same.
pub fn generalised_fleiss_kappa(counts: &ItemCounts) -> Result<GeneralisedFleissKappa, StatError> {
    let width = counts.values().len();
    match View::of(counts) {
        View::Table(items) => generalised(&items, width, sampling_error),
        View::Listed(items) => generalised(&items, width, sampling_error),
    }
}

/// Only the value of the generalised kappa.
pub(super) fn generalised_value<I: Items>(items: &I, width: usize) -> Result<f64, StatError> {
    generalised(items, width, |_, _, _| 0.0).map(|found| found.kappa)
}

fn generalised<I: Items>(
    items: &I,
    width: usize,
    error: impl Fn(&I, &[f64], &GeneralisedFleissKappa) -> f64,
) -> Result<GeneralisedFleissKappa, StatError> {
    const NAME: &str = "generalised Fleiss' kappa";
    let found = observe(items);
    let observed = found.agreement(NAME, 2)?;
    let (shares, expected) = chance(NAME, items, width, found)?;
    let mut kappa = GeneralisedFleissKappa {
        kappa: (observed - expected) / (1.0 - expected),
        observed,
        expected,
        standard_error: 0.0,
        items: found.items as u64,
        paired_items: found.paired as u64,
    };
    kappa.standard_error = error(items, &shares, &kappa);
    Ok(kappa)
}

fn sampling_error<I: Items>(items: &I, shares: &[f64], found: &GeneralisedFleissKappa) -> f64 {
    let (count, paired) = (found.items as f64, found.paired_items as f64);
    let rest = 1.0 - found.expected;
    let squares = sum_items(items, |item| {
        let size = items.size(item);
        if size.total <= 0.0 {
            return 0.0;
        }
        let own = if size.pairs > 0.0 {
            count / paired * (item_agreement(items, item) - found.expected) / rest
        } else {
            0.0
        };
        let mut by_chance = 0.0;
        items.for_each(item, |place, count| by_chance += shares[place] * count);
        let shift = 2.0 * (1.0 - found.kappa) * (by_chance / size.total - found.expected) / rest;
        (own - shift - found.kappa).powi(2)
    });
    (squares / (count * (count - 1.0))).sqrt()
}

/// Kappa with all categories equally likely by chance.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FreeMarginalKappa {
    /// 1 for perfect agreement, 0 for agreement by chance.
    pub kappa: f64,
    /// Mean share of agreeing pairs over items with two or more ratings.
    pub observed: f64,
    /// Number of categories that a rater could choose from.
    pub categories: u32,
    /// Items with two or more ratings.
    pub paired_items: u64,
}

/// Computes Randolph's free-marginal kappa, for raters without a quota for categories.
///
/// `categories` is how many they could choose from, used or not.
///
/// # Method
///
/// Randolph (2005), "Free-marginal multirater kappa": (P̄ - 1/k) / (1 - 1/k).
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two items with two or more ratings; [`StatError::Parameter`]
/// for fewer than two categories, or fewer than were used.
pub fn free_marginal_kappa(counts: &ItemCounts, categories: u32) -> Result<FreeMarginalKappa, StatError> {
    check_categories(counts, categories)?;
    let found = observe_counts(counts);
    let observed = found.agreement(FREE_MARGINAL, 2)?;
    Ok(FreeMarginalKappa {
        kappa: free_marginal(observed, categories),
        observed,
        categories,
        paired_items: found.paired as u64,
    })
}

pub(super) const FREE_MARGINAL: &str = "free-marginal kappa";

/// Refuses fewer than two categories, or fewer than there are distinct values.
pub(super) fn check_categories(counts: &ItemCounts, categories: u32) -> Result<(), StatError> {
    if categories < 2 || (categories as usize) < counts.values().len() {
        return Err(StatError::Parameter {
            parameter: "number of categories",
            expected: "at least 2 and no less than the different ratings",
            got: f64::from(categories),
        });
    }
    Ok(())
}

pub(super) fn free_marginal(observed: f64, categories: u32) -> f64 {
    let chance = f64::from(categories).recip();
    (observed - chance) / (1.0 - chance)
}
