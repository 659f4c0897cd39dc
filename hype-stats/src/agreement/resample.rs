//! Bootstraps over items, raters, or both.

use std::mem;

use super::ItemCounts;
use super::fleiss::{fleiss_kappa, observe};
use super::gwet::{GwetWeights, gwet};
use super::items::{Items, Size, Units, View};
use super::krippendorff::{ScaleDifference, alpha};
use super::ratings::{AgreementRatings, Cell};
use crate::StatError;
use crate::bootstrap::{self, CrossedResamples, Distribution, Resamples};

/// A coefficient of ratings by value, whose raters need not be the same for each item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgreementCoefficient {
    /// The mean over items with m ≥ 2 ratings of Σ n_c (n_c - 1) / (m (m - 1)), not corrected for chance: each item has the
    /// same weight, whatever its number of ratings.
    PercentAgreement,
    /// Fleiss' kappa, generalised to different numbers of ratings: percent agreement P̄ corrected for the agreement
    /// P_e = Σ p_j² by chance, (P̄ - P_e) / (1 - P_e), with p_j the mean over all rated items of a category's share of the
    /// item's ratings (Gwet 2014, "Handbook of inter-rater reliability", 4th edition, chapters 2 and 5).
    FleissKappa,
    /// As [`krippendorff_alpha`](super::krippendorff_alpha).
    KrippendorffAlpha(ScaleDifference),
    /// Gwet's AC1, or AC2 with weights: as Fleiss' kappa, with the agreement P_e = T Σ p_j (1 - p_j) / (q (q - 1)) by chance of q
    /// values, T the sum of the weights of all pairs of values. Where nearly all ratings are the same it stays near percent agreement,
    /// where kappa and alpha fall to 0 (Gwet 2008, "Computing inter-rater reliability and its variance in the presence of high
    /// agreement"; Gwet 2014, chapters 5 and 6).
    Gwet(GwetWeights),
}

impl AgreementCoefficient {
    /// The coefficient of the ratings themselves, or the reason why there is none.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for too few items with two or more ratings, one for percent agreement and two for the others;
    /// [`StatError::Degenerate`] if agreement by chance is complete, as all ratings are the same; those of
    /// [`krippendorff_alpha`](super::krippendorff_alpha).
    ///
    /// # Examples
    ///
    /// ```
    /// # use hype_stats::agreement::{AgreementCoefficient, ItemCounts};
    /// let counts = ItemCounts::from_columns(&[7, 7, 7, 8, 8], &[1.0, 1.0, 2.0, 3.0, 3.0])?;
    /// let agreement = AgreementCoefficient::PercentAgreement.estimate(&counts)?;
    /// assert!((agreement - 2.0 / 3.0).abs() < 1e-15);
    /// # Ok::<(), hype_stats::StatError>(())
    /// ```
    pub fn estimate(self, counts: &ItemCounts) -> Result<f64, StatError> {
        let values = counts.values();
        match View::of(counts) {
            View::Table(items) => self.value(&items, &values),
            View::Listed(items) => self.value(&items, &values),
        }
    }

    fn value<I: Items>(self, items: &I, values: &[f64]) -> Result<f64, StatError> {
        match self {
            Self::PercentAgreement => observe(items).agreement("percent agreement", 1),
            Self::FleissKappa => fleiss_kappa(items, values.len()),
            Self::KrippendorffAlpha(metric) => alpha(items, values, metric).map(|found| found.alpha),
            Self::Gwet(weights) => gwet(items, values, weights),
        }
    }

    /// The coefficient of weighted items; NaN if it is not defined for them.
    pub(super) fn of<I: Items>(self, items: &I, values: &[f64]) -> f64 {
        self.value(items, values).unwrap_or(f64::NAN)
    }
}

/// Bootstraps a coefficient, with items as the resampled unit.
///
/// Every rated item is a unit, in ascending order, or every cluster of them. A resample for which the coefficient is not defined,
/// such as one in which all ratings are the same, is counted as undefined
/// ([`Distribution::undefined`]).
///
/// # Method
///
/// Items are drawn with replacement, and each counts as often as it was drawn. Items with the same
/// counts of values are one group, so a resample costs its draws and the groups, not the ratings. From 4,096 items
/// on, eight or more for each group, a resample is one multinomial draw over the groups, which has the same
/// distribution and costs 4 √n draws in place of n.
///
/// # Errors
///
/// Those of the coefficient, and [`StatError::TooFew`], [`StatError::Lengths`] or
/// [`StatError::Parameter`] for resamples that do not fit; [`StatError::Degenerate`] if nearly all
/// resamples are undefined.
///
/// # Examples
///
/// ```
/// use hype_stats::agreement::{AgreementCoefficient, ItemCounts, ScaleDifference, bootstrap_items};
/// use hype_stats::bootstrap::Resamples;
/// let items = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4];
/// let values = [1.0, 1.0, 2.0, 3.0, 5.0, 5.0, 4.0, 4.0, 1.0, 2.0];
/// let counts = ItemCounts::from_columns(&items, &values)?;
/// let alpha = AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Ordinal);
/// let distribution = bootstrap_items(&counts, alpha, Resamples::seeded(1_000, 7))?;
/// let interval = distribution.percentile(0.95)?;
/// assert!(interval.lower < distribution.estimate() && distribution.estimate() <= interval.upper);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn bootstrap_items(
    counts: &ItemCounts,
    coefficient: AgreementCoefficient,
    resamples: Resamples<'_>,
) -> Result<Distribution, StatError> {
    coefficient.estimate(counts)?;
    let values = counts.values();
    let mut units = Units::of(counts);
    let kind_of = mem::take(&mut units.kind_of);
    bootstrap::grouped_statistic(units.kinds.len(), kind_of, resamples, |kinds| {
        coefficient.of(&units.distinct.weighted(&units.times_of(kinds)), &values)
    })
}

