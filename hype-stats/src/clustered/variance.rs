//! The variance of one estimate, and what follows from it.

use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::distributions::{StudentT, check_level};

/// A part of a variance with its degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    pub(super) variance: f64,
    pub(super) degrees_of_freedom: f64,
}

/// The variance of an estimate, with the parts that come from raters and from items.
///
/// # Method
///
/// Where only raters vary, the variance is V_R, the sum of the squares of the raters' contributions times R / (R - 1)
/// (CR1; Liang and Zeger 1986), and intervals and tests use Student's t with R - 1 degrees of freedom. Likewise for items.
///
/// Where raters weigh differently, as those who gave 4 and 200 answers, the degrees of freedom are (Σ v)² / Σ v² - 1, with v
/// the expected variance of a rater's contribution: p σ² + p² τ² for the share p of the responses, where σ² and τ² follow
/// from the squares of single responses, or the information, and those of raters. Raters of equal shares have R - 1.
///
/// Where both vary, the noise of single responses is a part of V_R and of V_I. With V_E its share, the variance is the
/// largest of V_R + V_I - V_E, V_R and V_I. For a complete table with one response in each cell the first is
/// (MS_R + MS_I - MS_E) / (R I), the estimator of the analysis of variance with random raters and items.
///
/// The margin of an interval is √(t_R² V_R + t_I² (V_I - V_E)) or √(t_I² V_I + t_R² (V_R - V_E)), whichever is greater,
/// with the quantiles of Student's t for the degrees of freedom of each part and negative differences as 0 (Banerjee 1960,
/// for sums of variances that are estimated with different degrees of freedom). His margins cover at least as often as
/// stated; unlike Satterthwaite's they do so with three raters as well. The p value is the level at which the interval
/// touches zero.
///
/// Where the raters of two compared estimates are different people, the part of raters has the degrees of freedom of
/// Welch and Satterthwaite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusteredVariance {
    pub(super) raters: Option<Part>,
    pub(super) items: Option<Part>,
    /// The share of single responses, in both parts; 0 unless both vary.
    pub(super) responses: f64,
}

impl ClusteredVariance {
    /// The variance of an estimate whose standard error and degrees of freedom are known.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a standard error that is not a finite number of at least 0, or degrees of freedom that
    /// are not positive.
    pub fn of_error(standard_error: f64, degrees_of_freedom: f64) -> Result<Self, StatError> {
        if !(standard_error >= 0.0 && standard_error.is_finite()) {
            return Err(StatError::Parameter {
                parameter: "standard error",
                expected: "finite and at least 0",
                got: standard_error,
            });
        }
        StudentT::new(degrees_of_freedom)?;
        let part = Part { variance: standard_error * standard_error, degrees_of_freedom };
        Ok(Self { raters: Some(part), items: None, responses: 0.0 })
    }

    /// Raises the variance to at least `least`, such as that of independent responses; where raters and items vary, the part
    /// of raters.
    ///
    /// The sums of few raters over few responses of two or three kinds are nearly equal now and then by chance alone, which
    /// normal values hardly ever are, so Student's t with few degrees of freedom does not allow for it.
    ///
    /// # Examples
    ///
    /// ```
    /// use hype_stats::clustered::ClusteredVariance;
    /// let variance = ClusteredVariance::of_error(0.001, 2.0)?;
    /// assert_eq!(variance.at_least(0.25).standard_error(), 0.5);
    /// assert_eq!(variance.at_least(1e-9), variance);
    /// # Ok::<(), hype_stats::StatError>(())
    /// ```
    #[must_use]
    pub fn at_least(mut self, least: f64) -> Self {
        if let Some(part) = self.raters.as_mut().or(self.items.as_mut()) {
            part.variance = part.variance.max(least);
        }
        self
    }

