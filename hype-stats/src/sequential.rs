//! Group-sequential tests: looks at a study while it runs, at a declared level.
//!
//! A study that is tested at each of twelve looks at the level 0.05 finds a difference that is not there in one of
//! five cases. Boundaries that spend the level over the looks keep it.

mod density;
mod spending;

pub use spending::Spending;

use crate::StatError;
use crate::distributions::{check_level, increasing_root, normal_sf};
use crate::equivalence::check_finite;
use density::Density;

/// The most looks of a design.
const MOST_LOOKS: usize = 200;

/// The boundaries of a two-sided group-sequential test: at look k it stops and rejects where |Z| ≥ b_k.
///
/// Z is the estimate over its standard error. The information of a look is the share of the values, such as raters,
/// that have been seen by then. Where the standard error is estimated, compare the two-sided p value of the t test
/// with [`Look::p`]. The interval after stopping, estimate ± b × standard error, covers at least at the level.
///
/// # Method
///
/// The increments of Z √t are independent and normal. Look by look, the boundary is where the probability of leaving
/// there, and not before, is what the spending function allows (Lan and DeMets 1983). The density of the statistic
/// within all boundaries so far follows by recursive integration (Armitage, McPherson and Rowe 1969; Jennison and
/// Turnbull 2000, ch. 19). Each tail spends by itself, so an effect in one direction is found with at most α/2.
///
/// # Numerics
///
/// Gauss-Legendre panels as wide as the increments' standard deviation; boundaries are right to about 1e-9.
///
/// # Examples
///
/// ```
/// # use hype_stats::sequential::{GroupSequential, Spending};
/// let design = GroupSequential::new(&[0.5, 1.0], Spending::OBrienFleming, 0.05)?;
/// let boundaries: Vec<f64> = design.looks().iter().map(|look| look.boundary).collect();
/// assert!((boundaries[0] - 2.9626).abs() < 5e-5 && (boundaries[1] - 1.9686).abs() < 5e-5);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GroupSequential {
    looks: Vec<Look>,
    alpha: f64,
}

/// An effect after stopping, in standard errors of the estimate at the look that ended the study.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct AfterStopping {
    /// The median-unbiased estimate.
    pub estimate: f64,
    /// The lower limit.
    pub lower: f64,
    /// The upper limit.
    pub upper: f64,
}

/// One look of a group-sequential test.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Look {
    /// Share of the information that has been seen, above 0 and at most 1.
    pub information: f64,
    /// Boundary of |Z|; infinite where next to nothing may be spent yet.
    pub boundary: f64,
    /// Two-sided p value at the boundary, 2 Φ(-b).
    pub p: f64,
    /// Error spent by both tails up to and with this look.
    pub spent: f64,
}

impl GroupSequential {
    /// Computes the boundaries of looks at the given shares of the full information.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] without looks; [`StatError::Parameter`] for more than 200, shares that do not rise
    /// from above 0 to at most 1 by 1e-4 or more, or an α outside 0..1.
    pub fn new(information: &[f64], spending: Spending, alpha: f64) -> Result<Self, StatError> {
        check_level(alpha)?;
        check_information(information)?;
        let mut looks = Vec::with_capacity(information.len());
        let mut density = Density::start();
        let mut before = 0.0;
        for &share in information {
            let spent = spending.spent(share, alpha)?;
            density.advance(share);
            let bound = boundary(&density, 0.5 * (spent - before), share.sqrt())?;
            density.cut(bound * share.sqrt());
            looks.push(Look { information: share, boundary: bound, p: 2.0 * normal_sf(bound), spent });
            before = spent;
        }
        Ok(Self { looks, alpha })
    }

