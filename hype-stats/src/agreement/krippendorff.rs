//! Krippendorff's alpha.

use super::items::{Items, Together, View, sum_items, total_items};
use super::{ALL_THE_SAME, ItemCounts, check_paired_items};
use crate::StatError;
use crate::describe::{sum, sum_by};

const NAME: &str = "Krippendorff's alpha";

/// The difference of two values, by the type of their scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScaleDifference {
    /// Names: 0 for the same, 1 for different values.
    Nominal,
    /// Ranks: the square of the number of ratings between the two, with half of those on each.
    Ordinal,
    /// Numbers with meaningful differences: (c - k)².
    Interval,
    /// Numbers with a true zero, none negative: \[(c - k) / (c + k)\]².
    Ratio,
}

/// Krippendorff's alpha and what it was computed from.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct KrippendorffAlpha {
    /// 1 for perfect agreement, 0 for agreement by chance, less for systematic disagreement.
    pub alpha: f64,
    /// Observed disagreement D_o: the mean difference within items, in the unit of [`ScaleDifference`].
    pub observed: f64,
    /// Disagreement by chance D_e: the mean difference of all pairable ratings.
    pub expected: f64,
    /// Items with two or more ratings.
    pub paired_items: u64,
    /// Ratings of such items, n.
    pub pairable_ratings: u64,
    /// Items with one rating, which has no pair.
    pub unpairable_items: u64,
}

/// Computes Krippendorff's alpha, with any number of raters and any cells missing.
///
/// # Method
///
/// Krippendorff (2011), "Computing Krippendorff's alpha-reliability": α = 1 - D_o / D_e with
/// D_o = Σ o_ck δ_ck / n and D_e = Σ n_c n_k δ_ck / (n (n - 1)), where an item with m ratings adds
/// n_uc n_uk / (m - 1) to the coincidences o_ck of its values and one with a single rating nothing.
///
/// # Numerics
///
/// The ordinal difference of two values is that of their mean ranks, so for ordinal and interval
/// scales Σ o_ck δ_ck of an item is 2 m / (m - 1) times the squares around its mean: time grows with
/// the ratings, and no matrix of coincidences is made. On the ratio scale all pairs of different
/// values are taken, for which time grows with their square (and memory does not).
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two items with two or more ratings (alpha of one item is 0 for
/// any ratings); [`StatError::Degenerate`] if all pairable ratings are the same, or differ by less than
/// double precision resolves; [`StatError::Parameter`] for a negative rating on the ratio scale.
///
/// # Examples
///
/// ```
/// use hype_stats::agreement::{ItemCounts, ScaleDifference, krippendorff_alpha};
/// let items = [0, 0, 1, 1, 2, 2, 3, 3];
/// let counts = ItemCounts::from_columns(&items, &[1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 1.0, 1.0])?;
/// let nominal = krippendorff_alpha(&counts, ScaleDifference::Nominal)?.alpha;
/// let ordinal = krippendorff_alpha(&counts, ScaleDifference::Ordinal)?.alpha;
/// assert!((nominal - 12.0 / 19.0).abs() < 1e-15);
/// assert!(ordinal > nominal);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn krippendorff_alpha(
    counts: &ItemCounts,
    metric: ScaleDifference,
) -> Result<KrippendorffAlpha, StatError> {
    let values = counts.values();
    match View::of(counts) {
        View::Table(items) => alpha(&items, &values, metric),
        View::Listed(items) => alpha(&items, &values, metric),
    }
}

/// [`krippendorff_alpha`] of any items.
pub(super) fn alpha<I: Items>(
    items: &I,
    values: &[f64],
    metric: ScaleDifference,
) -> Result<KrippendorffAlpha, StatError> {
    let width = values.len();
    let mut totals = total_items(items, width + 2, |totals, item, weight| {
        let size = items.size(item);
        if size.pairs > 0.0 {
            totals[width] += weight;
            items.for_each(item, |place, count| totals[place] += weight * count);
        } else if size.total > 0.0 {
            totals[width + 1] += weight;
        }
    });
    let (paired, unpaired) = (totals[width], totals[width + 1]);
    totals.truncate(width);
    check_paired_items(NAME, 2, paired)?;
    let n = sum(&totals);
    if totals.iter().filter(|total| **total > 0.0).count() < 2 {
        return Err(StatError::Degenerate { statistic: NAME, reason: ALL_THE_SAME });
    }
    let scale = Scale::new(metric, values, &totals)?;
    let within = sum_items(items, |item| {
        let (total, difference) = scale.difference.between_all(items, item);
        let pairs = items.pairs(item, total);
        if pairs > 0.0 { total / pairs * difference } else { 0.0 }
    });
    let observed = within / n;
    let expected = scale.difference.between_all(&Together(&totals), 0).1 / (n * (n - 1.0));
    if expected <= 0.0 {
        return Err(StatError::Degenerate {
            statistic: NAME,
            reason: "the ratings differ by less than double precision resolves",
        });
    }
    Ok(KrippendorffAlpha {
        alpha: 1.0 - observed / expected,
        observed: libm::scalbn(observed, scale.exponent),
        expected: libm::scalbn(expected, scale.exponent),
        paired_items: paired as u64,
        pairable_ratings: n as u64,
        unpairable_items: unpaired as u64,
    })
}

