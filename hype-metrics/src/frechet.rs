//! The Fréchet distance between two sets of features: FID, with the features of Inception.
//!
//! # Method
//!
//! Heusel et al. (2017), "GANs trained by a two time-scale update rule converge to a local Nash equilibrium", equation 6:
//! |μ₁ - μ₂|² + tr(Σ₁ + Σ₂ - 2(Σ₁Σ₂)^½), with sample covariances (n - 1).
//!
//! # Numerics
//!
//! With AᵢᵀAᵢ = Σᵢ, the trace of (Σ₁Σ₂)^½ is the nuclear norm of A₁A₂ᵀ, the sum of its singular values. No square root of a
//! matrix is formed, so nothing needs regularization, and the result is never complex. A negative value of
//! rounding is 0.

mod factor;
mod infinity;

pub use infinity::{FrechetInfinity, InfinitySettings, SizedDistance, frechet_infinity};

use factor::Factor;

use crate::error::sample_warnings;
use crate::features::{FeatureRows, check_sets, column_means};
use crate::{FeatureMoments, MetricError, SampleWarning};

const NAME: &str = "FID";

/// A Fréchet distance and its parts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FrechetDistance {
    /// The distance, at least 0.
    pub distance: f64,
    /// |μ₁ - μ₂|².
    pub mean_part: f64,
    /// tr Σ₁ and tr Σ₂.
    pub traces: [f64; 2],
    /// tr (Σ₁Σ₂)^½.
    pub trace_of_root: f64,
    /// Why the number may mislead; empty for statistics of unknown numbers of images.
    pub warnings: Vec<SampleWarning>,
}

/// Mean and covariance of a set, as they are published in files.
#[derive(Debug, Clone, Copy)]
pub struct FeatureStatistics<'a> {
    /// Mean of each of d features.
    pub mean: &'a [f64],
    /// d × d sample covariance.
    pub covariance: &'a [f64],
}

/// One of the two Gaussians.
pub(crate) struct Gaussian {
    mean: Vec<f64>,
    factor: Factor,
}

impl Gaussian {
    pub(crate) fn of_features(features: &dyn FeatureRows) -> Result<Self, MetricError> {
        let mean = column_means(features)?;
        let factor = Factor::of_features(features, &mean)?;
        Ok(Self { mean, factor })
    }

    fn of_statistics(statistics: &FeatureStatistics<'_>) -> Result<Self, MetricError> {
        let (width, entries) = (statistics.mean.len(), statistics.covariance.len());
        if width == 0 || entries != width * width {
            return Err(MetricError::Dimension {
                what: "the covariance",
                expected: width,
                got: entries.isqrt(),
            });
        }
        for values in [statistics.mean, statistics.covariance] {
            crate::summary::check_values(NAME, values)?;
        }
        check_symmetry(statistics.covariance, width)?;
        let factor = Factor::of_covariance(statistics.covariance, width)?;
        Ok(Self { mean: statistics.mean.to_vec(), factor })
    }

    pub(crate) fn distance(&self, other: &Self) -> Result<FrechetDistance, MetricError> {
        let squares: Vec<f64> =
            self.mean.iter().zip(&other.mean).map(|(left, right)| (left - right) * (left - right)).collect();
        let mean_part = hype_stats::describe::sum(&squares);
        let traces = [self.factor.trace(), other.factor.trace()];
        let trace_of_root = self.factor.trace_of_root(&other.factor)?;
        let distance = (mean_part + (traces[0] + traces[1] - 2.0 * trace_of_root)).max(0.0);
        if !distance.is_finite() {
            return Err(MetricError::Undefined {
                metric: NAME,
                reason: "the features exceed double precision",
            });
        }
        Ok(FrechetDistance { distance, mean_part, traces, trace_of_root, warnings: Vec::new() })
    }
}

