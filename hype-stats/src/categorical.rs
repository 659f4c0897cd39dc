//! Tests on counts, on paired yes-or-no answers and on rankings within blocks.

use crate::StatError;
use crate::describe::{check_sample, sum};
use crate::distributions::ChiSquared;
use crate::nonparametric::rank_finite;
use crate::proportion::binomial_test;
use crate::ttest::Alternative;

/// A statistic referred to the chi-squared distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ChiSquaredTest {
    /// The statistic.
    pub statistic: f64,
    /// P value by the chi-squared approximation.
    pub p: f64,
    /// Degrees of freedom.
    pub degrees_of_freedom: f64,
}

impl ChiSquaredTest {
    fn new(statistic: f64, degrees_of_freedom: f64) -> Result<Self, StatError> {
        Ok(Self { statistic, p: ChiSquared::new(degrees_of_freedom)?.sf(statistic), degrees_of_freedom })
    }
}

/// The correction for continuity of a statistic of counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Continuity {
    /// The plain statistic.
    #[default]
    Uncorrected,
    /// Yates's (1934) correction, applied if there is one degree of freedom.
    Yates,
}

const fn degenerate(statistic: &'static str, reason: &'static str) -> StatError {
    StatError::Degenerate { statistic, reason }
}

/// Refuses tables that are too small or ragged; returns the number of columns.
fn check_table<T, R: AsRef<[T]>>(
    statistic: &'static str,
    rows: &[R],
    of: &'static str,
    needed: usize,
) -> Result<usize, StatError> {
    let columns = rows.first().map_or(0, |row| row.as_ref().len());
    for (got, of, needed) in [(rows.len(), of, needed), (columns, "columns", 2)] {
        if got < needed {
            return Err(StatError::TooFew { statistic, needed, of, got });
        }
    }
    match rows.iter().find(|row| row.as_ref().len() != columns) {
        Some(row) => Err(StatError::Lengths { statistic, left: columns, right: row.as_ref().len() }),
        None => Ok(columns),
    }
}

/// Tests whether rows and columns of a table of counts are independent.
///
/// # Method
///
/// Pearson (1900): Σ (observed - expected)² / expected over the cells, expected being row sum times
/// column sum over the total, with (rows - 1)(columns - 1) degrees of freedom. With
/// [`Continuity::Yates`] and one degree of freedom each |observed - expected| is reduced by 1/2, or to
/// zero if it is smaller. The approximation requires expected counts of about five or more.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two rows or columns, [`StatError::Lengths`] for ragged rows,
/// and [`StatError::Degenerate`] if a row or column is empty.
///
/// # Examples
///
/// ```
/// # use hype_stats::categorical::{Continuity, independence};
/// let test = independence(&[[10, 20, 30], [6, 9, 17]], Continuity::Uncorrected)?;
/// assert!((test.statistic - 0.2715746).abs() < 1e-6);
/// assert_eq!(test.degrees_of_freedom, 2.0);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn independence<R: AsRef<[u64]>>(
    table: &[R],
    continuity: Continuity,
) -> Result<ChiSquaredTest, StatError> {
    const NAME: &str = "chi-squared test of independence";
    let columns = check_table(NAME, table, "rows", 2)?;
    let row_sums: Vec<f64> =
        table.iter().map(|row| row.as_ref().iter().map(|&count| count as f64).sum()).collect();
    let column_sums: Vec<f64> =
        (0..columns).map(|column| table.iter().map(|row| row.as_ref()[column] as f64).sum()).collect();
    if row_sums.iter().chain(&column_sums).any(|total| *total <= 0.0) {
        return Err(degenerate(NAME, "a row or column has no counts"));
    }
    let total = sum(&row_sums);
    let degrees = ((table.len() - 1) * (columns - 1)) as f64;
    let slack = match continuity {
        Continuity::Yates if degrees <= 1.0 => 0.5,
        _ => 0.0,
    };
    let mut terms = Vec::with_capacity(table.len() * columns);
    for (row, row_sum) in table.iter().zip(&row_sums) {
        for (&count, column_sum) in row.as_ref().iter().zip(&column_sums) {
            let expected = row_sum * (column_sum / total);
            let distance = ((count as f64 - expected).abs() - slack).max(0.0);
            terms.push(distance * distance / expected);
        }
    }
    ChiSquaredTest::new(sum(&terms), degrees)
}

