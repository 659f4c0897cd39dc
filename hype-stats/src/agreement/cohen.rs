//! Cohen's kappa of two raters.

use std::collections::BTreeMap;

use super::ALL_THE_SAME;
use super::intern::Values;
use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::describe::{check_sample, sum_by};
use crate::distributions::{check_level, normal_upper_quantile};
use crate::ttest::Alternative;

const NAME: &str = "Cohen's kappa";

/// The weight of a disagreement, by the distance of the two categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Weights {
    /// All disagreements the same.
    Unweighted,
    /// By the distance.
    Linear,
    /// By its square.
    Quadratic,
}

impl Weights {
    /// Agreement of two categories by their positions, whose largest distance is 1.
    fn agreement(self, positions: &[f64], left: usize, right: usize) -> f64 {
        let distance = (positions[left] - positions[right]).abs();
        match self {
            Self::Unweighted => f64::from(u8::from(left == right)),
            Self::Linear => 1.0 - distance,
            Self::Quadratic => 1.0 - distance * distance,
        }
    }
}

/// Cohen's kappa with its asymptotic standard errors.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct CohenKappa {
    /// 1 for perfect agreement, 0 for agreement by chance.
    pub kappa: f64,
    /// Weighted share of agreeing pairs.
    pub observed: f64,
    /// That share by chance, from the margins.
    pub expected: f64,
    /// Standard error of kappa, for its interval.
    pub standard_error: f64,
    /// Standard error of kappa if there is no agreement beyond chance, for the test.
    pub null_standard_error: f64,
    /// Kappa over that; `None` if it is 0, as with a rater who gives one value only.
    pub z: Option<f64>,
    /// Two-sided p value of z.
    pub p: Option<f64>,
    /// Number of pairs, n.
    pub pairs: u64,
}

impl CohenKappa {
    /// The interval κ ∓ z SE, which is not clipped at 1.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0 < level < 1.
    pub fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        check_level(level)?;
        let reach = normal_upper_quantile((1.0 - level) / 2.0)? * self.standard_error;
        Ok(IntervalEstimate { lower: self.kappa - reach, upper: self.kappa + reach, level })
    }
}

/// Computes Cohen's kappa of two raters' values of the same items.
///
/// The distance of two values, which [`Weights`] speaks of, is that of the numbers themselves, even if values
/// in between do not occur.
///
/// # Method
///
/// That of [`CohenKappa`], from the table of both raters' values.
///
/// # Errors
///
/// [`StatError::Lengths`] for unequal lengths, [`StatError::NotFinite`] for NaN or infinity,
/// [`StatError::TooFew`] for fewer than two pairs, and [`StatError::Degenerate`] if all ratings are
/// the same.
///
/// # Examples
///
/// ```
/// # use hype_stats::agreement::{Weights, cohen_kappa};
/// let (first, second) = ([1.0, 2.0, 3.0, 3.0, 1.0], [1.0, 2.0, 3.0, 2.0, 1.0]);
/// let found = cohen_kappa(&first, &second, Weights::Quadratic)?;
/// assert!((found.kappa - 6.0 / 7.0).abs() < 1e-15);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn cohen_kappa(first: &[f64], second: &[f64], weights: Weights) -> Result<CohenKappa, StatError> {
    let columns = Columns::new(first, second)?;
    Pairs::new(&columns.positions, &columns.cells, weights)?.kappa()
}

/// A non-empty cell of the table.
#[derive(Debug, Clone, Copy)]
struct Cell {
    row: u32,
    column: u32,
    count: f64,
}

/// Two raters' values as positions among all values.
struct Columns {
    /// The values, scaled to 0..=1.
    positions: Vec<f64>,
    /// The distinct pairs of positions with their numbers, in order.
    cells: Vec<Cell>,
}

impl Columns {
    fn new(first: &[f64], second: &[f64]) -> Result<Self, StatError> {
        if first.len() != second.len() {
            return Err(StatError::Lengths { statistic: NAME, left: first.len(), right: second.len() });
        }
        for values in [first, second] {
            check_sample(NAME, values, 2)?;
        }
        let mut values = Values::default();
        for &value in first.iter().chain(second) {
            values.intern(value)?;
        }
        let (places, sorted) = (values.places(), values.sorted());
        let (low, high) = sorted.first().copied().zip(sorted.last().copied()).unwrap_or((0.0, 0.0));
        // Uses halves if the difference of two finite values overflows.
        let half = if (high - low).is_finite() { 1.0 } else { 0.5 };
        let positions =
            sorted.iter().map(|value| (half * value - half * low) / (half * high - half * low)).collect();
        let place = |value: f64| values.find(value).map_or(0, |level| places[level as usize]);
        let mut counts = BTreeMap::<(u32, u32), u32>::new();
        for (&left, &right) in first.iter().zip(second) {
            *counts.entry((place(left), place(right))).or_default() += 1;
        }
        let cell = |((row, column), count)| Cell { row, column, count: f64::from(count) };
        Ok(Self { positions, cells: counts.into_iter().map(cell).collect() })
    }
}