/// A difference, and the power of two that converts it to the unit of its definition.
struct Scale<'a> {
    difference: Difference<'a>,
    exponent: i32,
}

enum Difference<'a> {
    Nominal,
    /// The square of the difference of scores.
    Scores(Vec<f64>),
    Ratio(&'a [f64]),
}

impl<'a> Scale<'a> {
    fn new(metric: ScaleDifference, values: &'a [f64], totals: &[f64]) -> Result<Self, StatError> {
        let given = || values.iter().zip(totals).filter(|(_, total)| **total > 0.0);
        let difference = match metric {
            ScaleDifference::Nominal => Difference::Nominal,
            ScaleDifference::Ordinal => {
                let mut below = -0.5 * sum(totals);
                let centre = |total: &f64| {
                    let rank = below + 0.5 * total;
                    below += total;
                    rank
                };
                Difference::Scores(totals.iter().map(centre).collect())
            }
            ScaleDifference::Interval => {
                // A power of two, which changes no digit: neither squares nor their sums overflow.
                let largest = given().fold(0.0, |largest: f64, (value, _)| largest.max(value.abs()));
                let exponent = libm::ilogb(largest);
                // Values without a pair may be too large for it, but have no effect.
                let shrink = |(value, total): (&f64, &f64)| {
                    if *total > 0.0 { libm::scalbn(*value, -exponent) } else { 0.0 }
                };
                let mut scores: Vec<f64> = values.iter().zip(totals).map(shrink).collect();
                let mean = sum_by(scores.len(), |place| scores[place] * totals[place]) / sum(totals);
                scores.iter_mut().for_each(|score| *score -= mean);
                return Ok(Self { difference: Difference::Scores(scores), exponent: 2 * exponent });
            }
            ScaleDifference::Ratio => {
                if let Some((&negative, _)) = given().find(|(value, _)| **value < 0.0) {
                    return Err(StatError::Parameter {
                        parameter: "rating on the ratio scale",
                        expected: "0 or more",
                        got: negative,
                    });
                }
                Difference::Ratio(values)
            }
        };
        Ok(Self { difference, exponent: 0 })
    }
}

impl Difference<'_> {
    /// Number of an item's ratings, and the sum of the differences over all their ordered pairs.
    #[inline]
    fn between_all<I: Items>(&self, items: &I, item: usize) -> (f64, f64) {
        let mut total = 0.0;
        match self {
            Self::Nominal => {
                let mut same = 0.0;
                items.for_each(item, |_, count| {
                    total += count;
                    same += count * count;
                });
                (total, total * total - same)
            }
            Self::Scores(scores) => {
                let mut mean = 0.0;
                items.for_each(item, |place, count| {
                    total += count;
                    mean += count * scores[place];
                });
                mean /= total;
                let mut squares = 0.0;
                items.for_each(item, |place, count| {
                    let distance = scores[place] - mean;
                    squares += count * (distance * distance);
                });
                (total, 2.0 * total * squares)
            }
            Self::Ratio(values) => {
                let mut differences = 0.0;
                items.for_each(item, |place, count| {
                    total += count;
                    if count > 0.0 {
                        items.for_each(item, |other, other_count| {
                            if other < place && other_count > 0.0 {
                                differences +=
                                    count * other_count * ratio_difference(values[place], values[other]);
                            }
                        });
                    }
                });
                (total, 2.0 * differences)
            }
        }
    }
}

/// \[(c - k) / (c + k)\]² for 0 ≤ k < c.
fn ratio_difference(larger: f64, smaller: f64) -> f64 {
    let sum = larger + smaller;
    let share = if sum.is_finite() {
        (larger - smaller) / sum
    } else {
        (0.5 * larger - 0.5 * smaller) / (0.5 * larger + 0.5 * smaller)
    };
    share * share
}