    /// The variance of the estimate.
    #[must_use]
    pub fn variance(&self) -> f64 {
        match (self.raters, self.items) {
            (Some(raters), Some(items)) => {
                let all = raters.variance + items.variance - self.responses;
                all.max(raters.variance).max(items.variance)
            }
            (Some(one), None) | (None, Some(one)) => one.variance,
            (None, None) => f64::NAN,
        }
    }

    /// The root of the variance.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        self.variance().sqrt()
    }

    /// Degrees of freedom of the parts: of raters, of items, or of raters and then of items.
    #[must_use]
    pub fn degrees_of_freedom(&self) -> Vec<f64> {
        self.raters.iter().chain(&self.items).map(|part| part.degrees_of_freedom).collect()
    }

    /// Whether all contributions were equal, in which case the variance says nothing.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        let variance = self.variance();
        variance.is_nan() || variance <= 0.0
    }

    /// Half the width of an interval with two limits.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a level outside 0..1.
    pub fn margin(&self, level: f64) -> Result<f64, StatError> {
        check_level(level)?;
        self.margin_at(0.5 * (1.0 - level))
    }

    /// The margin with this probability in each tail.
    fn margin_at(&self, tail: f64) -> Result<f64, StatError> {
        let squared = |part: Part, variance: f64| -> Result<f64, StatError> {
            let quantile = StudentT::new(part.degrees_of_freedom)?.upper_quantile(tail)?;
            Ok(quantile * quantile * variance)
        };
        match (self.raters, self.items) {
            (Some(raters), Some(items)) => {
                let excess = |part: Part| (part.variance - self.responses).max(0.0);
                let of_raters = squared(raters, raters.variance)? + squared(items, excess(items))?;
                let of_items = squared(items, items.variance)? + squared(raters, excess(raters))?;
                Ok(of_raters.max(of_items).sqrt())
            }
            (Some(one), None) | (None, Some(one)) => Ok(squared(one, one.variance)?.sqrt()),
            (None, None) => Ok(f64::NAN),
        }
    }

    /// The interval of an estimate.
    ///
    /// # Errors
    ///
    /// As [`Self::margin`].
    pub fn interval(&self, estimate: f64, level: f64) -> Result<IntervalEstimate, StatError> {
        let margin = self.margin(level)?;
        Ok(IntervalEstimate { lower: estimate - margin, upper: estimate + margin, level })
    }

    /// The two-sided p value of an estimate against zero.
    ///
    /// # Errors
    ///
    /// [`StatError::Degenerate`] if the variance is zero.
    pub fn p(&self, estimate: f64) -> Result<f64, StatError> {
        if self.is_zero() {
            return Err(StatError::Degenerate {
                statistic: "test of a clustered estimate",
                reason: "the contributions of all raters or items are equal",
            });
        }
        let (raters, items) = match (self.raters, self.items) {
            (Some(raters), Some(items)) => (raters, items),
            (Some(one), None) | (None, Some(one)) => {
                return Ok(StudentT::new(one.degrees_of_freedom)?.two_sided(estimate / one.variance.sqrt()));
            }
            (None, None) => return Ok(f64::NAN),
        };
        // The margin is at least that of each part alone and at most that of the sum of both with the fewer degrees of
        // freedom, which brackets the level at which it equals the estimate.
        let two_sided = |df: f64, variance: f64| -> Result<f64, StatError> {
            Ok(StudentT::new(df)?.two_sided(estimate / variance.sqrt()))
        };
        let fewest = raters.degrees_of_freedom.min(items.degrees_of_freedom);
        let most = raters.degrees_of_freedom.max(items.degrees_of_freedom);
        let mut low = two_sided(most, self.variance())?.max(f64::MIN_POSITIVE).ln();
        let mut high = two_sided(fewest, raters.variance + items.variance)?.max(f64::MIN_POSITIVE).ln();
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.margin_at(0.5 * middle.exp())? > estimate.abs() {
                low = middle;
            } else {
                high = middle;
            }
            if high - low < 1e-13 {
                break;
            }
        }
        Ok((0.5 * (low + high)).exp().min(1.0))
    }
}
