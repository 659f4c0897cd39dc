//! Which conditions differ: all pairs, with p values adjusted for their number.

use super::Blocks;
use crate::StatError;
use crate::categorical::{self, ChiSquaredTest};
use crate::multiple::holm;
use crate::nonparametric::{RankTest, wilcoxon, wilcoxon_exact};
use crate::ttest::Alternative;

/// Two conditions compared by signed ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RankedComparison {
    /// The condition that is subtracted from.
    pub first: usize,
    /// The condition that is subtracted.
    pub second: usize,
    /// Wilcoxon's signed-rank test of first - second; `None` if no subject has a difference.
    pub test: Option<RankTest>,
    /// Whether the p value counts all assignments of signs; otherwise it is the normal approximation.
    pub exact: bool,
    /// Share of the ranks in favour of the first minus that of the second, the matched rank-biserial
    /// correlation (Kerby 2014).
    pub rank_biserial: Option<f64>,
    /// P value adjusted for the number of pairs that have a test.
    pub p_adjusted: Option<f64>,
}

/// The maximum number of subjects for which the signed-rank test is exact, as in R.
const MOST_EXACT: usize = 49;

/// Compares all pairs of conditions by Wilcoxon's signed-rank tests.
///
/// # Method
///
/// [`wilcoxon_exact`] for fewer than 50 subjects without ties or zeros among their differences,
/// [`wilcoxon`] otherwise, with p values adjusted over the pairs by Holm's method.
///
/// # Errors
///
/// None for values that [`Blocks`] holds; they are those of the tests.
pub fn signed_rank_tests(blocks: &Blocks) -> Result<Vec<RankedComparison>, StatError> {
    let mut pairs = Vec::new();
    for_each_pair(blocks, |first, second, a, b| {
        let exact = match a.len() {
            ..=MOST_EXACT => defined(wilcoxon_exact(a, b, Alternative::TwoSided))?,
            _ => None,
        };
        let test = match exact {
            Some(test) => Some(test),
            None => defined(wilcoxon(a, b, Alternative::TwoSided))?,
        };
        let rank_biserial = match defined(wilcoxon(a, b, Alternative::Greater))? {
            Some(RankTest { statistic: positive, .. }) => {
                let count = a.iter().zip(b).filter(|(a, b)| (*a - *b).abs() > 0.0).count() as f64;
                Some(4.0 * positive / (count * (count + 1.0)) - 1.0)
            }
            None => None,
        };
        let exact = exact.is_some();
        pairs.push(RankedComparison { first, second, test, exact, rank_biserial, p_adjusted: None });
        Ok(())
    })?;
    let tested: Vec<f64> = pairs.iter().filter_map(|pair| pair.test.map(|test| test.p)).collect();
    let with_test = pairs.iter_mut().filter(|pair| pair.test.is_some());
    for (pair, p) in with_test.zip(holm(&tested)?) {
        pair.p_adjusted = Some(p);
    }
    Ok(pairs)
}

/// Friedman's test with the agreement that it measures.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Concordance {
    /// The test of equal ranks.
    pub test: ChiSquaredTest,
    /// Kendall's W, χ² / \[n (k - 1)\]: 1 if all subjects rank the conditions the same way, 0 if at random.
    pub w: f64,
    /// Number of subjects, n.
    pub subjects: usize,
    /// Number of subjects that were omitted because they lacked a condition.
    pub left_out: usize,
}

/// Tests whether several conditions rank equally within subjects.
///
/// # Method
///
/// [`categorical::friedman`] of the complete subjects.
///
/// # Errors
///
/// [`StatError::Degenerate`] if every subject's values are all tied.
pub fn friedman(blocks: &Blocks) -> Result<Concordance, StatError> {
    let rows: Vec<&[f64]> = blocks.rows().collect();
    let test = categorical::friedman(&rows)?;
    let w = test.statistic / (rows.len() as f64 * test.degrees_of_freedom);
    Ok(Concordance { test, w, subjects: rows.len(), left_out: blocks.left_out().len() })
}

fn for_each_pair(
    blocks: &Blocks,
    mut compare: impl FnMut(usize, usize, &[f64], &[f64]) -> Result<(), StatError>,
) -> Result<(), StatError> {
    let columns: Vec<Vec<f64>> = (0..blocks.conditions()).map(|condition| blocks.column(condition)).collect();
    for (first, a) in columns.iter().enumerate() {
        for (second, b) in columns.iter().enumerate().skip(first + 1) {
            compare(first, second, a, b)?;
        }
    }
    Ok(())
}

/// `None` if the data are degenerate for a test, which must not hide the other pairs.
fn defined<T>(result: Result<T, StatError>) -> Result<Option<T>, StatError> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(StatError::Degenerate { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