/// McNemar's test of paired yes-or-no answers, exact and approximate.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct McNemar {
    /// Two-sided exact p value.
    pub exact_p: f64,
    /// (|b - c| - 1)² / (b + c), corrected for continuity, with its p value.
    pub corrected: ChiSquaredTest,
    /// (b - c)² / (b + c) with its p value.
    pub uncorrected: ChiSquaredTest,
}

/// Tests whether two paired yes-or-no answers are yes equally often.
///
/// `table[i][j]` counts the pairs with answer i to the first and j to the second; only the two kinds
/// of disagreement b = `table[0][1]` and c = `table[1][0]` matter.
///
/// # Method
///
/// McNemar (1947). The exact p value is the two-sided binomial test of b in b + c at 1/2. The
/// corrected statistic is zero for b = c.
///
/// # Errors
///
/// [`StatError::Degenerate`] if no pair disagrees.
pub fn mcnemar(table: [[u64; 2]; 2]) -> Result<McNemar, StatError> {
    let [[_, b], [c, _]] = table;
    let disagreeing = b.saturating_add(c);
    if disagreeing == 0 {
        return Err(degenerate("McNemar's test", "no pair disagrees"));
    }
    let difference = b.abs_diff(c) as f64;
    let total = disagreeing as f64;
    Ok(McNemar {
        exact_p: binomial_test(b, disagreeing, 0.5, Alternative::TwoSided)?,
        corrected: ChiSquaredTest::new((difference - 1.0).max(0.0).powi(2) / total, 1.0)?,
        uncorrected: ChiSquaredTest::new(difference * difference / total, 1.0)?,
    })
}

/// Tests whether several treatments of the same blocks rank equally.
///
/// Each row is a block (a rater), each column a treatment (a model).
///
/// # Method
///
/// Friedman (1937), with ranks within blocks, mean ranks for ties, and the correction for ties:
/// \[12 / (n k (k + 1)) Σ R_j² - 3 n (k + 1)\] / \[1 - Σ (t³ - t) / (n k (k² - 1))\], with k - 1 degrees
/// of freedom.
///
/// # Errors
///
/// [`StatError::TooFew`] for no block or fewer than two treatments, [`StatError::Lengths`] for ragged
/// rows, [`StatError::NotFinite`] for NaN or infinity, and [`StatError::Degenerate`] if all
/// treatments are tied in all blocks.
pub fn friedman<R: AsRef<[f64]>>(blocks: &[R]) -> Result<ChiSquaredTest, StatError> {
    const NAME: &str = "Friedman test";
    let columns = check_table(NAME, blocks, "blocks", 1)?;
    let (n, k) = (blocks.len() as f64, columns as f64);
    let centre = 0.5 * (k + 1.0);
    let mut distances = vec![0.0; columns];
    let mut tie_sum = 0.0;
    for block in blocks {
        check_sample(NAME, block.as_ref(), 2)?;
        let found = rank_finite(block.as_ref());
        tie_sum += found.tie_sum;
        for (distance, rank) in distances.iter_mut().zip(found.ranks) {
            *distance += rank - centre;
        }
    }
    let correction = 1.0 - tie_sum / (n * k * (k * k - 1.0));
    if correction <= 0.0 {
        return Err(degenerate(NAME, "all treatments are tied in all blocks"));
    }
    let squares: f64 = distances.iter().map(|distance| distance * distance).sum();
    ChiSquaredTest::new(12.0 / (n * k * (k + 1.0)) * squares / correction, k - 1.0)
}