    /// Returns what is known of the effect when the statistic of a look, counted from 0, ends the study.
    ///
    /// The estimate over its standard error is too large on average in a study that ends when it has become large. Half of the
    /// estimates here are above the true effect and half below, and the interval covers it at the level, wherever the study ends.
    ///
    /// # Method
    ///
    /// Outcomes are ordered by stages: the earlier a boundary was crossed, the more extreme (Fairbanks and Madsen 1982, "P values for
    /// tests using a repeated significance test design"; Tsiatis, Rosner and Mehta 1984, "Exact confidence intervals following a
    /// group sequential test"). The effects are those under which an outcome at least as high has the probability 1/2, and the tails of
    /// the interval.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for a look that there is not, a statistic that is not finite or a level outside 0..1, and
    /// [`StatError::NoConvergence`] if no effect has such a probability.
    ///
    /// # Examples
    ///
    /// ```
    /// # use hype_stats::sequential::{GroupSequential, Spending};
    /// let design = GroupSequential::new(&[0.5, 1.0], Spending::OBrienFleming, 0.05)?;
    /// let found = design.after(1, 2.2, 0.95)?;
    /// assert!((found.estimate - 2.192).abs() < 1e-3 && (found.lower - 0.2232).abs() < 1e-3);
    /// # Ok::<(), hype_stats::StatError>(())
    /// ```
    pub fn after(&self, look: usize, statistic: f64, level: f64) -> Result<AfterStopping, StatError> {
        check_level(level)?;
        if look >= self.looks.len() {
            let (parameter, expected) = ("look", "one of the design, counted from 0");
            return Err(StatError::Parameter { parameter, expected, got: look as f64 });
        }
        check_finite("statistic", statistic)?;
        let mut density = Density::start();
        let stages: Vec<(Density, f64)> = self.looks[..=look]
            .iter()
            .enumerate()
            .map(|(stage, own)| {
                density.advance(own.information);
                let bound = own.boundary * own.information.sqrt();
                density.cut(bound);
                let reached = if stage == look { statistic * own.information.sqrt() } else { bound };
                (density.clone(), reached)
            })
            .collect();
        let at_least = |drift: f64| -> f64 {
            stages.iter().map(|(density, bound)| density.above_with_drift(*bound, drift)).sum()
        };
        let root = self.looks[look].information.sqrt();
        let with = |probability: f64| -> Result<f64, StatError> {
            let found = increasing_root(statistic / root, 1.0, |drift| at_least(drift) - probability);
            let none = StatError::NoConvergence { statistic: "estimate after stopping", iterations: 200 };
            Ok(found.ok_or(none)? * root)
        };
        let tail = 0.5 * (1.0 - level);
        Ok(AfterStopping { estimate: with(0.5)?, lower: with(tail)?, upper: with(1.0 - tail)? })
    }

    /// The looks, in order.
    #[must_use]
    pub fn looks(&self) -> &[Look] {
        &self.looks
    }

    /// The two-sided level α.
    #[must_use]
    pub const fn alpha(&self) -> f64 {
        self.alpha
    }
}

fn check_information(information: &[f64]) -> Result<(), StatError> {
    const NAME: &str = "group-sequential test";
    if information.is_empty() {
        return Err(StatError::TooFew { statistic: NAME, needed: 1, of: "looks", got: 0 });
    }
    if information.len() > MOST_LOOKS {
        return Err(StatError::Parameter {
            parameter: "number of looks",
            expected: "at most 200",
            got: information.len() as f64,
        });
    }
    let mut before = 0.0;
    for &share in information {
        let step = share - before;
        if !(1e-4..=1.0).contains(&step) || share > 1.0 {
            return Err(StatError::Parameter {
                parameter: "information",
                expected: "above that of the look before by 1e-4 or more, and at most 1",
                got: share,
            });
        }
        before = share;
    }
    Ok(())
}

/// The boundary of Z above which the density has this mass.
fn boundary(density: &Density, mass: f64, root: f64) -> Result<f64, StatError> {
    // A tail of 1e-17 is beyond the rounding of the level itself.
    if mass < 1e-17 {
        return Ok(f64::INFINITY);
    }
    let found = increasing_root(2.0, 0.5, |bound| mass.ln() - density.above(bound * root).max(1e-300).ln());
    found.ok_or(StatError::NoConvergence { statistic: "group-sequential boundary", iterations: 200 })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests;