/// Computes the Fréchet distance between two sets of features.
///
/// Rows are read in blocks, two or three times. Memory for d features does not grow with the number of rows: four matrices of
/// d × d, and where a covariance is close to singular at most 2 GiB more.
///
/// # Errors
///
/// [`MetricError::Width`] for features of different widths, [`MetricError::TooFew`] for fewer than two images in a set, and what
/// reading rows gives.
///
/// # Examples
///
/// ```
/// use hype_metrics::{Features, frechet::frechet_distance};
/// let real = [0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0];
/// let moved = real.map(|value| value + 2.0);
/// let found = frechet_distance(&Features::new(&real, 1)?, &Features::new(&moved, 1)?)?;
/// assert!((found.distance - 4.0).abs() < 1e-12);
/// assert_eq!(found.warnings.len(), 1);
/// # Ok::<(), hype_metrics::MetricError>(())
/// ```
pub fn frechet_distance(
    left: &dyn FeatureRows,
    right: &dyn FeatureRows,
) -> Result<FrechetDistance, MetricError> {
    check_sets(NAME, left, right, 2)?;
    let mut found = Gaussian::of_features(left)?.distance(&Gaussian::of_features(right)?)?;
    found.warnings = sample_warnings(left.rows(), right.rows(), left.width());
    Ok(found)
}

/// Computes the Fréchet distance from means and covariances.
///
/// Features give more digits: a covariance has lost those of standard deviations below 10⁻⁸ of the greatest.
///
/// # Errors
///
/// [`MetricError::Dimension`] if a covariance is not d × d or the sets differ in d, [`MetricError::Covariance`] if one is not
/// symmetric or has negative eigenvalues, [`MetricError::NotFiniteValue`] for NaN or infinity.
pub fn frechet_from_statistics(
    left: &FeatureStatistics<'_>,
    right: &FeatureStatistics<'_>,
) -> Result<FrechetDistance, MetricError> {
    if left.mean.len() != right.mean.len() {
        return Err(MetricError::Dimension {
            what: "the other set",
            expected: left.mean.len(),
            got: right.mean.len(),
        });
    }
    Gaussian::of_statistics(left)?.distance(&Gaussian::of_statistics(right)?)
}

/// Computes the Fréchet distance from moments that were streamed or merged.
///
/// # Errors
///
/// As [`frechet_from_statistics`], and [`MetricError::TooFew`] for fewer than two images in a set.
pub fn frechet_from_moments(
    left: &mut FeatureMoments,
    right: &mut FeatureMoments,
) -> Result<FrechetDistance, MetricError> {
    let covariances = [left.covariance()?, right.covariance()?];
    let (rows, width) = ([left.count() as usize, right.count() as usize], left.width());
    let mut found = frechet_from_statistics(
        &FeatureStatistics { mean: left.mean(), covariance: &covariances[0] },
        &FeatureStatistics { mean: right.mean(), covariance: &covariances[1] },
    )?;
    found.warnings = sample_warnings(rows[0], rows[1], width);
    Ok(found)
}

/// Refuses matrices whose halves differ by more than single precision explains.
fn check_symmetry(matrix: &[f64], width: usize) -> Result<(), MetricError> {
    const TILE: usize = 64;
    let at = |row: usize, column: usize| matrix[row * width + column];
    let differs = |row: usize, column: usize| {
        let (one, other) = (at(row, column), at(column, row));
        let scale = (at(row, row) * at(column, column)).abs().sqrt();
        (one - other).abs() > 1e-6 * scale.max(one.abs())
    };
    // In tiles: neither half is read across the cache.
    for top in (0..width).step_by(TILE) {
        for left in (0..=top).step_by(TILE) {
            for row in top..(top + TILE).min(width) {
                if (left..(left + TILE).min(row)).any(|column| differs(row, column)) {
                    return Err(MetricError::Covariance { reason: "it is not symmetric" });
                }
            }
        }
    }
    Ok(())
}