/// Tests whether several yes-or-no treatments of the same blocks are yes equally often.
///
/// Each row is a block (a rater), each column a treatment.
///
/// # Method
///
/// Cochran (1950): Q = (k - 1) \[k Σ C_j² - T²\] / \[k T - Σ R_i²\] with column sums C, row sums R and
/// total T, with k - 1 degrees of freedom.
///
/// # Errors
///
/// [`StatError::TooFew`] for no block or fewer than two treatments, [`StatError::Lengths`] for ragged
/// rows, and [`StatError::Degenerate`] if every block gives all its treatments the same answer.
pub fn cochran_q<R: AsRef<[bool]>>(blocks: &[R]) -> Result<ChiSquaredTest, StatError> {
    const NAME: &str = "Cochran's Q test";
    let columns = check_table(NAME, blocks, "blocks", 1)?;
    let k = columns as f64;
    let mut column_sums = vec![0.0; columns];
    let mut within = 0.0;
    let mut total = 0.0;
    for block in blocks {
        let yes = block.as_ref().iter().filter(|answer| **answer).count() as f64;
        within += yes * (k - yes);
        total += yes;
        for (sum, &answer) in column_sums.iter_mut().zip(block.as_ref()) {
            *sum += f64::from(u8::from(answer));
        }
    }
    if within <= 0.0 {
        return Err(degenerate(NAME, "no block has different answers"));
    }
    let squares: f64 = column_sums.iter().map(|sum| sum * sum).sum();
    ChiSquaredTest::new((k - 1.0) * (k * squares - total * total) / within, k - 1.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn two_treatments_are_mcnemars_test() {
        let mut blocks = vec![[true, false]; 9];
        blocks.extend(vec![[false, true]; 21]);
        blocks.extend(vec![[true, true]; 5]);
        let test = mcnemar([[3, 9], [21, 5]]).unwrap();
        let cochran = cochran_q(&blocks).unwrap();
        assert!((cochran.statistic - test.uncorrected.statistic).abs() < 1e-13);
        assert!((test.corrected.statistic - 121.0 / 30.0).abs() < 1e-14);
        let equal = mcnemar([[3, 4], [4, 5]]).unwrap();
        assert_eq!((equal.exact_p, equal.corrected.p, equal.uncorrected.p), (1.0, 1.0, 1.0));
    }

    /// Yates (1934): n (|ad - bc| - n/2)² / (r1 r2 c1 c2) for two rows and columns.
    #[test]
    fn one_degree_of_freedom() {
        let table = [[12, 5], [3, 9]];
        let plain = independence(&table, Continuity::Uncorrected).unwrap();
        let yates = independence(&table, Continuity::Yates).unwrap();
        let margins = 17.0 * 12.0 * 15.0 * 14.0;
        assert!((plain.statistic - 29.0 * 93.0_f64.powi(2) / margins).abs() < 1e-13);
        assert!((yates.statistic - 29.0 * 78.5_f64.powi(2) / margins).abs() < 1e-13);
        let wide = [[12, 5, 1], [3, 9, 1]];
        assert_eq!(
            independence(&wide, Continuity::Yates).unwrap(),
            independence(&wide, Continuity::Uncorrected).unwrap()
        );
    }

    #[test]
    fn blocks_that_all_agree_have_the_largest_statistic() {
        let test = friedman(&[[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [0.1, 0.2, 0.3]]).unwrap();
        assert!((test.statistic - 6.0).abs() < 1e-14);
        assert!((test.p - (-3.0_f64).exp()).abs() < 1e-15);
    }

    #[test]
    fn bad_input_is_refused() {
        let plain = Continuity::Uncorrected;
        assert!(matches!(independence(&[[1, 2]], plain), Err(StatError::TooFew { of: "rows", .. })));
        assert!(matches!(independence(&[[1], [2]], plain), Err(StatError::TooFew { of: "columns", .. })));
        assert!(matches!(independence(&[[0, 0], [1, 2]], plain), Err(StatError::Degenerate { .. })));
        assert!(matches!(independence(&[vec![1, 2], vec![1]], plain), Err(StatError::Lengths { .. })));
        assert!(matches!(mcnemar([[5, 0], [0, 5]]), Err(StatError::Degenerate { .. })));
        assert!(matches!(friedman(&[[1.0, 1.0]]), Err(StatError::Degenerate { .. })));
        assert!(matches!(friedman(&[[1.0, f64::NAN]]), Err(StatError::NotFinite { .. })));
        assert!(matches!(cochran_q(&[[true, true], [false, false]]), Err(StatError::Degenerate { .. })));
        assert!(matches!(cochran_q::<[bool; 2]>(&[]), Err(StatError::TooFew { .. })));
    }
}
