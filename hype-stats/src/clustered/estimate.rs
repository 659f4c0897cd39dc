//! An estimate with a clustered error, as evidence about its true value.

use super::ClusteredVariance;
use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::equivalence::{MeanEvidence, check_finite};

/// An estimate with its clustered variance.
///
/// One-sided p values are half of the two-sided ones of [`ClusteredVariance::p`] on the side of the estimate: they
/// and the intervals of [`ClusteredVariance::interval`] invert each other.
///
/// # Examples
///
/// ```
/// use hype_stats::clustered::{ClusteredEstimate, ClusteredVariance};
/// use hype_stats::equivalence::{EquivalenceRegion, equivalence};
/// let rate = ClusteredEstimate::new(0.48, ClusteredVariance::of_error(0.012, 29.0)?)?;
/// let found = equivalence(&rate, EquivalenceRegion::symmetric(0.5, 0.05), 0.05)?;
/// assert!(found.shown && found.p < 0.02);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusteredEstimate {
    estimate: f64,
    variance: ClusteredVariance,
}

impl ClusteredEstimate {
    /// Takes an estimate and its variance.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for an estimate that is not finite, and [`StatError::Degenerate`] if the variance is zero.
    pub fn new(estimate: f64, variance: ClusteredVariance) -> Result<Self, StatError> {
        check_finite("estimate", estimate)?;
        if variance.is_zero() {
            return Err(StatError::Degenerate {
                statistic: "clustered estimate",
                reason: "the contributions of all raters or items are equal",
            });
        }
        Ok(Self { estimate, variance })
    }

    /// The variance of the estimate.
    #[must_use]
    pub const fn variance(&self) -> &ClusteredVariance {
        &self.variance
    }

    /// P values of the hypotheses that the true value is at most, and at least, `value`.
    fn one_sided(&self, value: f64) -> Result<[f64; 2], StatError> {
        let above = self.estimate - check_finite("tested value", value)?;
        let half = 0.5 * self.variance.p(above)?;
        Ok(if above > 0.0 { [half, 1.0 - half] } else { [1.0 - half, half] })
    }
}

impl MeanEvidence for ClusteredEstimate {
    fn estimate(&self) -> f64 {
        self.estimate
    }

    fn p_at_most(&self, value: f64) -> Result<f64, StatError> {
        Ok(self.one_sided(value)?[0])
    }

    fn p_at_least(&self, value: f64) -> Result<f64, StatError> {
        Ok(self.one_sided(value)?[1])
    }

    fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        self.variance.interval(self.estimate, level)
    }
}
