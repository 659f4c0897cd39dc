//! The noncentral t distribution, on which the power of tests of means rests.

use super::{Scale, normal_cdf, normal_sf};
use crate::StatError;

/// From here on the error variance counts as known: the tails differ by less than 1e-10 of them where they matter.
const KNOWN_VARIANCE: f64 = 1e14;

/// Terms below this share of a sum are omitted.
const NEGLIGIBLE: f64 = 1e-17;

/// The requested tail of a distribution.
#[derive(Debug, Clone, Copy)]
enum Tail {
    Lower,
    Upper,
}

/// The noncentral t distribution: that of (Z + δ) / √(χ²_ν / ν) for a standard normal Z.
///
/// A t statistic has it where the true difference is δ standard errors.
///
/// # Method
///
/// With f the density of u = ln √(χ²_ν / ν), P(T > t) = ∫ f(u) Φ(δ - t eᵘ) du and
/// P(T ≤ t) = ∫ f(u) Φ(t eᵘ - δ) du.
///
/// # Numerics
///
/// The integrands are analytic and positive and have one maximum, so the trapezoidal rule converges
/// exponentially and each tail keeps its relative precision, about 1e-12. The series of Lenth (1989, AS 243) loses
/// it in the tails, and underflows where δ exceeds 37.
///
/// # Examples
///
/// ```
/// # use hype_stats::distributions::{NoncentralT, StudentT};
/// let critical = StudentT::new(126.0)?.upper_quantile(0.025)?;
/// let expected = NoncentralT::new(126.0, 0.5 * 32.0_f64.sqrt())?;
/// let power = expected.sf(critical) + expected.cdf(-critical);
/// assert!((power - 0.801460).abs() < 1e-6);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoncentralT {
    degrees_of_freedom: f64,
    noncentrality: f64,
}

impl NoncentralT {
    /// Makes the distribution; infinite degrees of freedom are the normal distribution around the noncentrality.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] unless the degrees of freedom are positive and the noncentrality is at most 1e6 in
    /// magnitude.
    pub fn new(degrees_of_freedom: f64, noncentrality: f64) -> Result<Self, StatError> {
        if degrees_of_freedom.is_nan() || degrees_of_freedom <= 0.0 {
            return Err(StatError::Parameter {
                parameter: "degrees of freedom",
                expected: "positive",
                got: degrees_of_freedom,
            });
        }
        if !(-1e6..=1e6).contains(&noncentrality) {
            return Err(StatError::Parameter {
                parameter: "noncentrality",
                expected: "between -1e6 and 1e6",
                got: noncentrality,
            });
        }
        Ok(Self { degrees_of_freedom, noncentrality })
    }

    /// Computes P(T ≤ t).
    #[must_use]
    pub fn cdf(&self, t: f64) -> f64 {
        self.tail(t, Tail::Lower)
    }

    /// Computes P(T > t).
    #[must_use]
    pub fn sf(&self, t: f64) -> f64 {
        self.tail(t, Tail::Upper)
    }

    fn tail(&self, t: f64, tail: Tail) -> f64 {
        if t.is_nan() {
            return f64::NAN;
        }
        if t < 0.0 {
            // -T has the noncentrality -δ.
            let mirrored = Self { noncentrality: -self.noncentrality, ..*self };
            return match tail {
                Tail::Lower => mirrored.tail(-t, Tail::Upper),
                Tail::Upper => mirrored.tail(-t, Tail::Lower),
            };
        }
        let deviate = |scaled: f64| match tail {
            Tail::Lower => normal_cdf(scaled - self.noncentrality),
            Tail::Upper => normal_sf(scaled - self.noncentrality),
        };
        if t.is_infinite() || self.degrees_of_freedom >= KNOWN_VARIANCE {
            return deviate(t);
        }
        self.average(t, tail, deviate).min(1.0)
    }

    /// The average of `deviate(t s)` over the scale s, for t ≥ 0.
    fn average(&self, t: f64, tail: Tail, deviate: impl Fn(f64) -> f64) -> f64 {
        let (degrees, shift) = (self.degrees_of_freedom, self.noncentrality);
        // The maximum of the integrand where Φ has its normal tail, without which it lies at 1.
        let product = t * shift;
        let square = degrees + t * t;
        let root = (product.hypot(2.0 * (degrees * square).sqrt())).max(f64::MIN_POSITIVE);
        let tangent =
            if product > 0.0 { (product + root) / (2.0 * square) } else { 2.0 * degrees / (root - product) };
        let in_tail = match tail {
            Tail::Lower => t * tangent < shift,
            Tail::Upper => t * tangent > shift,
        };
        let peak = if in_tail { tangent } else { 1.0 };
        // The width of the integrand in u: ν from the scale, δ t s / 2 from Φ, which is δ² / 2 where Φ is steepest.
        let curvature = degrees + 0.5 * (product.abs() * tangent).max(shift * shift);
        let scale = Scale::new(degrees, 0.5 / (curvature + 12.0).sqrt());
        let term = |index: i64| {
            let u = index as f64 * scale.step;
            scale.weight(u) * deviate(t * u.exp())
        };
        let start = (peak.ln() / scale.step).round() as i64;
        let mut total = 0.0;
        for index in start.. {
            let next = term(index);
            total += next;
            if next <= NEGLIGIBLE * total {
                break;
            }
        }
        for index in (i64::MIN..start).rev() {
            let next = term(index);
            total += next;
            let s = (index as f64 * scale.step).exp();
            if next <= NEGLIGIBLE * total {
                break;
            }
            if t * s * shift.abs().max(1.0) < NEGLIGIBLE && scale.half * s * s < NEGLIGIBLE {
                total += scale.rest_below(next);
                break;
            }
        }
        total
    }
}
