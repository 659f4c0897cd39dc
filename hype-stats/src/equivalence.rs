//! Equivalence and non-inferiority: whether a mean is near enough to a value.
//!
//! A test that does not reject equality is not evidence of equality. Here the hypotheses are exchanged:
//! what is to be shown, "within the margin", is the alternative.

use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::distributions::{StudentT, check_level};

/// Evidence about a mean or a difference of means: one-sided p values, and the intervals that they
/// invert.
pub trait MeanEvidence {
    /// The estimate.
    fn estimate(&self) -> f64;

    /// P value of the hypothesis that the true value is at most `value`; small where it is larger.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a value that is not finite.
    fn p_at_most(&self, value: f64) -> Result<f64, StatError>;

    /// P value of the hypothesis that the true value is at least `value`; small where it is smaller.
    ///
    /// # Errors
    ///
    /// As [`Self::p_at_most`].
    fn p_at_least(&self, value: f64) -> Result<f64, StatError>;

    /// P value of the hypothesis that the true value is `value`: twice the smaller of the one-sided ones.
    ///
    /// # Errors
    ///
    /// As [`Self::p_at_most`].
    fn p_equal(&self, value: f64) -> Result<f64, StatError> {
        Ok((2.0 * self.p_at_most(value)?.min(self.p_at_least(value)?)).min(1.0))
    }

    /// The interval with equal tails.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0..1.
    fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError>;
}

/// Refuses a value that is not finite.
pub(crate) fn check_finite(parameter: &'static str, value: f64) -> Result<f64, StatError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(StatError::Parameter { parameter, expected: "finite", got: value })
    }
}

/// An estimate whose error, over its standard error, follows Student's t.
///
/// Any estimator with a standard error and degrees of freedom can be handed in: one sample, a difference
/// of two, or one with clustered errors and R - 1 degrees of freedom for R raters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudentEstimate {
    estimate: f64,
    standard_error: f64,
    distribution: StudentT,
}

impl StudentEstimate {
    /// Takes an estimate, its standard error and its degrees of freedom (infinite for the normal
    /// distribution).
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for an estimate that is not finite or degrees of freedom that are not
    /// positive; [`StatError::Degenerate`] unless the standard error is positive and finite. Equal values
    /// have a standard error of 0, and are not evidence that others would be equal too: values with bounds
    /// have a [`BoundedMean`](crate::bounded::BoundedMean).
    pub fn new(estimate: f64, standard_error: f64, degrees_of_freedom: f64) -> Result<Self, StatError> {
        check_finite("estimate", estimate)?;
        if !(standard_error > 0.0 && standard_error.is_finite()) {
            return Err(StatError::Degenerate {
                statistic: "test of an estimate",
                reason: "its standard error is not a positive number",
            });
        }
        Ok(Self { estimate, standard_error, distribution: StudentT::new(degrees_of_freedom)? })
    }

    fn t(&self, value: f64) -> Result<f64, StatError> {
        Ok((self.estimate - check_finite("tested value", value)?) / self.standard_error)
    }
}

impl MeanEvidence for StudentEstimate {
    fn estimate(&self) -> f64 {
        self.estimate
    }

    fn p_at_most(&self, value: f64) -> Result<f64, StatError> {
        Ok(self.distribution.sf(self.t(value)?))
    }

    fn p_at_least(&self, value: f64) -> Result<f64, StatError> {
        Ok(self.distribution.cdf(self.t(value)?))
    }

    fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        check_level(level)?;
        let margin = self.distribution.upper_quantile(0.5 * (1.0 - level))? * self.standard_error;
        Ok(IntervalEstimate { lower: self.estimate - margin, upper: self.estimate + margin, level })
    }
}

/// The values that count as equivalent to a reference, such as a fooling rate of 0.5 ± 0.05 or a
/// difference of 0 ± 0.1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EquivalenceRegion {
    /// The value that the mean is compared with.
    pub reference: f64,
    /// How far the mean may lie below the reference; positive.
    pub below: f64,
    /// How far the mean may lie above the reference; positive.
    pub above: f64,
}

impl EquivalenceRegion {
    /// The region within `margin` of the reference.
    #[must_use]
    pub const fn symmetric(reference: f64, margin: f64) -> Self {
        Self { reference, below: margin, above: margin }
    }
}

/// The result of two one-sided tests of equivalence.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Equivalence {
    /// The estimate.
    pub estimate: f64,
    /// P value of the hypothesis that the mean is at or below the lower end of the region.
    pub lower_p: f64,
    /// P value of the hypothesis that the mean is at or above the upper end of the region.
    pub upper_p: f64,
    /// P value of the hypothesis that the mean is outside the region: the larger of the two.
    pub p: f64,
    /// Whether equivalence is shown at the requested α.
    pub shown: bool,
    /// The interval of the mean at the level 1 - 2α; equivalence is shown where the region contains it.
    pub interval: IntervalEstimate,
    /// The margin above which a symmetric region would be shown to contain the mean at the requested α.
    pub smallest_margin: f64,
}

