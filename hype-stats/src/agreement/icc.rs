//! Intraclass correlations.

use super::ALL_THE_SAME;
use crate::StatError;
use crate::bootstrap::{self, Distribution, IntervalEstimate, Resamples};
use crate::describe::sum_by;
use crate::distributions::{FisherF, check_level};

const NAME: &str = "intraclass correlation";

/// The origin of raters, and which of their differences are error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IccModel {
    /// ICC(1): each item has different raters, so their levels are error.
    OneWay,
    /// ICC(2), ICC(A): the same raters, a sample of many, who ought to give the same value.
    Agreement,
    /// ICC(3), ICC(C): the same raters, who ought to give the same value except for a constant for each
    /// rater.
    Consistency,
}

/// The rating whose reliability is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IccUnit {
    /// The rating of one rater.
    Single,
    /// The mean rating of all raters.
    Average,
}

/// An intraclass correlation with its F test.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Icc {
    /// Share of the variance that lies between items, 1 at most; it may be negative.
    pub icc: f64,
    /// Ratio of the mean squares of items and error; infinite without any error.
    pub f: f64,
    /// P(F ≥ f) if items do not differ.
    pub p: f64,
    /// Degrees of freedom of items, n - 1.
    pub df_items: f64,
    /// Degrees of freedom of error: n (k - 1) for one way, (n - 1)(k - 1) otherwise.
    pub df_error: f64,
    /// The model.
    pub model: IccModel,
    /// The rating whose reliability is computed.
    pub unit: IccUnit,
    squares: MeanSquares,
}

/// Computes an intraclass correlation of items (rows) × raters (columns).
///
/// # Method
///
/// Shrout and Fleiss (1979), "Intraclass correlations: uses in assessing rater reliability", with the
/// mean squares of items (B), within items (W), of raters (J) and of the residual (E):
///
/// | | single | average |
/// |---|---|---|
/// | one way | (B - W) / (B + (k - 1) W) | (B - W) / B |
/// | agreement | (B - E) / (B + (k - 1) E + k (J - E) / n) | (B - E) / (B + (J - E) / n) |
/// | consistency | (B - E) / (B + (k - 1) E) | (B - E) / B |
///
/// # Numerics
///
/// The sums of squares are those of deviations from means. A residual as small as the rounding of the
/// ratings is not an error.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two items or raters, [`StatError::Lengths`] for ragged rows,
/// [`StatError::NotFinite`] for NaN or infinity, and [`StatError::Degenerate`] if all ratings are the
/// same or all items have the same mean if the coefficient divides by their spread.
///
/// # Examples
///
/// ```
/// # use hype_stats::agreement::{IccModel, IccUnit, icc};
/// let items = [[9.0, 2.0, 5.0, 8.0], [6.0, 1.0, 3.0, 2.0], [8.0, 4.0, 6.0, 8.0], [7.0, 1.0, 2.0, 6.0],
///     [10.0, 5.0, 6.0, 9.0], [6.0, 2.0, 4.0, 7.0]];
/// let found = icc(&items, IccModel::Agreement, IccUnit::Single)?;
/// assert!((found.icc - 0.29).abs() < 0.005);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn icc<R: AsRef<[f64]>>(items: &[R], model: IccModel, unit: IccUnit) -> Result<Icc, StatError> {
    check_rows(items)?;
    let squares = MeanSquares::of(items.len(), |item| items[item].as_ref());
    let icc = squares.coefficient(model, unit)?;
    let (n, k) = (squares.items, squares.raters);
    let (error, df_error) = match model {
        IccModel::OneWay => (squares.within(), n * (k - 1.0)),
        IccModel::Agreement | IccModel::Consistency => (squares.residual, (n - 1.0) * (k - 1.0)),
    };
    // Without error and without spread between items only the raters differ, and there is no test.
    let f = if error > 0.0 || squares.between > 0.0 { squares.between / error } else { 0.0 };
    let df_items = n - 1.0;
    let p = if f.is_finite() { FisherF::new(df_items, df_error)?.sf(f) } else { 0.0 };
    Ok(Icc { icc, f, p, df_items, df_error, model, unit, squares })
}

