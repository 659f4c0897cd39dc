//! Generalizability theory for one facet: how reliable a mean over raters is.

use crate::StatError;

/// The reliability of a mean over raters.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DecisionStudy {
    /// Number of raters that the mean is over.
    pub raters: usize,
    /// Variance of the objects themselves, the universe score variance.
    pub object_variance: f64,
    /// Error variance σ²(δ) of comparing objects that the same raters judged.
    pub relative_error_variance: f64,
    /// Error variance σ²(Δ) of the values themselves, or of objects that different raters judged.
    pub absolute_error_variance: f64,
    /// The generalizability coefficient Eρ² of relative decisions.
    pub generalizability: f64,
    /// The index of dependability Φ of absolute decisions.
    pub dependability: f64,
}

/// Which reliability to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReliabilityCoefficient {
    /// Eρ², where the same raters judge all objects.
    Generalizability,
    /// Φ, where absolute values matter or raters differ.
    Dependability,
}

fn check_variances(object: f64, rater: f64, residual: f64) -> Result<(), StatError> {
    for (parameter, got) in
        [("variance of objects", object), ("variance of raters", rater), ("residual variance", residual)]
    {
        if !(got >= 0.0 && got.is_finite()) {
            return Err(StatError::Parameter { parameter, expected: "finite and not negative", got });
        }
    }
    let total = object + rater + residual;
    if total <= 0.0 || total.is_infinite() {
        return Err(StatError::Degenerate {
            statistic: "generalizability",
            reason: "the variances add up to zero or exceed double precision",
        });
    }
    Ok(())
}

/// Reliability of the mean over `raters` raters who judge all objects.
///
/// # Method
///
/// Brennan (2001), 2.3, for objects crossed with raters: σ²(δ) = σ²_e / n, σ²(Δ) = (σ²_r + σ²_e) / n,
/// Eρ² = σ²_o / (σ²_o + σ²(δ)), Φ = σ²_o / (σ²_o + σ²(Δ)). For one rater Φ and Eρ² are ICC(2,1) and
/// ICC(3,1) of Shrout and Fleiss (1979), for n raters ICC(2,n) and ICC(3,n).
///
/// # Errors
///
/// [`StatError::Parameter`] for a variance that is negative or not finite, [`StatError::TooFew`] for no
/// rater, and [`StatError::Degenerate`] if all variances are zero.
///
/// # Examples
///
/// ```
/// # use hype_stats::components::generalizability;
/// let study = generalizability(1.0, 0.5, 1.5, 3)?;
/// assert!((study.generalizability - 1.0 / 1.5).abs() < 1e-15);
/// assert!((study.dependability - 0.6).abs() < 1e-15);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn generalizability(
    object: f64,
    rater: f64,
    residual: f64,
    raters: usize,
) -> Result<DecisionStudy, StatError> {
    check_variances(object, rater, residual)?;
    if raters == 0 {
        return Err(StatError::TooFew { statistic: "generalizability", needed: 1, of: "raters", got: 0 });
    }
    let count = raters as f64;
    let (relative, absolute) = (residual / count, (rater + residual) / count);
    let share = |error: f64| {
        let total = object + error;
        // Without variance of objects there is no reliability, even if raters agree.
        if total > 0.0 { object / total } else { 0.0 }
    };
    Ok(DecisionStudy {
        raters,
        object_variance: object,
        relative_error_variance: relative,
        absolute_error_variance: absolute,
        generalizability: share(relative),
        dependability: share(absolute),
    })
}

/// Minimum number of raters whose mean reaches a reliability.
///
/// # Method
///
/// Brennan (2001), 2.3 solved for n: ρ / (1 - ρ) times the error variance of one rater over that of
/// objects, rounded up.
///
/// # Errors
///
/// As [`generalizability`], [`StatError::Parameter`] for a reliability that is not above 0 and below 1,
/// and [`StatError::Degenerate`] if objects do not vary, so no number is enough.
///
/// # Examples
///
/// ```
/// # use hype_stats::components::{ReliabilityCoefficient, raters_needed};
/// assert_eq!(raters_needed(1.0, 0.5, 1.5, 0.8, ReliabilityCoefficient::Generalizability)?, 6);
/// assert_eq!(raters_needed(1.0, 0.5, 1.5, 0.8, ReliabilityCoefficient::Dependability)?, 8);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn raters_needed(
    object: f64,
    rater: f64,
    residual: f64,
    reliability: f64,
    coefficient: ReliabilityCoefficient,
) -> Result<usize, StatError> {
    check_variances(object, rater, residual)?;
    if !(reliability > 0.0 && reliability < 1.0) {
        return Err(StatError::Parameter {
            parameter: "reliability",
            expected: "above 0 and below 1",
            got: reliability,
        });
    }
    let error = match coefficient {
        ReliabilityCoefficient::Generalizability => residual,
        ReliabilityCoefficient::Dependability => rater + residual,
    };
    let exact = reliability / (1.0 - reliability) * (error / object);
    if exact.is_nan() || exact >= 1e15 {
        return Err(StatError::Degenerate {
            statistic: "number of raters",
            reason: "objects do not vary, and no number is enough",
        });
    }
    // Rounding must not add a rater if the number is whole.
    Ok((exact * (1.0 - 1e-12)).ceil().max(1.0) as usize)
}
