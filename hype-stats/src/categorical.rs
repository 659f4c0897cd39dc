//! Friedman's test on rankings within blocks.

use crate::StatError;
use crate::describe::check_sample;
use crate::distributions::ChiSquared;
use crate::nonparametric::rank_finite;

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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_all_agree_have_the_largest_statistic() {
        let test = friedman(&[[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [0.1, 0.2, 0.3]]).unwrap();
        assert!((test.statistic - 6.0).abs() < 1e-14);
        assert!((test.p - (-3.0_f64).exp()).abs() < 1e-15);
    }

    #[test]
    fn bad_input_is_refused() {
        assert!(matches!(friedman(&[[1.0], [2.0]]), Err(StatError::TooFew { of: "columns", .. })));
        assert!(matches!(friedman(&[vec![1.0, 2.0], vec![1.0]]), Err(StatError::Lengths { .. })));
        assert!(matches!(friedman::<[f64; 2]>(&[]), Err(StatError::TooFew { of: "blocks", .. })));
        assert!(matches!(friedman(&[[1.0, 1.0]]), Err(StatError::Degenerate { .. })));
        assert!(matches!(friedman(&[[1.0, f64::NAN]]), Err(StatError::NotFinite { .. })));
    }
}