impl Icc {
    /// The confidence interval.
    ///
    /// # Method
    ///
    /// From the F distribution, exact for one way and consistency, and for agreement by Satterthwaite's
    /// degrees of freedom: Shrout and Fleiss (1979); McGraw and Wong (1996), "Forming inferences about
    /// some intraclass correlation coefficients", table 7. That of the average is the Spearman-Brown
    /// transform of the single rating's; its lower limit is infinite where that is -1 / (k - 1) or less.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0 < level < 1, and [`StatError::Degenerate`] if
    /// items do not differ at all.
    pub fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        check_level(level)?;
        let tail = (1.0 - level) / 2.0;
        let squares = self.squares;
        let (n, k) = (squares.items, squares.raters);
        if squares.between <= 0.0 {
            return Err(StatError::Degenerate { statistic: NAME, reason: SAME_MEANS });
        }
        let upper_quantile = |above: f64, below: f64| FisherF::new(above, below)?.upper_quantile(tail);
        let (lower, upper) = match self.model {
            IccModel::OneWay | IccModel::Consistency => {
                let ratio = |f: f64| if f.is_finite() { (f - 1.0) / (f + k - 1.0) } else { 1.0 };
                (
                    ratio(self.f / upper_quantile(self.df_items, self.df_error)?),
                    ratio(self.f * upper_quantile(self.df_error, self.df_items)?),
                )
            }
            IccModel::Agreement => {
                let degrees = squares.agreement_degrees()?;
                let (between, residual) = (squares.between, squares.residual);
                let others = k * squares.raters_square + (k * n - k - n) * residual;
                let low = upper_quantile(n - 1.0, degrees)?;
                let high = upper_quantile(degrees, n - 1.0)?;
                (
                    n * (between - low * residual) / (low * others + n * between),
                    n * (high * between - residual) / (others + n * (high * between)),
                )
            }
        };
        let average = |icc: f64| {
            let spread = 1.0 + (k - 1.0) * icc;
            if spread > 0.0 { k * icc / spread } else { f64::NEG_INFINITY }
        };
        Ok(match self.unit {
            IccUnit::Single => IntervalEstimate { lower, upper, level },
            IccUnit::Average => IntervalEstimate { lower: average(lower), upper: average(upper), level },
        })
    }
}

/// Bootstraps an intraclass correlation, with items as the resampled unit.
///
/// A resample in which all ratings are the same has no value and is counted as undefined.
///
/// # Errors
///
/// As [`icc`], and as [`bootstrap::statistic`] for the resamples.
pub fn bootstrap_icc<R: AsRef<[f64]> + Sync>(
    items: &[R],
    model: IccModel,
    unit: IccUnit,
    resamples: Resamples<'_>,
) -> Result<Distribution, StatError> {
    icc(items, model, unit)?;
    bootstrap::statistic(items.len(), resamples, |drawn| {
        MeanSquares::of(drawn.len(), |place| items[drawn[place] as usize].as_ref())
            .coefficient(model, unit)
            .unwrap_or(f64::NAN)
    })
}

const SAME_MEANS: &str = "all items have the same mean rating, so there is nothing to distinguish";

fn check_rows<R: AsRef<[f64]>>(items: &[R]) -> Result<(), StatError> {
    let raters = items.first().map_or(0, |row| row.as_ref().len());
    for (of, got) in [("items", items.len()), ("raters", raters)] {
        if got < 2 {
            return Err(StatError::TooFew { statistic: NAME, needed: 2, of, got });
        }
    }
    for (item, row) in items.iter().enumerate() {
        let row = row.as_ref();
        if row.len() != raters {
            return Err(StatError::Lengths { statistic: NAME, left: raters, right: row.len() });
        }
        if let Some(place) = row.iter().position(|value| !value.is_finite()) {
            let index = item * raters + place;
            return Err(StatError::NotFinite { statistic: NAME, index, got: row[place] });
        }
    }
    Ok(())
}

/// The two-way analysis of variance without replication.
#[derive(Debug, Clone, Copy, PartialEq)]
struct MeanSquares {
    items: f64,
    raters: f64,
    between: f64,
    raters_square: f64,
    residual: f64,
}

