//! Distributions of test statistics, with tails that keep their relative precision.
//!
//! Every survival function is computed directly and never as 1 minus the distribution function: a p value of
//! 1e-80 has as many correct digits as one of 0.05. A NaN argument gives NaN.
//!
//! # Numerics
//!
//! Incomplete beta and gamma functions are computed here because those of available crates subtract from 1 in the
//! tail and use differences of ln Γ for large parameters. The only error function of the workspace is the erfc of
//! `libm` behind [`normal_cdf`]; that of `statrs` is right to ten digits only. Relative error of both tails is about
//! 1e-13 while the probability is above 1e-300.

mod noncentral;
mod normal;
mod root;
mod scale;
mod special;

pub use noncentral::NoncentralT;
pub use normal::{
    folded_normal_quantile, normal_cdf, normal_density, normal_quantile, normal_sf, normal_upper_quantile,
    widening_for_bias,
};
pub(crate) use root::increasing_root;
pub(crate) use scale::Scale;
pub(crate) use special::{Rising, beta_factor, digamma_rising, incomplete_gamma, ln_rising, stirling_error};
use special::{Tails, incomplete_beta};

use crate::StatError;

/// Refuses a value that is not a probability.
pub(crate) fn check_probability(probability: f64) -> Result<(), StatError> {
    if (0.0..=1.0).contains(&probability) {
        Ok(())
    } else {
        Err(StatError::Parameter { parameter: "probability", expected: "between 0 and 1", got: probability })
    }
}

/// Refuses a confidence level that is not strictly between 0 and 1.
pub(crate) fn check_level(level: f64) -> Result<(), StatError> {
    if level > 0.0 && level < 1.0 {
        Ok(())
    } else {
        Err(StatError::Parameter { parameter: "level", expected: "above 0 and below 1", got: level })
    }
}

fn check_positive(parameter: &'static str, value: f64) -> Result<f64, StatError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(StatError::Parameter { parameter, expected: "positive and finite", got: value })
    }
}

const fn nan_tails() -> Tails {
    Tails { lower: f64::NAN, upper: f64::NAN }
}

/// The side of a distribution on which a probability is given.
#[derive(Debug, Clone, Copy)]
enum Side {
    Lower,
    Upper,
}

/// The function whose zero a quantile search finds: the difference of the smaller tails on a log scale.
fn distance(tails: Tails, probability: f64, side: Side) -> f64 {
    let (own, other, sign) = match side {
        Side::Lower => (tails.lower, tails.upper, 1.0),
        Side::Upper => (tails.upper, tails.lower, -1.0),
    };
    if probability <= 0.5 {
        sign * (own.ln() - probability.ln())
    } else {
        sign * ((1.0 - probability).ln() - other.ln())
    }
}

/// A beta distribution on 0..=1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beta {
    a: f64,
    b: f64,
}

impl Beta {
    /// Makes the distribution with density proportional to x^(a - 1) (1 - x)^(b - 1).
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] unless both shapes are positive and finite.
    pub fn new(a: f64, b: f64) -> Result<Self, StatError> {
        Ok(Self { a: check_positive("shape a", a)?, b: check_positive("shape b", b)? })
    }

    fn tails(&self, x: f64) -> Tails {
        if x.is_nan() {
            return nan_tails();
        }
        incomplete_beta(self.a, self.b, x, 1.0 - x)
    }

    /// Computes P(X ≤ x).
    #[must_use]
    pub fn cdf(&self, x: f64) -> f64 {
        self.tails(x).lower
    }

    /// Computes P(X > x).
    #[must_use]
    pub fn sf(&self, x: f64) -> f64 {
        self.tails(x).upper
    }

    /// Finds x with P(X ≤ x) = `probability`.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a probability outside 0..=1.
    pub fn quantile(&self, probability: f64) -> Result<f64, StatError> {
        self.log_odds(probability, Side::Lower).map(|log_odds| (1.0 + (-log_odds).exp()).recip())
    }

    /// Finds x with P(X > x) = `probability`.
    ///
    /// # Errors
    ///
    /// As [`Beta::quantile`].
    pub fn upper_quantile(&self, probability: f64) -> Result<f64, StatError> {
        self.log_odds(probability, Side::Upper).map(|log_odds| (1.0 + (-log_odds).exp()).recip())
    }

    /// ln(x / (1 - x)) at a quantile: on this scale both ends of the range keep their digits.
    fn log_odds(&self, probability: f64, side: Side) -> Result<f64, StatError> {
        check_probability(probability)?;
        let (low, high) = match side {
            Side::Lower => (f64::NEG_INFINITY, f64::INFINITY),
            Side::Upper => (f64::INFINITY, f64::NEG_INFINITY),
        };
        if probability <= 0.0 {
            return Ok(low);
        }
        if probability >= 1.0 {
            return Ok(high);
        }
        let spread = (self.a.recip() + self.b.recip()).sqrt();
        let root = increasing_root((self.a / self.b).ln(), spread, |log_odds| {
            let x = (1.0 + (-log_odds).exp()).recip();
            let y = (1.0 + log_odds.exp()).recip();
            distance(incomplete_beta(self.a, self.b, x, y), probability, side)
        });
        root.ok_or(StatError::NoConvergence { statistic: "beta quantile", iterations: 200 })
    }
}