/// Bootstraps a coefficient, with raters as the resampled unit and items fixed.
///
/// A rater who is drawn twice always agrees with that copy, which is not informative: pairs of a rating with itself
/// are not counted, neither as agreement nor among the pairs. Units are the raters in ascending order, and undefined
/// resamples are counted.
///
/// # Method
///
/// A rating has its rater's weight w. An item's coincidences are then taken over (Σ w)² - Σ w² ordered
/// pairs instead of m (m - 1), and it counts with its Σ w ratings.
///
/// # Errors
///
/// As [`bootstrap_items`], with at least two raters.
pub fn bootstrap_raters(
    ratings: &AgreementRatings,
    coefficient: AgreementCoefficient,
    resamples: Resamples<'_>,
) -> Result<Distribution, StatError> {
    let cells = Cells::new(ratings, coefficient)?;
    let all = vec![1; cells.starts.len()];
    bootstrap::statistic(cells.raters, resamples, |drawn| {
        let mut weights = vec![0; cells.raters];
        drawn.iter().for_each(|&rater| weights[rater as usize] += 1);
        coefficient.of(&WeightedCells { cells: &cells, raters: &weights, items: &all }, &cells.values)
    })
}

/// Bootstraps a coefficient, with both raters and items resampled.
///
/// As [`bootstrap_raters`], with items, or clusters of them, drawn independently of the raters.
///
/// # Errors
///
/// As [`bootstrap_items`], with at least two raters.
pub fn bootstrap_items_and_raters(
    ratings: &AgreementRatings,
    coefficient: AgreementCoefficient,
    resamples: CrossedResamples<'_>,
) -> Result<Distribution, StatError> {
    let cells = Cells::new(ratings, coefficient)?;
    let (unit_of, units) = ratings.unit_of_items();
    bootstrap::crossed_statistic(cells.raters, units, resamples, |raters, units| {
        let items: Vec<u32> = unit_of.iter().map(|&unit| units[unit as usize]).collect();
        coefficient.of(&WeightedCells { cells: &cells, raters, items: &items }, &cells.values)
    })
}

/// Ratings by item and value, each with its rater.
struct Cells {
    values: Vec<f64>,
    raters: usize,
    starts: Vec<usize>,
    cells: Vec<Cell>,
}

impl Cells {
    fn new(ratings: &AgreementRatings, coefficient: AgreementCoefficient) -> Result<Self, StatError> {
        coefficient.estimate(&ratings.item_counts()?)?;
        let cells = ratings.sorted_cells();
        let starts = (0..cells.len())
            .filter(|&index| index == 0 || cells[index - 1].item != cells[index].item)
            .collect();
        Ok(Self { values: ratings.sorted_values(), raters: ratings.rater_count(), starts, cells })
    }

    #[inline]
    fn of(&self, item: usize) -> &[Cell] {
        let end = self.starts.get(item + 1).copied().unwrap_or(self.cells.len());
        &self.cells[self.starts[item]..end]
    }
}

/// Ratings that count as often as their rater was drawn, of items that count as often as they were.
struct WeightedCells<'a> {
    cells: &'a Cells,
    raters: &'a [u32],
    items: &'a [u32],
}

impl Items for WeightedCells<'_> {
    fn len(&self) -> usize {
        self.items.len()
    }

    fn weight(&self, item: usize) -> f64 {
        f64::from(self.items[item])
    }

    fn size(&self, item: usize) -> Size {
        let (mut total, mut squares) = (0.0, 0.0);
        for cell in self.cells.of(item) {
            let weight = f64::from(self.raters[cell.rater as usize]);
            total += weight;
            squares += weight * weight;
        }
        Size { total, pairs: total * total - squares }
    }

    fn pairs(&self, item: usize, _: f64) -> f64 {
        self.size(item).pairs
    }

    fn for_each(&self, item: usize, mut visit: impl FnMut(usize, f64)) {
        for same in self.cells.of(item).chunk_by(|left, right| left.place == right.place) {
            let count: f64 = same.iter().map(|cell| f64::from(self.raters[cell.rater as usize])).sum();
            visit(same[0].place as usize, count);
        }
    }
}