impl MeanSquares {
    fn of<'a>(count: usize, row: impl Fn(usize) -> &'a [f64]) -> Self {
        let raters = row(0).len();
        let (n, k) = (count as f64, raters as f64);
        // Differences from one of the ratings are used: means of large ratings lose no digits.
        let origin = row(0)[0];
        let mut largest = 0.0_f64;
        let mut rater_means = vec![0.0; raters];
        let mut item_means = Vec::with_capacity(count);
        for item in 0..count {
            let row = row(item);
            for (mean, value) in rater_means.iter_mut().zip(row) {
                *mean += value - origin;
                largest = largest.max(value.abs());
            }
            item_means.push(sum_by(raters, |rater| row[rater] - origin) / k);
        }
        rater_means.iter_mut().for_each(|mean| *mean /= n);
        let grand = sum_by(count, |item| item_means[item]) / n;
        let between = k * sum_by(count, |item| (item_means[item] - grand).powi(2));
        let raters_square = n * sum_by(raters, |rater| (rater_means[rater] - grand).powi(2));
        let residual = sum_by(count, |item| {
            let row = row(item);
            let centre = item_means[item] - grand;
            sum_by(raters, |rater| (row[rater] - origin - rater_means[rater] - centre).powi(2))
        });
        let rounding = n * k * (8.0 * f64::EPSILON * largest).powi(2);
        let clean = |squares: f64| if squares.is_finite() && squares <= rounding { 0.0 } else { squares };
        Self {
            items: n,
            raters: k,
            between: clean(between) / (n - 1.0),
            raters_square: clean(raters_square) / (k - 1.0),
            residual: clean(residual) / ((n - 1.0) * (k - 1.0)),
        }
    }

    /// Mean square within items.
    fn within(&self) -> f64 {
        (self.raters_square + (self.items - 1.0) * self.residual) / self.items
    }

    fn coefficient(&self, model: IccModel, unit: IccUnit) -> Result<f64, StatError> {
        let &Self { items: n, raters: k, between, raters_square, residual } = self;
        if between + raters_square + residual <= 0.0 {
            return Err(StatError::Degenerate { statistic: NAME, reason: ALL_THE_SAME });
        }
        let excess = (raters_square - residual) / n;
        let (signal, spread) = match (model, unit) {
            (IccModel::OneWay, IccUnit::Single) => {
                (between - self.within(), between + (k - 1.0) * self.within())
            }
            (IccModel::OneWay, IccUnit::Average) => (between - self.within(), between),
            (IccModel::Agreement, IccUnit::Single) => {
                (between - residual, between + (k - 1.0) * residual + k * excess)
            }
            (IccModel::Agreement, IccUnit::Average) => (between - residual, between + excess),
            (IccModel::Consistency, IccUnit::Single) => (between - residual, between + (k - 1.0) * residual),
            (IccModel::Consistency, IccUnit::Average) => (between - residual, between),
        };
        let reason = if !spread.is_finite() {
            "the ratings are too large for double precision"
        } else if spread > 0.0 {
            return Ok(signal / spread);
        } else if between > 0.0 {
            "items differ less than error alone would explain, so the average has no reliability"
        } else {
            SAME_MEANS
        };
        Err(StatError::Degenerate { statistic: NAME, reason })
    }

    /// Satterthwaite's degrees of freedom of the denominator of the agreement of single ratings.
    fn agreement_degrees(&self) -> Result<f64, StatError> {
        let &Self { items: n, raters: k, raters_square, residual, .. } = self;
        let icc = self.coefficient(IccModel::Agreement, IccUnit::Single)?;
        // Multiplied by the squared residual, so it may be 0.
        let by_raters = k * icc * raters_square;
        let by_error = (n * (1.0 + (k - 1.0) * icc) - k * icc) * residual;
        let below = (n - 1.0) * by_raters * by_raters + by_error * by_error;
        if below > 0.0 {
            Ok((k - 1.0) * (n - 1.0) * (by_raters + by_error).powi(2) / below)
        } else {
            // There is neither variance of raters nor error: any degrees of freedom give the interval at
            // 1.
            Ok((n - 1.0) * (k - 1.0))
        }
    }
}