/// A chi-squared distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChiSquared {
    degrees_of_freedom: f64,
}

impl ChiSquared {
    /// Makes the distribution of a sum of `degrees_of_freedom` squared standard normals.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] unless the degrees of freedom are positive and finite.
    pub fn new(degrees_of_freedom: f64) -> Result<Self, StatError> {
        Ok(Self { degrees_of_freedom: check_positive("degrees of freedom", degrees_of_freedom)? })
    }

    fn tails(&self, x: f64) -> Tails {
        if x.is_nan() {
            return nan_tails();
        }
        incomplete_gamma(0.5 * self.degrees_of_freedom, 0.5 * x)
    }

    /// Computes P(X ≤ x).
    #[must_use]
    pub fn cdf(&self, x: f64) -> f64 {
        self.tails(x).lower
    }

    /// Computes P(X > x).
    #[must_use]
    pub fn sf(&self, x: f64) -> f64 {
        self.tails(x).upper
    }

    /// Finds x with P(X ≤ x) = `probability`.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a probability outside 0..=1.
    pub fn quantile(&self, probability: f64) -> Result<f64, StatError> {
        self.solve(probability, Side::Lower)
    }

    /// Finds x with P(X > x) = `probability`.
    ///
    /// # Errors
    ///
    /// As [`ChiSquared::quantile`].
    pub fn upper_quantile(&self, probability: f64) -> Result<f64, StatError> {
        self.solve(probability, Side::Upper)
    }

    fn solve(&self, probability: f64, side: Side) -> Result<f64, StatError> {
        check_probability(probability)?;
        let (at_zero, at_one) = match side {
            Side::Lower => (0.0, f64::INFINITY),
            Side::Upper => (f64::INFINITY, 0.0),
        };
        if probability <= 0.0 {
            return Ok(at_zero);
        }
        if probability >= 1.0 {
            return Ok(at_one);
        }
        let spread = (2.0 / self.degrees_of_freedom).sqrt();
        let root = increasing_root(self.degrees_of_freedom.ln(), spread, |log| {
            distance(self.tails(log.exp()), probability, side)
        });
        root.map(f64::exp)
            .ok_or(StatError::NoConvergence { statistic: "chi-squared quantile", iterations: 200 })
    }
}

/// Fisher's F distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FisherF {
    numerator: f64,
    denominator: f64,
}

impl FisherF {
    /// Makes the distribution of a ratio of two mean squares.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] unless both degrees of freedom are positive and finite.
    pub fn new(numerator: f64, denominator: f64) -> Result<Self, StatError> {
        Ok(Self {
            numerator: check_positive("numerator degrees of freedom", numerator)?,
            denominator: check_positive("denominator degrees of freedom", denominator)?,
        })
    }

    fn tails(&self, f: f64) -> Tails {
        if f.is_nan() {
            return nan_tails();
        }
        let (a, b) = (0.5 * self.numerator, 0.5 * self.denominator);
        if f <= 0.0 {
            return incomplete_beta(a, b, 0.0, 1.0);
        }
        let ratio = f * (self.numerator / self.denominator);
        incomplete_beta(a, b, (1.0 + ratio.recip()).recip(), (1.0 + ratio).recip())
    }