/// Tests whether a mean lies within a region around a reference (two one-sided tests, TOST).
///
/// # Method
///
/// Schuirmann (1987), "A comparison of the two one-sided tests procedure and the power approach for
/// assessing the equivalence of average bioavailability": both hypotheses, that the mean is at or below
/// reference - below and that it is at or above reference + above, are tested at α. Their p value is the
/// larger of the two; it is at most α just where the 1 - 2α interval lies within the region. No adjustment
/// for the two tests is needed, as both have to reject.
///
/// # Errors
///
/// [`StatError::Parameter`] for a reference or a margin that is not finite, a margin that is not positive,
/// or an α outside 0..1/2.
///
/// # Examples
///
/// A fooling rate of 0.48 with a standard error of 0.012 from 30 raters is near 0.5 within 0.05:
///
/// ```
/// use hype_stats::equivalence::{EquivalenceRegion, StudentEstimate, equivalence};
/// let rate = StudentEstimate::new(0.48, 0.012, 29.0)?;
/// let found = equivalence(&rate, EquivalenceRegion::symmetric(0.5, 0.05), 0.05)?;
/// assert!(found.shown && found.p < 0.02);
/// assert!((found.smallest_margin - 0.0404).abs() < 1e-4);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn equivalence(
    evidence: &impl MeanEvidence,
    region: EquivalenceRegion,
    alpha: f64,
) -> Result<Equivalence, StatError> {
    check_alpha(alpha)?;
    let reference = check_finite("reference", region.reference)?;
    let lower_p = evidence.p_at_most(reference - check_margin(region.below)?)?;
    let upper_p = evidence.p_at_least(reference + check_margin(region.above)?)?;
    let interval = evidence.interval(1.0 - 2.0 * alpha)?;
    let p = lower_p.max(upper_p);
    Ok(Equivalence {
        estimate: evidence.estimate(),
        lower_p,
        upper_p,
        p,
        shown: p <= alpha,
        interval,
        smallest_margin: margin_of(&interval, reference),
    })
}

/// Computes the margin above which a symmetric region around the reference would be shown to contain the
/// mean at `alpha`: the farther end of the 1 - 2α interval.
///
/// It says what the data support where no margin was declared in advance. A margin chosen after looking at
/// it has no error rate.
///
/// # Errors
///
/// [`StatError::Parameter`] for a reference that is not finite or an α outside 0..1/2.
pub fn smallest_margin(evidence: &impl MeanEvidence, reference: f64, alpha: f64) -> Result<f64, StatError> {
    check_alpha(alpha)?;
    let interval = evidence.interval(1.0 - 2.0 * alpha)?;
    Ok(margin_of(&interval, check_finite("reference", reference)?))
}

/// The direction in which a measure improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a measure has no third direction")]
pub enum Better {
    /// Larger values are better.
    Higher,
    /// Smaller values are better.
    Lower,
}

/// The result of a test of non-inferiority.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct NonInferiority {
    /// The estimate.
    pub estimate: f64,
    /// P value of the hypothesis that the mean is worse than the reference by the margin or more.
    pub p: f64,
    /// Whether non-inferiority is shown at the requested α.
    pub shown: bool,
    /// The one-sided bound of the mean on its worse side, at the level 1 - α.
    pub bound: f64,
    /// The margin above which non-inferiority would be shown; at most 0 where the mean is shown to be
    /// better than the reference.
    pub smallest_margin: f64,
}

/// Tests whether a mean is worse than a reference by less than a margin.
///
/// With a difference of two models and the reference 0, whether the first is not inferior to the second.
///
/// # Method
///
/// One one-sided test at α, the half of [`equivalence`] on the worse side; its bound is the worse end of
/// the 1 - 2α interval.
///
/// # Errors
///
/// As [`equivalence`].
pub fn non_inferiority(
    evidence: &impl MeanEvidence,
    reference: f64,
    margin: f64,
    better: Better,
    alpha: f64,
) -> Result<NonInferiority, StatError> {
    check_alpha(alpha)?;
    check_finite("reference", reference)?;
    check_margin(margin)?;
    let interval = evidence.interval(1.0 - 2.0 * alpha)?;
    let (p, bound, smallest_margin) = match better {
        Better::Higher => {
            (evidence.p_at_most(reference - margin)?, interval.lower, reference - interval.lower)
        }
        Better::Lower => {
            (evidence.p_at_least(reference + margin)?, interval.upper, interval.upper - reference)
        }
    };
    Ok(NonInferiority { estimate: evidence.estimate(), p, shown: p <= alpha, bound, smallest_margin })
}

fn margin_of(interval: &IntervalEstimate, reference: f64) -> f64 {
    (reference - interval.lower).max(interval.upper - reference)
}

fn check_alpha(alpha: f64) -> Result<(), StatError> {
    if alpha > 0.0 && alpha < 0.5 {
        Ok(())
    } else {
        Err(StatError::Parameter { parameter: "alpha", expected: "above 0 and below 1/2", got: alpha })
    }
}

fn check_margin(margin: f64) -> Result<f64, StatError> {
    if margin > 0.0 && margin.is_finite() {
        Ok(margin)
    } else {
        Err(StatError::Parameter { parameter: "margin", expected: "positive and finite", got: margin })
    }
}

#[cfg(test)]
mod tests;
