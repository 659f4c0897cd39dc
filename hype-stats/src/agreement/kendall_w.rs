//! Kendall's coefficient of concordance.

use crate::StatError;
use crate::describe::{check_sample, sum_by};
use crate::distributions::ChiSquared;
use crate::nonparametric::rank_finite;

const NAME: &str = "Kendall's W";

/// Kendall's coefficient of concordance with its test.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct KendallW {
    /// 1 if all raters rank the items the same way, 0 if their ranks cancel.
    pub w: f64,
    /// Friedman's statistic m (n - 1) W.
    pub chi_squared: f64,
    /// n - 1.
    pub degrees_of_freedom: f64,
    /// P value by the chi-squared approximation, if ranks are independent.
    pub p: f64,
}

/// Computes how similarly raters rank the same items, from items (rows) × raters (columns).
///
/// # Method
///
/// Kendall and Babington Smith (1939), "The problem of m rankings", with ranks within each rater, mean
/// ranks for ties and the correction for them (Kendall 1948):
/// W = 12 Σ (R_i - R̄)² / \[m² (n³ - n) - m Σ (t³ - t)\] for m raters and n items.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two items or raters, [`StatError::Lengths`] for ragged rows,
/// [`StatError::NotFinite`] for NaN or infinity, and [`StatError::Degenerate`] if every rater ties all
/// items.
///
/// # Examples
///
/// ```
/// # use hype_stats::agreement::kendall_w;
/// let found = kendall_w(&[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])?;
/// assert_eq!((found.w, found.chi_squared), (1.0, 4.0));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn kendall_w<R: AsRef<[f64]>>(items: &[R]) -> Result<KendallW, StatError> {
    let raters = items.first().map_or(0, |row| row.as_ref().len());
    for (of, got) in [("items", items.len()), ("raters", raters)] {
        if got < 2 {
            return Err(StatError::TooFew { statistic: NAME, needed: 2, of, got });
        }
    }
    for row in items {
        check_sample(NAME, row.as_ref(), 0)?;
        if row.as_ref().len() != raters {
            return Err(StatError::Lengths { statistic: NAME, left: raters, right: row.as_ref().len() });
        }
    }
    let (n, m) = (items.len() as f64, raters as f64);
    let centre = 0.5 * (n + 1.0);
    let mut distances = vec![0.0; items.len()];
    let mut tie_sum = 0.0;
    for rater in 0..raters {
        let column: Vec<f64> = items.iter().map(|row| row.as_ref()[rater]).collect();
        let found = rank_finite(&column);
        tie_sum += found.tie_sum;
        for (distance, rank) in distances.iter_mut().zip(found.ranks) {
            *distance += rank - centre;
        }
    }
    let most = m * (n * n * n - n);
    if tie_sum >= most {
        return Err(StatError::Degenerate {
            statistic: NAME,
            reason: "every rater gives all items the same rating, so there is no order to compare",
        });
    }
    let squares = sum_by(distances.len(), |item| distances[item] * distances[item]);
    let w = 12.0 * squares / (m * (most - tie_sum));
    let degrees_of_freedom = n - 1.0;
    let chi_squared = m * degrees_of_freedom * w;
    Ok(KendallW {
        w,
        chi_squared,
        degrees_of_freedom,
        p: ChiSquared::new(degrees_of_freedom)?.sf(chi_squared),
    })
}