    /// Computes P(F ≤ f).
    #[must_use]
    pub fn cdf(&self, f: f64) -> f64 {
        self.tails(f).lower
    }

    /// Computes P(F > f).
    ///
    /// # Examples
    ///
    /// ```
    /// # use hype_stats::distributions::FisherF;
    /// let p = FisherF::new(2.0, 87.0)?.sf(4.289251007164344);
    /// assert!((p / 0.016726995331323914 - 1.0).abs() < 1e-12);
    /// # Ok::<(), hype_stats::StatError>(())
    /// ```
    #[must_use]
    pub fn sf(&self, f: f64) -> f64 {
        self.tails(f).upper
    }

    /// Finds f with P(F ≤ f) = `probability`.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a probability outside 0..=1.
    pub fn quantile(&self, probability: f64) -> Result<f64, StatError> {
        self.solve(probability, Side::Lower)
    }

    /// Finds f with P(F > f) = `probability`.
    ///
    /// # Errors
    ///
    /// As [`FisherF::quantile`].
    pub fn upper_quantile(&self, probability: f64) -> Result<f64, StatError> {
        self.solve(probability, Side::Upper)
    }

    fn solve(&self, probability: f64, side: Side) -> Result<f64, StatError> {
        let beta = Beta { a: 0.5 * self.numerator, b: 0.5 * self.denominator };
        beta.log_odds(probability, side).map(|log_odds| log_odds.exp() * (self.denominator / self.numerator))
    }
}

/// Student's t distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudentT {
    degrees_of_freedom: f64,
}

impl StudentT {
    /// Makes the distribution; infinite degrees of freedom are the standard normal.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] unless the degrees of freedom are positive.
    pub fn new(degrees_of_freedom: f64) -> Result<Self, StatError> {
        if degrees_of_freedom > 0.0 {
            Ok(Self { degrees_of_freedom })
        } else {
            Err(StatError::Parameter {
                parameter: "degrees of freedom",
                expected: "positive",
                got: degrees_of_freedom,
            })
        }
    }

    /// From here on the normal distribution agrees to 1e-13 wherever the tail is a double.
    fn is_normal(&self) -> bool {
        self.degrees_of_freedom > 1e18
    }

    /// P(|T| > |t|) and its complement.
    fn two_sided_tails(&self, t: f64) -> Tails {
        let ratio = t * (t / self.degrees_of_freedom);
        incomplete_beta(
            0.5,
            0.5 * self.degrees_of_freedom,
            (1.0 + ratio.recip()).recip(),
            (1.0 + ratio).recip(),
        )
    }

    /// Computes P(|T| > |t|), the two-sided p value.
    #[must_use]
    pub fn two_sided(&self, t: f64) -> f64 {
        if t.is_nan() {
            f64::NAN
        } else if self.is_normal() {
            2.0 * normal_sf(t.abs())
        } else {
            self.two_sided_tails(t).upper
        }
    }

    /// Computes P(T ≤ t).
    #[must_use]
    pub fn cdf(&self, t: f64) -> f64 {
        self.sf(-t)
    }

    /// Computes P(T > t).
    #[must_use]
    pub fn sf(&self, t: f64) -> f64 {
        let half = 0.5 * self.two_sided(t);
        if t < 0.0 { 1.0 - half } else { half }
    }

    /// Finds t with P(T ≤ t) = `probability`.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a probability outside 0..=1.
    pub fn quantile(&self, probability: f64) -> Result<f64, StatError> {
        if self.is_normal() {
            return normal_quantile(probability);
        }
        check_probability(probability)?;
        let tail = probability.min(1.0 - probability);
        let beta = Beta { a: 0.5, b: 0.5 * self.degrees_of_freedom };
        let log_odds = beta.log_odds(2.0 * tail, Side::Upper)?;
        let magnitude = (0.5 * log_odds).exp() * self.degrees_of_freedom.sqrt();
        Ok(if probability < 0.5 { -magnitude } else { magnitude })
    }

    /// Finds t with P(T > t) = `probability`.
    ///
    /// # Errors
    ///
    /// As [`StudentT::quantile`].
    pub fn upper_quantile(&self, probability: f64) -> Result<f64, StatError> {
        self.quantile(probability).map(|t| 0.0 - t)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, clippy::excessive_precision, reason = "tests")]
mod tests;
