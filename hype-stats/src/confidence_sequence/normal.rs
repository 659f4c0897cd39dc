//! The mixture of normal likelihood ratios.

use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::describe::Moments;
use crate::distributions::check_level;

/// An asymptotic confidence sequence of a mean.
///
/// # Method
///
/// x̄ ± s √(2 (nρ² + 1) / (n²ρ²) · ln(√(nρ² + 1) / α)) after n values (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
/// 2024, "Time-uniform central limit theory and asymptotic confidence sequences"). ρ² = (-2 ln α + ln(1 - 2 ln α)) / n*
/// makes it narrowest near n* values. Start at 20 values or so, as the standard deviation is taken as known.
///
/// # Examples
///
/// ```
/// # use hype_stats::confidence_sequence::NormalMixture;
/// # use hype_stats::describe::Moments;
/// let sequence = NormalMixture::new(30.0, 0.95)?;
/// let mut raters = Moments::new();
/// for score in (0..24).map(|place| f64::from(place % 5)) {
///     raters.push(score);
/// }
/// let interval = sequence.interval(&raters)?;
/// assert!(interval.lower < 1.9 && interval.upper > 2.0);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalMixture {
    rho_squared: f64,
    level: f64,
}

impl NormalMixture {
    /// Makes the sequence that is narrowest near `count` values.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a count that is not positive and finite or a level outside 0..1.
    pub fn new(count: f64, level: f64) -> Result<Self, StatError> {
        check_level(level)?;
        if !(count > 0.0 && count.is_finite()) {
            return Err(StatError::Parameter {
                parameter: "number of values",
                expected: "positive and finite",
                got: count,
            });
        }
        let log = -2.0 * (1.0 - level).ln();
        Ok(Self { rho_squared: (log + log.ln_1p()) / count, level })
    }

    /// The standard deviation ρ of the mixture, in standard deviations of the values.
    #[must_use]
    pub fn rho(&self) -> f64 {
        self.rho_squared.sqrt()
    }

    /// Half the width after `count` values, in their standard deviations; infinite without values.
    #[must_use]
    pub fn half_width(&self, count: u64) -> f64 {
        if count == 0 {
            return f64::INFINITY;
        }
        let n = count as f64;
        let information = n * self.rho_squared;
        let log = 0.5 * information.ln_1p() - (1.0 - self.level).ln();
        (2.0 * (information + 1.0) / (n * information) * log).sqrt()
    }

    /// Computes the interval after the values so far.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for fewer than two values, [`StatError::Degenerate`] for values that are equal or not
    /// finite: their spread says nothing.
    pub fn interval(&self, values: &Moments) -> Result<IntervalEstimate, StatError> {
        let (mean, deviation) = (values.mean()?, values.standard_deviation()?);
        if deviation <= 0.0 {
            return Err(StatError::Degenerate {
                statistic: "confidence sequence of a mean",
                reason: "the values are constant",
            });
        }
        let margin = deviation * self.half_width(values.count());
        Ok(IntervalEstimate { lower: mean - margin, upper: mean + margin, level: self.level })
    }
}