/// Shares of the table and of its margins, and their weighted sums.
struct Pairs<'a> {
    positions: &'a [f64],
    cells: &'a [Cell],
    weights: Weights,
    count: f64,
    rows: Vec<f64>,
    columns: Vec<f64>,
    /// w̄_i., the mean agreement of each row's category with the other rater's.
    row_means: Vec<f64>,
    observed: f64,
    expected: f64,
}

impl<'a> Pairs<'a> {
    fn new(positions: &'a [f64], cells: &'a [Cell], weights: Weights) -> Result<Self, StatError> {
        let count = sum_by(cells.len(), |cell| cells[cell].count);
        if count < 2.0 {
            return Err(StatError::TooFew { statistic: NAME, needed: 2, of: "pairs", got: count as usize });
        }
        if let [cell] = cells
            && cell.row == cell.column
        {
            return Err(StatError::Degenerate { statistic: NAME, reason: ALL_THE_SAME });
        }
        let (mut rows, mut columns) = (vec![0.0; positions.len()], vec![0.0; positions.len()]);
        for cell in cells {
            rows[cell.row as usize] += cell.count / count;
            columns[cell.column as usize] += cell.count / count;
        }
        let row_means = mean_agreement(positions, weights, &columns);
        let agreement = |cell: Cell| weights.agreement(positions, cell.row as usize, cell.column as usize);
        let observed = sum_by(cells.len(), |cell| cells[cell].count * agreement(cells[cell])) / count;
        let expected = sum_by(rows.len(), |row| rows[row] * row_means[row]);
        Ok(Self { positions, cells, weights, count, rows, columns, row_means, observed, expected })
    }

    fn value(&self) -> f64 {
        (self.observed - self.expected) / (1.0 - self.expected)
    }

    fn kappa(&self) -> Result<CohenKappa, StatError> {
        let (observed, expected) = (self.observed, self.expected);
        let (rest, disagreement) = (1.0 - expected, 1.0 - observed);
        let column_means = mean_agreement(self.positions, self.weights, &self.rows);
        let agreement = |row, column| self.weights.agreement(self.positions, row, column);
        let squares = sum_by(self.cells.len(), |index| {
            let cell = self.cells[index];
            let (row, column) = (cell.row as usize, cell.column as usize);
            let means = self.row_means[row] + column_means[column];
            cell.count / self.count * (agreement(row, column) * rest - means * disagreement).powi(2)
        });
        let centre = observed * expected - 2.0 * expected + observed;
        let null_squares = sum_by(self.rows.len(), |row| {
            self.rows[row]
                * sum_by(self.columns.len(), |column| {
                    let means = self.row_means[row] + column_means[column];
                    self.columns[column] * (agreement(row, column) - means).powi(2)
                })
        });
        let deviation = |squares: f64, centre: f64| {
            let variance = squares - centre * centre;
            // The difference of equal terms is rounding, not variance.
            if variance > 1e-14 * squares { (variance / self.count).sqrt() } else { 0.0 }
        };
        let null_standard_error = deviation(null_squares, expected) / rest;
        let kappa = self.value();
        let z = (null_standard_error > 0.0).then(|| kappa / null_standard_error);
        Ok(CohenKappa {
            kappa,
            observed,
            expected,
            standard_error: deviation(squares, centre) / (rest * rest),
            null_standard_error,
            z,
            p: z.map(|z| Alternative::TwoSided.normal_p(z)),
            pairs: self.count as u64,
        })
    }
}

/// Mean agreement of each category with a rater who gives the categories with these shares.
fn mean_agreement(positions: &[f64], weights: Weights, shares: &[f64]) -> Vec<f64> {
    let mean = |own| sum_by(shares.len(), |other| shares[other] * weights.agreement(positions, own, other));
    (0..positions.len()).map(mean).collect()
}
