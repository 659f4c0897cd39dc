//! FID of infinitely many generated images.

use hype_chance::Streams;
use hype_stats::describe;

use super::{Gaussian, NAME};
use crate::error::sample_warnings;
use crate::features::check_sets;
use crate::subsampling::draw;
use crate::{Features, MetricError, SampleWarning};

/// At which numbers of images the distance is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InfinitySettings {
    /// The least number of generated images: 5,000 in the paper.
    pub least: usize,
    /// How many numbers, spread evenly up to all images: 15 in the paper.
    pub points: usize,
    /// Seed of the subsets.
    pub seed: u64,
}

impl InfinitySettings {
    /// The paper's settings; with fewer than 10,000 images, from half of them on.
    #[must_use]
    pub const fn published(images: usize, seed: u64) -> Self {
        let least = if images < 10_000 { images.div_ceil(2) } else { 5_000 };
        Self { least, points: 15, seed }
    }
}

/// The distance of a subset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizedDistance {
    /// Number of generated images.
    pub images: usize,
    /// Their distance from all reference images.
    pub distance: f64,
}

/// A Fréchet distance extrapolated to infinitely many generated images.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FrechetInfinity {
    /// The intercept of the line in 1/n. It may be negative.
    pub distance: f64,
    /// The slope: the bias of n images is `slope / n`.
    pub slope: f64,
    /// Root mean square of the residuals, with two degrees of freedom less than points.
    pub residual: f64,
    /// The points of the line, by increasing number of images.
    pub points: Vec<SizedDistance>,
    /// Why the number may mislead.
    pub warnings: Vec<SampleWarning>,
}

/// Extrapolates the Fréchet distance to infinitely many generated images.
///
/// # Method
///
/// Chong and Forsyth (2020), "Effectively unbiased FID and Inception Score and where to find them", section 3: the bias of
/// FID is linear in 1/n. Subsets of the generated images, drawn without replacement, are compared with all reference images;
/// the intercept of the least squares line in 1/n is the estimate. The bias by the number of reference images remains; it is
/// common to all models that are compared with one reference.
///
/// # Errors
///
/// As [`frechet_distance`](super::frechet_distance), and [`MetricError::Parameter`] unless there are at least two points and
/// 2 ≤ `least` < images.
pub fn frechet_infinity(
    reference: &Features<'_>,
    generated: &Features<'_>,
    settings: InfinitySettings,
) -> Result<FrechetInfinity, MetricError> {
    check_sets(NAME, reference, generated, 3)?;
    let InfinitySettings { least, points, seed } = settings;
    let images = generated.rows();
    if points < 2 {
        return Err(MetricError::Parameter {
            parameter: "points of FID∞",
            expected: "at least 2",
            got: points as f64,
        });
    }
    if least < 2 || least >= images {
        return Err(MetricError::Parameter {
            parameter: "least number of images of FID∞",
            expected: "at least 2 and less than all images",
            got: least as f64,
        });
    }
    let real = Gaussian::of_features(reference)?;
    let streams = Streams::new(seed);
    let mut line = Vec::with_capacity(points);
    for point in 0..points {
        let size = least + (images - least) * point / (points - 1);
        let chosen =
            draw(images, size, &mut streams.child("frechet infinity", point as u64).stream("images"));
        let subset = generated.select(&chosen);
        let distance = Gaussian::of_features(&subset.view())?.distance(&real)?.distance;
        line.push(SizedDistance { images: size, distance });
    }
    let mut warnings = sample_warnings(reference.rows(), images, reference.width());
    if least <= reference.width() && !warnings.iter().any(is_singular) {
        warnings.push(SampleWarning::FewerThanColumns { images: least, width: reference.width() });
    }
    fit(line, warnings)
}

fn is_singular(warning: &SampleWarning) -> bool {
    matches!(warning, SampleWarning::FewerThanColumns { .. })
}

/// Fits the line by least squares.
fn fit(points: Vec<SizedDistance>, warnings: Vec<SampleWarning>) -> Result<FrechetInfinity, MetricError> {
    let inverse: Vec<f64> = points.iter().map(|point| 1.0 / point.images as f64).collect();
    let distances: Vec<f64> = points.iter().map(|point| point.distance).collect();
    let (centre, level) = (describe::mean(&inverse)?, describe::mean(&distances)?);
    let spread: Vec<f64> = inverse.iter().map(|value| (value - centre) * (value - centre)).collect();
    let common: Vec<f64> = inverse
        .iter()
        .zip(&distances)
        .map(|(value, distance)| (value - centre) * (distance - level))
        .collect();
    let slope = describe::sum(&common) / describe::sum(&spread);
    let distance = level - slope * centre;
    let squares: Vec<f64> = inverse
        .iter()
        .zip(&distances)
        .map(|(value, found)| (found - distance - slope * value).powi(2))
        .collect();
    let freedom = points.len().saturating_sub(2).max(1) as f64;
    let residual = (describe::sum(&squares) / freedom).sqrt();
    Ok(FrechetInfinity { distance, slope, residual, points, warnings })
}
