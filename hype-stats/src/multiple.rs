//! P values adjusted for the number of tests.

use crate::StatError;

/// Adjusts p values for the number of tests by Holm's method, in the order given.
///
/// A test is significant at a family-wise error rate of α, whatever the tests depend on, where its adjusted p value is at
/// most α.
///
/// # Method
///
/// (m - i + 1) p_(i) with p_(1) ≤ … ≤ p_(m), as a running maximum from the smallest, at most 1 (Holm 1979; Wright 1992,
/// "Adjusted p-values for simultaneous inference").
///
/// # Errors
///
/// [`StatError::Parameter`] for a p value outside 0..=1 or NaN.
///
/// # Examples
///
/// ```
/// # use hype_stats::multiple::holm;
/// assert_eq!(holm(&[0.25, 0.125])?, [0.25, 0.25]);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, StatError> {
    for &p in p_values {
        if !(0.0..=1.0).contains(&p) {
            return Err(StatError::Parameter { parameter: "p value", expected: "between 0 and 1", got: p });
        }
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&left, &right| p_values[left].total_cmp(&p_values[right]));
    let count = p_values.len() as f64;
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        // With the smallest p value all tests remain.
        largest = largest.max((count - rank as f64) * p_values[index]);
        adjusted[index] = largest.min(1.0);
    }
    Ok(adjusted)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn none_and_one() {
        assert!(holm(&[]).unwrap().is_empty());
        assert_eq!(holm(&[0.03]).unwrap(), [0.03]);
        assert!(holm(&[0.5, f64::NAN]).is_err());
        assert!(holm(&[1.5]).is_err());
        assert_eq!(holm(&[1e-200, 0.5]).unwrap()[0], 2e-200);
    }

    proptest! {
        #[test]
        fn order_is_kept_and_bonferroni_is_weaker(p in proptest::collection::vec(0.0..1.0_f64, 1..30)) {
            let found = holm(&p).unwrap();
            for (a, x) in p.iter().zip(&found) {
                prop_assert!(*x >= a - 1e-15 && *x <= (p.len() as f64 * a).min(1.0) + 1e-15);
                for (b, y) in p.iter().zip(&found) {
                    prop_assert!(a > b || x <= y);
                }
            }
        }
    }
}
